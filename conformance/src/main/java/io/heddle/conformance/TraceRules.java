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
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    String text = trace.toString();
    assertTrue(
        CALLERS.stream().anyMatch(text::contains), "the caller is not in the trace:\n" + text);
  }
}
