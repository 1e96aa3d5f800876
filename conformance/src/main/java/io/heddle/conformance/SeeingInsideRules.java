package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;

/** SI: what JDK Flight Recorder is told of calls. */
interface SeeingInsideRules {

  /** For how long a call is held up on purpose, and the least that must be told of it. */
  Duration HELD_UP = Duration.ofMillis(300);

  Duration HELD_UP_AT_LEAST = Duration.ofMillis(200);

  String SECRET = "secret-7c1e";

  @Rule("SI-01")
  default void oneEventForEachCall(Kit kit) throws Exception {
    Client client = kit.open();
    kit.assertWorks(client);
    URI server = kit.uri(Script.ok());
    try (RecordedCalls recorded = RecordedCalls.start()) {
      URI whole = kit.uri(Script.ok().body(1000).header("x-" + SECRET, SECRET));
      String protocol;
      Call.Builder get = Call.get(whole).header("authorization", SECRET);
      try (Reply reply = kit.execute(client, get)) {
        protocol = reply.protocol();
        Contents.check(reply.body());
      }
      Body bytes = new Body.Bytes(new byte[100]);
      kit.assertWhole(kit.execute(client, Call.post(kit.uri(Script.ok()), bytes)), 200, 0);
      kit.assertWhole(kit.get(client, Script.answer(404).body(10)), 404, 10);
      kit.get(client, Script.ok().body(64 * 1024 * 1024)).close();
      URI reset = kit.uri(Script.ok().fault(Script.Fault.RESET));
      kit.assertExpected(
          Failure.RESET_BEFORE_HEAD,
          kit.call(() -> kit.execute(client, Call.post(reset, bytes)).status())
              .failure(Bounds.LONG));
      URI refused = refused(kit);
      kit.assertExpected(
          Failure.REFUSED,
          kit.call(() -> kit.execute(client, Call.get(refused)).status()).failure(Bounds.LONG));
      kit.assertIdle(client);

      List<RecordedEvent> calls = recorded.calls(server);
      assertEquals(
          List.of(
              "GET 200 completed",
              "POST 200 completed",
              "GET 404 completed",
              "GET 200 closed",
              "POST 0 failed"),
          calls.stream().map(RecordedCalls::inShort).toList());
      List<RecordedEvent> unconnected = recorded.calls(refused); // its method may not be known yet
      assertEquals(1, unconnected.size(), "events of a call that had no connection");
      assertEquals("failed", unconnected.get(0).getString("ended"));
      RecordedEvent first = calls.get(0);
      assertEquals(server.getHost() + ":" + server.getPort(), first.getString("authority"));
      assertEquals(protocol, first.getString("protocol"));
      assertNotNull(first.getString("library"), "library");
      assertNull(first.getString("failure"));
      assertNotNull(calls.get(4).getString("failure"), "the class of the failure");
      for (RecordedEvent each : calls) {
        assertFalse(each.toString().contains(SECRET), () -> "secret: " + each);
        assertFalse(each.toString().contains("status="), () -> "the query: " + each);
        assertTrue(waited(each) <= each.getDuration().toNanos(), () -> "more than whole: " + each);
      }
    }
  }

  @Rule("SI-02")
  default void eventOfCallGivenUp(Kit kit) throws Exception {
    URI server = kit.uri(Script.ok());
    try (RecordedCalls recorded = RecordedCalls.start()) {
      for (Standstill place : List.of(Standstill.HEAD, Standstill.BODY)) {
        Standing interrupted = new Standing(kit, place).start();
        interrupted.caller().thread().interrupt();
        interrupted.assertEnds(Failure.INTERRUPTED);
      }
      for (Standstill place : List.of(Standstill.HEAD, Standstill.BODY)) {
        new Standing(kit, place)
            .options(call -> call.deadline(DeadlineRules.TIME))
            .start()
            .assertEndsAfter(DeadlineRules.TIME, Failure.DEADLINE);
      }
      assertEquals(
          List.of("GET 0 interrupted", "GET 200 interrupted", "GET 0 timeout", "GET 200 timeout"),
          recorded.calls(server).stream().map(RecordedCalls::inShort).toList());
    }
  }

  @Rule("SI-03")
  default void eventOfCallCancelled(Kit kit) throws Exception {
    URI server = kit.uri(Script.ok());
    try (RecordedCalls recorded = RecordedCalls.start()) {
      for (Standstill place : List.of(Standstill.HEAD, Standstill.BODY)) {
        Standing cancelled = new Standing(kit, place).start();
        cancelled.call().cancel();
        cancelled.assertEnds(Failure.CANCELLED);
      }
      assertEquals(
          List.of("GET 0 cancelled", "GET 200 cancelled"),
          recorded.calls(server).stream().map(RecordedCalls::inShort).toList());
    }
  }

  @Rule("SI-04")
  default void whatACallHasWaitedFor(Kit kit) throws Exception {
    try (RecordedCalls recorded = RecordedCalls.start()) {
      Standing place = new Standing(kit, Standstill.LEASE).start();
      Thread.sleep(HELD_UP.toMillis());
      place.free();
      assertEquals(200, place.caller().result(Bounds.LONG));
      String host = "late" + System.nanoTime() + ".heddle.test"; // a JVM remembers names
      Client client = kit.open(kit.settings().lookup(asked -> lookUp(asked.equals(host))));
      URI name = kit.server().uri(host, Script.ok().body(10));
      kit.assertWhole(kit.execute(client, Call.get(name)), 200, 10);
      URI head = kit.server(Certificates.RIGHT, 100).uri(Script.ok().body(10).delay(HELD_UP));
      kit.assertWhole(kit.execute(client, Call.get(head)), 200, 10);

      List<RecordedEvent> waits = recorded.placeWaits(place.uri());
      assertTold(recorded.calls(place.uri()), "placeTime", "connectionTime");
      assertTold(recorded.calls(name), "nameTime", "connectionTime");
      assertTold(recorded.calls(head), "headTime", "headTime");
      boolean placeKnown = recorded.calls(place.uri()).get(0).getLong("placeTime") >= 0;
      assertTrue(
          !placeKnown || waits.stream().anyMatch(each -> isLong(each.getDuration().toNanos())),
          () -> "no event of the wait for a place: " + waits);
    }
  }

  @Rule("SI-05")
  default void whatAClientSaysOfItsCalls(Kit kit) throws Exception {
    for (Standstill place : Standstill.values()) {
      if (place == Standstill.HANDSHAKE && !kit.wire().isTls()) {
        continue;
      }
      Standing call = new Standing(kit, place).start();
      Thread caller = call.caller().thread();
      String said = call.client().describe();
      String line = lineOf(caller, said);
      assertTrue(isAt(place, line), () -> place + " is not what is told: " + said);
      assertFalse(said.contains("status="), () -> "the query: " + said);
      if (place == Standstill.LEASE) {
        assertTrue(said.contains("waiting for a place: 1"), () -> said);
      }
      if (place == Standstill.HEAD || place == Standstill.BODY) {
        assertTrue(said.contains("calls in flight: 1"), () -> said);
        assertTrue(line.contains("GET 127.0.0.1:"), () -> said);
      }
      caller.interrupt();
      call.assertEnds(Failure.INTERRUPTED);
      call.free();
      assertSaysNothing(kit, call.client());
    }
  }

  /** The one line that names this thread. */
  private static String lineOf(Thread caller, String said) {
    List<String> lines =
        said.lines().filter(each -> each.contains(", thread #" + caller.threadId() + " ")).toList();
    assertEquals(1, lines.size(), () -> "lines of thread #" + caller.threadId() + " in " + said);
    return lines.get(0);
  }

  /** Before the head a library may not tell one step from the next. */
  private static boolean isAt(Standstill place, String line) {
    List<String> words =
        switch (place) {
          case LEASE -> List.of("a place", "a connection");
          case LOOKUP -> List.of("a name", "a connection");
          case CONNECT, HANDSHAKE -> List.of("a connection", "the head");
          case EXPECTATION, UPLOAD, HEAD -> List.of("the head");
          case BODY -> List.of("the body");
        };
    return words.stream().anyMatch(each -> line.contains(" waits for " + each + ","));
  }

  private static void assertSaysNothing(Kit kit, Client client) {
    kit.assertIdle(client);
    String idle = "calls in flight: 0, waiting for a place: 0]";
    Bounds.await(
        Bounds.RELEASE,
        idle + " is all that the client says",
        () -> client.describe().endsWith(idle));
  }

  private static List<InetAddress> lookUp(boolean slowly) {
    long end = System.nanoTime() + HELD_UP.toNanos();
    while (slowly && System.nanoTime() < end) {
      Bounds.pause();
    }
    return List.of(InetAddress.getLoopbackAddress());
  }

  /** The time is told in its field, or, where the library does not tell it apart, in the next. */
  private static void assertTold(List<RecordedEvent> calls, String field, String next) {
    assertTrue(
        calls.stream()
            .anyMatch(each -> isLong(each.getLong(each.getLong(field) < 0 ? next : field))),
        () -> field + " of " + calls);
  }

  private static boolean isLong(long nanos) {
    return nanos >= HELD_UP_AT_LEAST.toNanos();
  }

  private static long waited(RecordedEvent call) {
    long nanos = 0;
    for (String each : List.of("place", "name", "connection", "head", "body")) {
      nanos += Math.max(0, call.getLong(each + "Time"));
    }
    return nanos;
  }

  /** Where nobody listens. */
  private static URI refused(Kit kit) throws Exception {
    try (ServerSocket free = new ServerSocket(0)) {
      return URI.create(kit.wire().scheme() + "://127.0.0.1:" + free.getLocalPort() + "/");
    }
  }
}
