package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** H2: what only HTTP/2 has, and above all that exchanges share a connection without harm. */
interface Http2Rules {

  /** Where a stream can be given up. */
  List<Standstill> PLACES = List.of(Standstill.UPLOAD, Standstill.HEAD, Standstill.BODY);

  /** JDK 21 drops the reason of a reset that comes before it has noted the end of the body. */
  Duration BODY_NOTED = Bounds.patient(Duration.ofMillis(50));

  /** How long a server that leaves takes what still comes. */
  Duration STEP = Bounds.patient(Duration.ofMillis(300));

  /** How often a request may go again before its deadline: every 3 ms, which takes pauses. */
  long MOST_SENT = DeadlineRules.TIME.toMillis() / 3;

  @Rule("H2-01")
  default void interruptHarmsNoSibling(Kit kit) throws Exception {
    for (Standstill place : PLACES) {
      Siblings siblings = new Siblings(kit);
      Standing call = siblings.join(new Standing(kit, place));
      call.caller().thread().interrupt();
      call.assertEnds(Failure.INTERRUPTED);
      call.assertSeenToLeave();
      siblings.assertUnharmed();
    }
  }

  @Rule("H2-02")
  default void cancelHarmsNoSibling(Kit kit) throws Exception {
    for (Standstill place : PLACES) {
      Siblings siblings = new Siblings(kit);
      Standing call = siblings.join(new Standing(kit, place));
      call.call().cancel();
      call.assertEnds(Failure.CANCELLED);
      call.assertSeenToLeave();
      siblings.assertUnharmed();
    }
  }

  @Rule("H2-03")
  default void deadlineHarmsNoSibling(Kit kit) throws Exception {
    Siblings siblings = new Siblings(kit);
    List<Standing> calls = new ArrayList<>();
    for (Standstill place : PLACES) {
      calls.add(
          siblings.join(new Standing(kit, place).options(get -> get.deadline(DeadlineRules.TIME))));
    }
    for (Standing each : calls) {
      each.assertEndsAfter(DeadlineRules.TIME, Failure.DEADLINE);
      each.assertSeenToLeave();
    }
    siblings.assertUnharmed();
  }

  @Rule("H2-04")
  default void earlyCloseHarmsNoSibling(Kit kit) throws Exception {
    Siblings siblings = new Siblings(kit);
    URI uri = kit.uri(Script.ok().body(ExchangeRules.MORE_THAN_BUFFERS));
    Reply reply = kit.execute(siblings.client, Call.get(uri));
    CancelRules.assertClosesAtOnce(kit, reply);
    kit.seen(uri).assertAborted();
    siblings.assertUnharmed();
  }

  @Rule("H2-05")
  default void streamReset(Kit kit) throws Exception {
    Siblings siblings = new Siblings(kit);
    URI uri = kit.uri(Script.ok().fault(Script.Fault.STREAM_RESET));
    FailureRules.assertFails(kit, siblings.client, Call.get(uri), Failure.STREAM_RESET, 20);
    siblings.assertUnharmed();
  }

  @Rule("H2-06")
  default void streamResetInBody(Kit kit) throws Exception {
    Script script = Script.ok().body(2 * FailureRules.SOUND);
    FailureRules.assertBreaks(
        kit, script.fault(Script.Fault.STREAM_RESET, FailureRules.SOUND), Failure.STREAM_RESET);
  }

  @Rule("H2-07")
  default void gracefulGoAway(Kit kit) throws Exception {
    Siblings siblings = new Siblings(kit, 20);
    URI uri = kit.uri(Script.ok().body(100).fault(Script.Fault.GOAWAY).once());
    Caller<Void> refused =
        kit.call(
            () -> {
              kit.assertWhole(kit.execute(siblings.client, Call.get(uri)), 200, 100);
              return null;
            });
    Bounds.await(Bounds.LONG, "the refused call ends", refused::isDone);
    if (refused.hasFailed()) {
      kit.assertExpected(Failure.GOAWAY, refused.failure(Bounds.PROMPT));
    }
    kit.assertWorks(siblings.client); // on a connection of its own
    siblings.assertUnharmed();
  }

  @Rule("H2-08")
  default void goAwayWithError(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().maxConnections(1));
    kit.assertWorks(client);
    List<URI> uris = new ArrayList<>();
    List<Caller<Integer>> callers = new ArrayList<>();
    for (int i = 0; i <= 5; i++) {
      Script script =
          Script.ok().fault(i < 5 ? Script.Fault.STALL : Script.Fault.GOAWAY_ERROR).once();
      URI uri = kit.uri(script);
      uris.add(uri);
      // POST, so that none of them may be sent again.
      Call.Builder call = Call.post(uri, new Body.Bytes(Contents.first(100)));
      callers.add(kit.call(() -> kit.execute(client, call).status()));
      kit.seen(uri);
    }
    for (Caller<Integer> each : callers) {
      // Which of the two, the library sees first or last.
      kit.assertExpected(
          List.of(Failure.GOAWAY, Failure.RESET_BEFORE_HEAD), each.failure(Bounds.LONG));
    }
    kit.assertIdle(client);
    kit.assertWorks(client);
    for (URI each : uris) {
      assertEquals(1, kit.server().seen(each).size(), "times sent");
    }
  }

  @Rule("H2-09")
  default void fewStreams(Kit kit) throws Exception {
    FaultServer server = kit.server(Certificates.RIGHT, 2);
    Client client = kit.open(kit.settings().maxConnections(1));
    assertAllServed(kit, server, client);
    assertTrue(server.takePeakStreams() <= 2, "more streams than allowed");
  }

  @Rule("H2-10")
  default void numberOfStreamsChanges(Kit kit) throws Exception {
    FaultServer server = kit.server(Certificates.RIGHT, 10);
    Client client = kit.open(kit.settings().maxConnections(1));
    assertAllServed(kit, server, client);
    server.maxStreams(1);
    assertHeard(kit, server, client);
    server.takePeakStreams();
    assertAllServed(kit, server, client);
    assertEquals(1, server.takePeakStreams(), "streams, where one is allowed");
    server.maxStreams(5);
    assertHeard(kit, server, client);
    server.takePeakStreams();
    assertAllServed(kit, server, client);
    int streams = server.takePeakStreams();
    assertTrue(streams > 1 && streams <= 5, streams + " streams, where five are allowed");
    assertEquals(1, server.connectionsAccepted(), "connections");
  }

  @Rule("H2-11")
  default void unreadBodyStopsNoSibling(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().maxConnections(1));
    URI unread = kit.uri(Script.ok().body(ExchangeRules.MORE_THAN_BUFFERS));
    Reply reply = kit.execute(client, Call.get(unread));
    Bounds.settled(kit.seen(unread)::sentBytes);
    for (int i = 0; i < 3; i++) {
      kit.assertWhole(kit.get(client, Script.ok().body(2_000_000)), 200, 2_000_000);
    }
    reply.close();
  }

  @Rule("H2-12")
  default void stalledUploadStopsNoSibling(Kit kit) throws Exception {
    Client client = kit.open(kit.settings().maxConnections(1));
    Standing stalled = new Standing(kit, Standstill.UPLOAD).start(client);
    for (int i = 0; i < 3; i++) {
      URI uri = kit.uri(Script.ok());
      Body body = new Body.Bytes(Contents.first(2_000_000));
      kit.assertWhole(kit.execute(client, Call.post(uri, body)), 200, 0);
    }
    stalled.call().cancel();
    stalled.assertEnds(Failure.CANCELLED);
  }

  @Rule("H2-13")
  default void refusedStreams(Kit kit) throws Exception {
    Siblings siblings = new Siblings(kit);
    Script script = Script.ok().body(100).fault(Script.Fault.STREAM_REFUSED).times(5);
    URI get = kit.uri(script);
    kit.assertWhole(kit.execute(siblings.client, Call.get(get)), 200, 100);
    URI post = kit.uri(script);
    Body body = new Body.Bytes(Contents.first(1000));
    kit.assertWhole(kit.execute(siblings.client, Call.post(post, body)), 200, 100);
    assertEquals(6, kit.server().seen(get).size(), "times sent");
    assertEquals(6, kit.server().seen(post).size(), "times sent");
    siblings.assertUnharmed();
  }

  @Rule("H2-14")
  default void everyStreamRefused(Kit kit) throws Exception {
    Client client = kit.open();
    kit.assertWorks(client);
    Body body = new Body.Bytes(Contents.first(1000));
    for (boolean post : new boolean[] {false, true}) {
      Script refuses = Script.ok().fault(Script.Fault.STREAM_REFUSED);
      URI uri = kit.uri(post ? refuses.delay(BODY_NOTED) : refuses);
      Call.Builder call = post ? Call.post(uri, body) : Call.get(uri);
      Caller<Integer> caller =
          kit.call(() -> kit.execute(client, call.deadline(DeadlineRules.TIME)).status());
      kit.assertExpected(
          List.of(Failure.DEADLINE, Failure.REFUSED_STREAM, Failure.STREAM_RESET),
          caller.failure(DeadlineRules.TIME.plus(Bounds.PROMPT)));
      kit.assertIdle(client);
      kit.assertWorks(client);
      long sent = Bounds.settled(() -> kit.server().seen(uri).size());
      assertTrue(sent >= 2, sent + " times sent");
      assertTrue(sent <= MOST_SENT, "a storm of " + sent + " requests");
    }
  }

  @Rule("H2-15")
  default void connectionOfAnotherHost(Kit kit) throws Exception {
    byte[] address = InetAddress.getLoopbackAddress().getAddress();
    NameLookup lookup = host -> List.of(InetAddress.getByAddress(host, address));
    Client client = kit.open(kit.settings().lookup(lookup));
    Body body = new Body.Bytes(Contents.first(1000));
    Script script = Script.ok().body(100).ofOneHost();
    for (String host : List.of("warp.heddle.test", "weft.heddle.test", "loom.heddle.test")) {
      URI post = kit.server().uri(host, script);
      kit.assertWhole(kit.execute(client, Call.post(post, body)), 200, 100);
      URI get = kit.server().uri(host, script);
      kit.assertWhole(kit.execute(client, Call.get(get)), 200, 100);
    }
  }

  @Rule("H2-16")
  default void goAwayInTwoSteps(Kit kit) throws Exception {
    Siblings siblings = new Siblings(kit, 20);
    kit.server().leaveInTwoSteps(STEP);
    long end = System.nanoTime() + 3 * STEP.toNanos();
    List<Caller<Void>> callers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      callers.add(
          kit.call(
              () -> {
                boolean post = false;
                do {
                  assertTakenOnce(kit, siblings.client, post);
                  post = !post;
                  Bounds.pause();
                } while (System.nanoTime() - end < 0);
                return null;
              }));
    }
    Bounds.await(Bounds.LONG, "the callers end", () -> callers.stream().allMatch(Caller::isDone));
    URI after = kit.uri(Script.ok());
    kit.assertWhole(kit.execute(siblings.client, Call.get(after)), 200, 0);
    assertEquals(1, kit.server().arrived(after).size(), "times sent, when the server has left");
    siblings.assertUnharmed();
    callers.forEach(each -> each.result(Bounds.PROMPT));
  }

  private static void assertTakenOnce(Kit kit, Client client, boolean post) throws Exception {
    URI uri = kit.uri(Script.ok().body(100));
    Body body = new Body.Bytes(Contents.first(1000));
    Call.Builder call = post ? Call.post(uri, body) : Call.get(uri);
    kit.assertWhole(kit.execute(client, call), 200, 100);
    assertEquals(1, kit.server().seen(uri).size(), "times taken");
  }

  /**
   * After a further answer the client has what the server said before it, which it may heed on a
   * thread of its own (RFC 9113, 6.5.3).
   */
  private static void assertHeard(Kit kit, FaultServer server, Client client) throws Exception {
    kit.assertWorks(client, server);
    Thread.sleep(Bounds.ARRIVAL);
  }

  /** 20 calls at once, each of which takes a moment, succeed, and none is sent twice. */
  private static void assertAllServed(Kit kit, FaultServer server, Client client) {
    List<Caller<Integer>> callers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      URI uri = server.uri(Script.ok().body(100).delay(Duration.ofMillis(20)));
      callers.add(
          kit.call(
              () -> {
                kit.assertWhole(kit.execute(client, Call.get(uri)), 200, 100);
                return server.seen(uri).size();
              }));
    }
    for (Caller<Integer> each : callers) {
      assertEquals(1, each.result(Bounds.LONG), "times sent");
    }
  }
}
