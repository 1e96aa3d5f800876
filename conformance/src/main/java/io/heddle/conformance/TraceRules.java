package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** TR: the caller's stack is in the trace. */
interface TraceRules {

  /** The kit's methods that call into the library, one of which must be found in the trace. */
  List<String> CALLERS =
      List.of("TraceRules.makeCall(", "Standing.run(", "FailureRules.assertBreaks(");

  @Rule("TR-01")
  default void traceOfFailedConnection(Kit kit) throws Exception {
    NameLookup lookup =
        host -> {
          if (host.startsWith("nowhere")) {
            throw new UnknownHostException(host);
          }
          return List.of(InetAddress.getLoopbackAddress());
        };
    Client client = kit.open(kit.settings().lookup(lookup));
    URI nowhere = kit.server().uri("nowhere.heddle.test", Script.ok());
    assertShowsCaller(failureOf(kit, client, Call.get(nowhere)));
    URI nobody;
    try (ServerSocket listener = new ServerSocket(0)) {
      nobody = URI.create(kit.wire().scheme() + "://127.0.0.1:" + listener.getLocalPort() + "/");
    }
    assertShowsCaller(failureOf(kit, client, Call.get(nobody)));
  }

  @Rule("TR-02")
  default void traceOfTimeouts(Kit kit) throws Exception {
    Map<Standing, Failure> calls = new LinkedHashMap<>();
    for (Standstill place : List.of(Standstill.HEAD, Standstill.BODY)) {
      calls.put(
          new Standing(kit, place).settings(client -> client.readTimeout(DeadlineRules.TIME)),
          Failure.READ_TIMEOUT);
    }
    calls.put(
        new Standing(kit, Standstill.CONNECT)
            .settings(client -> client.connectTimeout(DeadlineRules.TIME)),
        Failure.CONNECT_TIMEOUT);
    Standing lease =
        new Standing(kit, Standstill.LEASE)
            .settings(client -> client.leaseTimeout(DeadlineRules.TIME));
    calls.put(lease, Failure.LEASE_TIMEOUT);
    assertTimeoutsShowCaller(calls);
    lease.free();
  }

  @Rule("TR-03")
  default void traceOfDeadline(Kit kit) throws Exception {
    Map<Standing, Failure> calls = new LinkedHashMap<>();
    for (Standstill place : List.of(Standstill.UPLOAD, Standstill.HEAD, Standstill.BODY)) {
      calls.put(
          new Standing(kit, place).options(call -> call.deadline(DeadlineRules.TIME)),
          Failure.DEADLINE);
    }
    assertTimeoutsShowCaller(calls);
  }

  @Rule("TR-04")
  default void traceOfInterruptAndCancel(Kit kit) throws Exception {
    for (Standstill place : List.of(Standstill.UPLOAD, Standstill.HEAD, Standstill.BODY)) {
      Standing interrupted = new Standing(kit, place).start();
      interrupted.caller().thread().interrupt();
      assertShowsCaller(interrupted.assertEnds(Failure.INTERRUPTED));
      Standing cancelled = new Standing(kit, place).start();
      cancelled.call().cancel();
      assertShowsCaller(cancelled.assertEnds(Failure.CANCELLED));
    }
  }

  @Rule("TR-05")
  default void traceOfReset(Kit kit) throws Exception {
    Client client = kit.open();
    Script script = Script.ok().body(10_000);
    URI beforeHead = kit.uri(script.fault(Script.Fault.RESET));
    assertShowsCaller(failureOf(kit, client, Call.get(beforeHead)));
    URI inBody = kit.uri(script.fault(Script.Fault.RESET, 5000));
    assertShowsCaller(failureOf(kit, client, Call.get(inBody)));
  }

  @Rule("TR-06")
  default void traceOfClose(Kit kit) throws Exception {
    Standing call = new Standing(kit, Standstill.HEAD).start();
    kit.assertCloses(call.client());
    assertShowsCaller(call.assertEnds(Failure.CLOSED));
  }

  @Rule("TR-07")
  default void traceOfWhatManyShare(Kit kit) throws Exception {
    CountDownLatch bothWait = new CountDownLatch(1);
    kit.closing(bothWait::countDown); // in case the rule fails
    NameLookup lookup =
        host -> {
          if (!host.startsWith("nowhere")) {
            return List.of(InetAddress.getLoopbackAddress());
          }
          try {
            bothWait.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          throw new UnknownHostException(host);
        };
    Client client = kit.open(kit.settings().lookup(lookup).maxConnections(2));
    URI nowhere = kit.server().uri("nowhere.heddle.test", Script.ok());
    assertEachHasItsOwn(kit, client, nowhere, nowhere, bothWait::countDown);
    if (kit.wire().isMultiplexed()) {
      FaultServer server = kit.server();
      // A library may have one exception for all of a connection that is reset, and none for one
      // that is closed.
      for (Runnable end : List.<Runnable>of(server::closeConnections, server::resetConnections)) {
        Client shared = kit.open(kit.settings().maxConnections(1));
        kit.assertWorks(shared);
        URI one = kit.uri(Script.ok().fault(Script.Fault.STALL));
        URI another = kit.uri(Script.ok().fault(Script.Fault.STALL));
        Runnable breakIt =
            () -> {
              kit.seen(one);
              kit.seen(another);
              end.run();
            };
        assertEachHasItsOwn(kit, shared, one, another, breakIt);
      }
    }
  }

  /** Two callers meet one failure; the trace of each shows that caller, and not the other. */
  private static void assertEachHasItsOwn(
      Kit kit, Client client, URI one, URI another, Runnable breakIt) {
    // POST, so that neither may be sent again.
    Body body = new Body.Writer(Contents.writer(100));
    Caller<Long> first = kit.call(() -> oneCaller(kit, client, Call.post(one, body)));
    Caller<Long> second = kit.call(() -> anotherCaller(kit, client, Call.post(another, body)));
    first.awaitWaiting();
    second.awaitWaiting();
    breakIt.run();
    Throwable ofFirst = first.failure(Bounds.LONG);
    Throwable ofSecond = second.failure(Bounds.LONG);
    // Looked at when both have theirs.
    assertShows("oneCaller(", "anotherCaller(", ownText(ofFirst));
    assertShows("anotherCaller(", "oneCaller(", ownText(ofSecond));
  }

  private static void assertShows(String own, String others, String trace) {
    assertTrue(trace.contains("TraceRules." + own), "the caller is not in the trace:\n" + trace);
    assertTrue(
        !trace.contains("TraceRules." + others), "another caller is in the trace:\n" + trace);
  }

  private static long oneCaller(Kit kit, Client client, Call.Builder call) throws Exception {
    return makeCall(kit, client, call);
  }

  private static long anotherCaller(Kit kit, Client client, Call.Builder call) throws Exception {
    return makeCall(kit, client, call);
  }

  /** Makes a call that fails, from {@link #makeCall}. */
  static Throwable failureOf(Kit kit, Client client, Call.Builder call) {
    return kit.call(() -> makeCall(kit, client, call)).failure(Bounds.LONG);
  }

  private static long makeCall(Kit kit, Client client, Call.Builder call) throws Exception {
    try (Reply reply = kit.execute(client, call)) {
      return Contents.check(reply.body());
    }
  }

  /** The times of all these calls run together. */
  private static void assertTimeoutsShowCaller(Map<Standing, Failure> calls) throws Exception {
    for (Standing each : calls.keySet()) {
      each.start();
    }
    for (Map.Entry<Standing, Failure> each : calls.entrySet()) {
      assertShowsCaller(each.getKey().assertEndsAfter(DeadlineRules.TIME, each.getValue()));
    }
  }

  /** A frame of the caller's own code is in what {@code printStackTrace} prints. */
  static void assertShowsCaller(Throwable failure) {
    String text = text(failure);
    assertTrue(
        CALLERS.stream().anyMatch(text::contains), "the caller is not in the trace:\n" + text);
  }

  /** Without its causes, which callers may share. */
  private static String ownText(Throwable failure) {
    StringBuilder text = new StringBuilder(failure.toString());
    for (StackTraceElement each : failure.getStackTrace()) {
      text.append("\n\tat ").append(each);
    }
    for (Throwable each : failure.getSuppressed()) {
      text.append('\n').append(ownText(each));
    }
    return text.toString();
  }

  private static String text(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    return trace.toString();
  }
}
