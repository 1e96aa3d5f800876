package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.ref.WeakReference;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** LI: the life of a client, and above all its end. */
interface LifeRules {

  @Rule("LI-01")
  default void clientClosedWhileWaitingForLease(Kit kit) throws Exception {
    assertCloseEnds(kit, Standstill.LEASE);
  }

  @Rule("LI-02")
  default void clientClosedInNameLookup(Kit kit) throws Exception {
    assertCloseEnds(kit, Standstill.LOOKUP);
  }

  @Rule("LI-03")
  default void clientClosedWhileConnecting(Kit kit) throws Exception {
    assertCloseEnds(kit, Standstill.CONNECT);
  }

  @Rule("LI-04")
  default void clientClosedInUpload(Kit kit) throws Exception {
    assertCloseEnds(kit, Standstill.UPLOAD);
  }

  @Rule("LI-05")
  default void clientClosedBeforeHead(Kit kit) throws Exception {
    assertCloseEnds(kit, Standstill.HEAD);
  }

  @Rule("LI-06")
  default void clientClosedInBody(Kit kit) throws Exception {
    assertCloseEnds(kit, Standstill.BODY);
  }

  @Rule("LI-07")
  default void busyClientClosed(Kit kit) throws Exception {
    Client client = kit.open();
    List<Standing> standing = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      standing.add(new Standing(kit, Standstill.UPLOAD).start(client));
      standing.add(new Standing(kit, Standstill.HEAD).start(client));
      standing.add(new Standing(kit, Standstill.BODY).start(client));
    }
    kit.assertCloses(client);
    for (Standing each : standing) {
      each.assertClosed();
    }
  }

  @Rule("LI-08")
  default void callOfClosedClient(Kit kit) throws Exception {
    Client client = kit.open();
    kit.assertWorks(client);
    URI uri = kit.uri(Script.ok());
    PreparedCall before = client.prepare(Call.get(uri).build());
    kit.assertCloses(client);
    kit.assertCloses(client);
    Caller<Reply> first = kit.call(before::execute);
    kit.assertExpected(Failure.CLOSED, first.failure(Bounds.PROMPT));
    Caller<Reply> second = kit.call(() -> kit.execute(client, Call.get(uri)));
    kit.assertExpected(Failure.CLOSED, second.failure(Bounds.PROMPT));
    assertEquals(0, kit.server().seen(uri).size(), "requests sent");
  }

  @Rule("LI-09")
  default void nothingIsLeftOfClosedClient(Kit kit) throws Exception {
    LeakCheck.Snapshot before = LeakCheck.Snapshot.take();
    int connections = kit.server().connectionsOpen();
    Client client = kit.open();
    List<Caller<Void>> callers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      URI uri = kit.uri(Script.ok().body(100_000));
      Body body = new Body.Writer(Contents.writer(100_000));
      callers.add(
          kit.call(
              () -> {
                kit.assertWhole(kit.execute(client, Call.post(uri, body)), 200, 100_000);
                return null;
              }));
    }
    for (Caller<Void> each : callers) {
      each.result(Bounds.LONG);
    }
    kit.assertIdle(client);
    kit.assertCloses(client);
    Bounds.await(
        Bounds.LONG,
        "the server sees all connections end",
        () -> kit.server().connectionsOpen() <= connections);
    before.assertNoLeaks(
        thread -> thread.startsWith("rule ") || kit.driver().outlivesClients(thread));
  }

  @Rule("LI-10")
  default void nothingIsLeftOfCalls(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().maxConnections(10));
    // Over the other wires fewer, as they take many times as long.
    int calls = kit.wire() == Wire.HTTP_1_1 ? 2_500 : 500;
    List<WeakReference<BodyWriter>> writers = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      writers.add(postOfItsOwn(kit, client, i % 10 == 0));
    }
    kit.assertIdle(client);
    Bounds.await(
        Bounds.LONG,
        "all but the last calls' writers are collected as garbage",
        () -> {
          System.gc();
          return writers.stream().filter(each -> each.get() != null).count() <= 20;
        });
    kit.assertWorks(client); // and so is itself not garbage
  }

  /** Posts a body, or gives that up before the head; returns what wrote it. */
  private static WeakReference<BodyWriter> postOfItsOwn(Kit kit, Client client, boolean failing)
      throws Exception {
    byte[] own = Contents.first(1000);
    BodyWriter writer = out -> out.write(own);
    Script script = Script.ok().body(100);
    URI uri = kit.uri(failing ? script.fault(Script.Fault.RESET) : script);
    Call.Builder call = Call.post(uri, new Body.Writer(writer));
    try {
      kit.assertWhole(kit.execute(client, call), 200, 100);
    } catch (Exception e) {
      Kit.check(failing, "the call failed: " + e);
    }
    return new WeakReference<>(writer);
  }

  @Rule("LI-11")
  default void noBufferIsLost(Kit kit) throws Exception {
    try (LostBuffers lost = new LostBuffers()) {
      Client client = kit.open();
      for (Body each :
          List.of(
              new Body.Bytes(Contents.first(100_000)),
              new Body.Writer(Contents.writer(100_000)),
              new Body.Stream(Contents.stream(100_000), -1),
              new Body.Stream(Contents.stream(100_000), 100_000))) {
        kit.assertWhole(
            kit.execute(client, Call.post(kit.uri(Script.ok().body(100_000)), each)), 200, 100_000);
      }
      for (Standstill place : List.of(Standstill.UPLOAD, Standstill.HEAD, Standstill.BODY)) {
        Standing call = new Standing(kit, place).start();
        call.caller().thread().interrupt();
        CancelRules.assertInterrupted(kit, call.caller());
        kit.assertCloses(call.client());
      }
      kit.get(client, Script.ok().body(100_000)).close();
      kit.assertIdle(client);
      kit.assertCloses(client);
      assertEquals(List.of(), lost.found(), "buffers of Netty's were not released");
    }
  }

  /** Closes a client while a call of its stands there: the call ends at once, and so does close. */
  static void assertCloseEnds(Kit kit, Standstill place) throws Exception {
    Standing call = new Standing(kit, place).start();
    Client client = call.client();
    Caller<Void> closer =
        kit.call(
            () -> {
              client.close();
              return null;
            });
    call.assertClosed();
    closer.result(Bounds.LONG);
  }
}
