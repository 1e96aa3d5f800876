package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * PA: paths that are dead or about to end, and what the server has said that it did not process.
 */
interface PathRules {

  /** Servers in the open take 100 or 1,000 requests on a connection; fewer show more, sooner. */
  int REQUESTS_PER_CONNECTION = 10;

  /** Also what each later call has, to connect and be answered on a busy machine. */
  Duration DEAD_PATH_TIMEOUT = Bounds.patient(Duration.ofSeconds(2));

  @Rule("PA-01")
  default void deadPathIsLeftAfterReadTimeout(Kit kit) throws Exception {
    assertLeftOnceDead(kit, Failure.READ_TIMEOUT, 1);
  }

  @Rule("PA-02")
  default void deadPathIsLeftAfterDeadline(Kit kit) throws Exception {
    assertLeftOnceDead(kit, Failure.DEADLINE, 20);
  }

  @Rule("PA-03")
  default void connectionsThatEndAfterSomeRequests(Kit kit) throws Exception {
    FaultServer server = kit.server(Certificates.RIGHT, 100);
    server.requestsPerConnection(REQUESTS_PER_CONNECTION);
    Client client = kit.open(kit.settings().maxConnections(60));
    List<Caller<Void>> callers = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      callers.add(kit.call(tenCalls(kit, client, server)));
    }
    for (Caller<Void> each : callers) {
      Bounds.await(Bounds.LONG, "all calls end", each::isDone);
    }
    long failed = callers.stream().filter(Caller::hasFailed).count();
    for (Caller<Void> each : callers) {
      if (each.hasFailed()) {
        Throwable first = each.failure(Bounds.PROMPT);
        throw new AssertionError(failed + " of 60 callers met a failure: " + first, first);
      }
    }
  }

  private static Callable<Void> tenCalls(Kit kit, Client client, FaultServer server) {
    return () -> {
      for (int i = 0; i < 10; i++) {
        kit.assertWorks(client, server);
      }
      return null;
    };
  }

  /**
   * A path that gives no sign of life costs the calls that are on it, and none that comes later.
   */
  private static void assertLeftOnceDead(Kit kit, Failure kind, int maxConnections)
      throws Exception {
    FaultServer server = kit.server(Certificates.RIGHT, 100);
    Duration time = kind == Failure.READ_TIMEOUT ? DEAD_PATH_TIMEOUT : DeadlineRules.TIME;
    ClientSettings.Builder settings = kit.settings().maxConnections(maxConnections);
    Client client =
        kit.open(settings.readTimeout(kind == Failure.READ_TIMEOUT ? time : FramingRules.NOT_LONG));
    kit.assertWorks(client, server);
    server.killPaths();
    URI uri = server.uri(Script.ok());
    Call.Builder call = Call.get(uri);
    if (kind == Failure.DEADLINE) {
      call.deadline(time);
    }
    Caller<Integer> caller = kit.call(() -> kit.execute(client, call).status());
    // A library that looks once in a read timeout whether it is over may take two.
    kit.assertExpected(kind, caller.failure(time.multipliedBy(2).plus(Bounds.PROMPT)));
    kit.assertIdle(client);
    for (int i = 0; i < 3; i++) {
      Caller<@Nullable Void> next =
          kit.call(
              () -> {
                kit.assertWorks(client, server);
                return null;
              });
      next.result(Bounds.LONG);
    }
    assertEquals(List.of(), server.seen(uri), "the dead path brought a request");
  }
}
