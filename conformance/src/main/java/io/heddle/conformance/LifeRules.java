package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
