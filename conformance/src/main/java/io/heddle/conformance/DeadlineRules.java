package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** DL: the deadline over the whole call, and the library's own timeouts beside it. */
interface DeadlineRules {

  /** Long enough to get to where a call stands still, on a slow machine. */
  Duration TIME = Bounds.patient(Duration.ofMillis(500));

  @Rule("DL-01")
  default void deadlineWhileWaitingForLease(Kit kit) throws Exception {
    assertDeadlineEnds(kit, Standstill.LEASE);
  }

  @Rule("DL-02")
  default void deadlineInNameLookup(Kit kit) throws Exception {
    assertDeadlineEnds(kit, Standstill.LOOKUP);
  }

  @Rule("DL-03")
  default void deadlineWhileConnecting(Kit kit) throws Exception {
    assertDeadlineEnds(kit, Standstill.CONNECT);
  }

  @Rule("DL-04")
  default void deadlineInUpload(Kit kit) throws Exception {
    assertDeadlineEnds(kit, Standstill.UPLOAD);
  }

  @Rule("DL-05")
  default void deadlineBeforeHead(Kit kit) throws Exception {
    assertDeadlineEnds(kit, Standstill.HEAD);
  }

  @Rule("DL-06")
  default void deadlineInBody(Kit kit) throws Exception {
    assertDeadlineEnds(kit, Standstill.BODY);
  }

  @Rule("DL-07")
  default void deadlineInDrippingBody(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(10_000).drip(1, Duration.ofMillis(20)));
    long start = System.nanoTime();
    Caller<Long> caller =
        kit.call(
            () -> {
              try (Reply reply = kit.execute(client, Call.get(uri).deadline(TIME))) {
                return Contents.check(reply.body());
              }
            });
    kit.assertExpected(Failure.DEADLINE, caller.failure(TIME.plus(Bounds.PROMPT)));
    assertTrue(caller.endedAt() - start >= TIME.minusMillis(50).toNanos(), "too early");
    kit.seen(uri).assertAborted();
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  @Rule("DL-08")
  default void deadlineOfClient(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().deadline(TIME));
    kit.assertWorks(client);
    Standing second = new Standing(kit, Standstill.HEAD).start(client);
    Standing third = new Standing(kit, Standstill.BODY).start(client);
    second.assertEndsAfter(TIME, Failure.DEADLINE);
    third.assertEndsAfter(TIME, Failure.DEADLINE);
    second.assertAbandoned();
    third.assertAbandoned();
  }

  @Rule("DL-09")
  default void deadlineThatDoesNotCome(Kit kit) throws Exception {
    Client client = kit.open();
    int before = kit.server().connectionsAccepted();
    Duration soon = TIME;
    long start = System.nanoTime();
    URI uri = kit.uri(Script.ok().body(100));
    kit.assertWhole(kit.execute(client, Call.get(uri).deadline(soon)), 200, 100);
    // Once it is over, nothing happens to the connection, nor to who uses it now.
    URI later = kit.uri(Script.ok().body(100).delay(soon));
    kit.assertWhole(kit.execute(client, Call.get(later)), 200, 100);
    assertTrue(System.nanoTime() - start > soon.toNanos(), "the deadline is over");
    kit.assertWorks(client);
    assertEquals(1, kit.server().connectionsAccepted() - before, "connections");
  }

  @Rule("DL-10")
  default void deadlineThatIsOver(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok());
    Caller<Reply> caller =
        kit.call(() -> kit.execute(client, Call.get(uri).deadline(Duration.ZERO)));
    kit.assertExpected(Failure.DEADLINE, caller.failure(Bounds.PROMPT));
    kit.assertWorks(client);
    assertEquals(0, kit.server().seen(uri).size(), "requests sent");
  }

  @Rule("DL-11")
  default void readTimeoutBeforeHead(Kit kit) throws Exception {
    assertReadTimeoutEnds(new Standing(kit, Standstill.HEAD));
    byte[] bytes = Contents.first(1000);
    for (Body each :
        List.of(
            new Body.Bytes(new byte[0]),
            new Body.Bytes(bytes),
            new Body.Stream(new ByteArrayInputStream(bytes), -1),
            new Body.Writer(out -> out.write(bytes)))) {
      assertReadTimeoutEnds(new Standing(kit, Standstill.HEAD).posts(each));
    }
  }

  @Rule("DL-12")
  default void readTimeoutInBody(Kit kit) throws Exception {
    assertReadTimeoutEnds(new Standing(kit, Standstill.BODY));
  }

  private static void assertReadTimeoutEnds(Standing call) throws Exception {
    call.settings(client -> client.readTimeout(TIME)).start();
    call.assertEndsAfter(TIME, Failure.READ_TIMEOUT);
    call.assertAbandoned();
  }

  @Rule("DL-13")
  default void readTimeoutIsNotADeadline(Kit kit) throws Exception {
    Duration timeout = Bounds.patient(Duration.ofMillis(1200));
    Client client = kit.open(kit.settings().readTimeout(timeout));
    Script slow = Script.ok().body(8).drip(1, Bounds.patient(Duration.ofMillis(200)));
    long start = System.nanoTime();
    kit.assertWhole(kit.get(client, slow), 200, 8);
    assertTrue(System.nanoTime() - start > timeout.toNanos(), "longer than the timeout in all");
  }

  @Rule("DL-14")
  default void connectTimeout(Kit kit) throws Exception {
    Standing call =
        new Standing(kit, Standstill.CONNECT)
            .settings(client -> client.connectTimeout(TIME))
            .start();
    call.assertEndsAfter(TIME, Failure.CONNECT_TIMEOUT);
    call.assertAbandoned();
  }

  @Rule("DL-15")
  default void leaseTimeout(Kit kit) throws Exception {
    Standing call =
        new Standing(kit, Standstill.LEASE).settings(client -> client.leaseTimeout(TIME)).start();
    call.assertEndsAfter(TIME, Failure.LEASE_TIMEOUT);
    call.assertAbandoned();
  }

  @Rule("DL-16")
  default void deadlineInBodyFasterThanItsReader(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(ExchangeRules.MORE_THAN_BUFFERS));
    Caller<Long> caller =
        kit.call(
            () -> {
              try (Reply reply = kit.execute(client, Call.get(uri).deadline(TIME))) {
                long read = 0;
                byte[] piece = new byte[1000];
                for (int n = 0; n >= 0; n = reply.body().read(piece)) { // it has come already
                  read += n;
                  Thread.sleep(1);
                }
                return read;
              }
            });
    kit.assertExpected(Failure.DEADLINE, caller.failure(TIME.plus(Bounds.PROMPT)));
    kit.seen(uri).assertAborted();
    kit.assertIdle(client);
    kit.assertWorks(client);
  }

  /** Lets a call stand still there until its deadline ends it. */
  static void assertDeadlineEnds(Kit kit, Standstill place) throws Exception {
    Standing call = new Standing(kit, place).options(get -> get.deadline(TIME)).start();
    call.assertEndsAfter(TIME, Failure.DEADLINE);
    call.assertAbandoned();
  }
}
