package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** CA: interrupt, cancel and early close, which end one exchange and no other. */
interface CancelRules {

  /** What ten callers and the I/O threads may use of the CPU while nothing happens for a second. */
  Duration IDLE_CPU = Bounds.patient(Duration.ofMillis(250));

  /** On no machine longer: libraries that are not told send the body after a second. */
  Duration ASKING = Duration.ofMillis(500);

  // ---- interrupt ------------------------------------------------------------------------------

  @Rule("CA-01")
  default void interruptBeforeStart(Kit kit) throws Exception {
    Client client = kit.open();
    kit.assertWorks(client);
    URI uri = kit.uri(Script.ok());
    Caller<Reply> caller =
        kit.call(
            () -> {
              Thread.currentThread().interrupt();
              return kit.execute(client, Call.get(uri));
            });
    assertInterrupted(kit, caller);
    kit.assertIdle(client);
    kit.assertWorks(client);
    assertEquals(0, kit.server().seen(uri).size(), "requests sent");
  }

  @Rule("CA-02")
  default void interruptWhileWaitingForLease(Kit kit) throws Exception {
    assertInterruptEnds(kit, Standstill.LEASE);
  }

  @Rule("CA-03")
  default void interruptInNameLookup(Kit kit) throws Exception {
    assertInterruptEnds(kit, Standstill.LOOKUP);
  }

  @Rule("CA-04")
  default void interruptWhileConnecting(Kit kit) throws Exception {
    assertInterruptEnds(kit, Standstill.CONNECT);
  }

  @Rule("CA-05")
  default void interruptInUpload(Kit kit) throws Exception {
    assertInterruptEnds(kit, Standstill.UPLOAD);
  }

  @Rule("CA-06")
  default void interruptBeforeHead(Kit kit) throws Exception {
    assertInterruptEnds(kit, Standstill.HEAD);
  }

  @Rule("CA-07")
  default void interruptInBody(Kit kit) throws Exception {
    assertInterruptEnds(kit, Standstill.BODY);
  }

  @Rule("CA-08")
  default void interruptOfPlatformThread(Kit kit) throws Exception {
    for (Standstill place : List.of(Standstill.HEAD, Standstill.BODY, Standstill.UPLOAD)) {
      Standing call = new Standing(kit, place).on(Thread.ofPlatform()).start();
      call.caller().thread().interrupt();
      assertInterrupted(kit, call.caller());
      call.assertAbandoned();
    }
  }

  @Rule("CA-09")
  default void interruptAfterTheEnd(Kit kit) throws Exception {
    Client client = kit.open();
    Caller<Integer> caller =
        kit.call(
            () -> {
              try (Reply reply = kit.get(client, Script.ok().body(100).trailers())) {
                long length = Contents.check(reply.body());
                Thread.currentThread().interrupt();
                assertEquals(-1, reply.body().read());
                assertEquals(1, reply.trailers().size());
                return (int) length;
              }
            });
    assertEquals(100, caller.result(Bounds.LONG));
    assertTrue(caller.isInterruptedAtEnd(), "the interrupt is lost");
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  @Rule("CA-10")
  default void interruptOnceTheBodyIsThere(Kit kit) throws Exception {
    Client client = kit.open();
    Caller<Integer> caller =
        kit.call(
            () -> {
              URI uri = kit.uri(Script.ok().body(100));
              try (Reply reply = kit.execute(client, Call.get(uri))) {
                Bounds.await(Bounds.LONG, "all is sent", kit.seen(uri)::isAnswered);
                Thread.sleep(Bounds.ARRIVAL); // and, as far as anybody can tell, has arrived
                Thread.currentThread().interrupt();
                return (int) Contents.check(reply.body());
              }
            });
    assertEquals(100, caller.result(Bounds.LONG));
    assertTrue(caller.isInterruptedAtEnd(), "the interrupt is lost");
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  @Rule("CA-11")
  default void interruptAtAnyMoment(Kit kit) throws Exception {
    Client client = kit.open();
    for (int i = 0; i < 200; i++) {
      URI uri = kit.uri(Script.ok().body(100));
      Caller<Void> caller =
          kit.call(
              () -> {
                kit.assertWhole(kit.execute(client, Call.get(uri)), 200, 100);
                return null;
              });
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_500_000));
      caller.thread().interrupt();
      long interruptedAt = System.nanoTime();
      Bounds.await(Bounds.PROMPT, "the call ends, one way or the other", caller::isDone);
      if (caller.hasFailed()) {
        assertInterrupted(kit, caller);
      } else if (caller.endedAt() > interruptedAt) {
        assertTrue(caller.isInterruptedAtEnd(), "the interrupt is lost");
      }
    }
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  // ---- cancel ---------------------------------------------------------------------------------

  @Rule("CA-12")
  default void cancelBeforeStart(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok());
    PreparedCall call = client.prepare(Call.get(uri).build());
    call.cancel();
    Caller<Reply> caller = kit.call(call::execute);
    kit.assertExpected(Failure.CANCELLED, caller.failure(Bounds.PROMPT));
    kit.assertIdle(client);
    kit.assertWorks(client);
    assertEquals(0, kit.server().seen(uri).size(), "requests sent");
  }

  @Rule("CA-13")
  default void cancelWhileWaitingForLease(Kit kit) throws Exception {
    assertCancelEnds(kit, Standstill.LEASE);
  }

  @Rule("CA-14")
  default void cancelInNameLookup(Kit kit) throws Exception {
    assertCancelEnds(kit, Standstill.LOOKUP);
  }

  @Rule("CA-15")
  default void cancelWhileConnecting(Kit kit) throws Exception {
    assertCancelEnds(kit, Standstill.CONNECT);
  }

  @Rule("CA-16")
  default void cancelInUpload(Kit kit) throws Exception {
    assertCancelEnds(kit, Standstill.UPLOAD);
  }

  @Rule("CA-17")
  default void cancelBeforeHead(Kit kit) throws Exception {
    assertCancelEnds(kit, Standstill.HEAD);
  }

  @Rule("CA-18")
  default void cancelInBody(Kit kit) throws Exception {
    assertCancelEnds(kit, Standstill.BODY);
  }

  @Rule("CA-19")
  default void cancelAfterTheEnd(Kit kit) throws Exception {
    Client client = kit.open();
    int before = kit.server().connectionsAccepted();
    PreparedCall call = client.prepare(Call.get(kit.uri(Script.ok().body(100))).build());
    kit.assertWhole(call.execute(), 200, 100);
    call.cancel();
    kit.assertWorks(client);
    assertEquals(1, kit.server().connectionsAccepted() - before, "connections");
  }

  // ---- early close ----------------------------------------------------------------------------

  @Rule("CA-20")
  default void closeOfLongReply(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(ExchangeRules.MORE_THAN_BUFFERS));
    Reply reply = kit.execute(client, Call.get(uri));
    assertEquals(100, reply.body().readNBytes(100).length);
    assertClosesAtOnce(kit, reply);
    kit.seen(uri).assertAborted();
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  @Rule("CA-21")
  default void closeOfStalledReply(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(10_000).fault(Script.Fault.STALL, 1000));
    Reply reply = kit.execute(client, Call.get(uri));
    assertClosesAtOnce(kit, reply);
    kit.seen(uri).assertAborted();
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  @Rule("CA-22")
  default void closeOfStalledBody(Kit kit) throws Exception {
    for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
      Client client = kit.open();
      URI uri = kit.uri(Script.ok().body(10_000).fault(Script.Fault.STALL, 1000));
      Caller<@Nullable Void> caller =
          kit.call(
              kind,
              () -> {
                Reply reply = kit.execute(client, Call.get(uri));
                reply.body().skipNBytes(1000); // so who reads ahead is at the stall, too
                reply.body().close();
                return null;
              });
      caller.result(Bounds.PROMPT);
      kit.seen(uri).assertAborted();
      kit.assertIdle(client);
      kit.assertWorks(client);
    }
  }

  @Rule("CA-23")
  default void closeOfUnreadReply(Kit kit) throws Exception {
    Client client = kit.open();
    for (int i = 0; i < 20; i++) {
      kit.get(client, Script.ok().body(1000)).close();
      kit.assertIdle(client);
      kit.assertWorks(client);
    }
  }

  // ---- many at a time -------------------------------------------------------------------------

  @Rule("CA-26")
  default void interruptsOfCallersThatCompete(Kit kit) throws Exception {
    FaultServer server = kit.server(Certificates.RIGHT, 1);
    Client client = kit.open(kit.settings().maxConnections(1));
    kit.assertWorks(client, server); // what a library makes for its first call is not the matter
    for (int round = 0; round < 100; round++) {
      List<Caller<Void>> callers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        callers.add(
            kit.call(
                () -> {
                  kit.assertWorks(client, server);
                  return null;
                }));
      }
      // While the others wait for the lease, it goes from one to the next.
      for (int i = 0; i < callers.size(); i += 2) {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(500_000));
        callers.get(i).thread().interrupt();
      }
      for (Caller<Void> each : callers) {
        Bounds.await(Bounds.LONG, "the call ends, one way or the other", each::isDone);
        if (each.hasFailed()) {
          assertInterrupted(kit, each);
        }
      }
      kit.assertIdle(client);
    }
    kit.assertWorks(client, server);
  }

  // ---- no CPU ---------------------------------------------------------------------------------

  @Rule("CA-24")
  default void interruptedReaderUsesNoCpu(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(10_000).fault(Script.Fault.STALL, 1000));
    Caller<Long> caller =
        kit.call(
            Thread.ofPlatform(),
            () -> {
              try (Reply reply = kit.execute(client, Call.get(uri))) {
                reply.body().readNBytes(1000);
                long before = Cpu.ofThread(Thread.currentThread());
                readInterrupted(reply.body());
                return Cpu.ofThread(Thread.currentThread()) - before;
              }
            });
    Bounds.holds(Bounds.PROMPT, caller::isDone);
    long used = caller.isDone() ? caller.result(Bounds.PROMPT) : Cpu.ofThread(caller.thread());
    assertTrue(caller.isDone(), "a reader that is interrupted goes on, CPU so far " + used + " ns");
    assertTrue(used < IDLE_CPU.toNanos(), "CPU used: " + used + " ns");
  }

  @Rule("CA-25")
  default void waitingUsesNoCpu(Kit kit) throws Exception {
    Client client = kit.open();
    List<Standing> standing = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Standstill place = i < 5 ? Standstill.HEAD : Standstill.BODY;
      Thread.Builder kind = i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
      standing.add(new Standing(kit, place).on(kind).start(client));
    }
    long used = Cpu.usedByOthersInASecond();
    for (Standing each : standing) {
      each.call().cancel();
      each.assertEnds(Failure.CANCELLED);
    }
    assertTrue(used < IDLE_CPU.toNanos(), "CPU used within a second: " + used + " ns");
  }

  @Rule("CA-27")
  default void whoeverAsksFirstCanBeEnded(Kit kit) throws Exception {
    assertInterruptEnds(kit, Standstill.EXPECTATION);
    assertCancelEnds(kit, Standstill.EXPECTATION);
    Client client = kit.open();
    kit.assertWorks(client); // or to connect could take that long
    Standing late =
        new Standing(kit, Standstill.EXPECTATION)
            .options(post -> post.deadline(ASKING))
            .start(client);
    late.assertEndsAfter(ASKING, Failure.DEADLINE);
    late.assertAbandoned();
    LifeRules.assertCloseEnds(kit, Standstill.EXPECTATION);
  }

  static void assertInterruptEnds(Kit kit, Standstill place) throws Exception {
    Standing call = new Standing(kit, place).start();
    call.caller().thread().interrupt();
    assertInterrupted(kit, call.caller());
    call.assertAbandoned();
  }

  static void assertCancelEnds(Kit kit, Standstill place) throws Exception {
    Standing call = new Standing(kit, place).start();
    call.call().cancel();
    call.assertEnds(Failure.CANCELLED);
    call.assertAbandoned();
  }

  /** As Java's convention has it: an InterruptedException clears the flag, all else keeps it. */
  static void assertInterrupted(Kit kit, Caller<?> caller) {
    Throwable failure = caller.failure(Bounds.PROMPT);
    kit.assertExpected(Failure.INTERRUPTED, failure);
    boolean cleared = failure instanceof InterruptedException;
    assertEquals(!cleared, caller.isInterruptedAtEnd(), "the interrupt flag, after " + failure);
  }

  static void assertClosesAtOnce(Kit kit, AutoCloseable resource) {
    Caller<Void> closer =
        kit.call(
            () -> {
              resource.close();
              return null;
            });
    closer.result(Bounds.PROMPT);
  }

  /** Reads on and on, as one does who takes an exception for a hiccup. */
  static void readInterrupted(InputStream in) {
    for (int i = 0; i < 100; i++) {
      Thread.currentThread().interrupt();
      try {
        in.read();
        throw new AssertionError("a read that was interrupted returned");
      } catch (IOException e) {
        // and again
      }
    }
  }
}
