package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many platform threads a client keeps for its calls: stock one for each piece of work. */
@Timeout(120)
class ThreadCountTest {

  private static final int CALLS = 200;

  /** On two cores ours makes 20 to 28, most of them to open the connections, stock 69 to 199. */
  private static final int FEW = 50;

  private static final int BURSTS = 10;

  /** Stock may be given more: how many threads a burst takes is chance, and they stay. */
  private static final int MOST = 100;

  private static void callAtOnce(HttpClient client, FaultServer server) throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        Script script = Script.ok().body(1000).delay(Duration.ofMillis(50));
        calls.add(callers.submit(() -> client.GET(server.uri(script)).getStatus()));
      }
      for (Future<Integer> each : calls) {
        assertEquals(200, each.get(30, TimeUnit.SECONDS));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void fewThreadsServeManyCalls(Kind kind) throws Exception {
    HttpClient client = kind.client();
    client.setMaxConnectionsPerDestination(CALLS);
    client.start();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      int threads = 0;
      for (int i = 0; i < BURSTS || (kind == Kind.STOCK && i < MOST && threads <= FEW); i++) {
        callAtOnce(client, server);
        threads = ((QueuedThreadPool) client.getExecutor()).getThreads();
      }
      assertTrue(
          kind == Kind.HEDDLE ? threads <= FEW : threads > FEW, threads + " platform threads");
    } finally {
      client.stop();
    }
  }
}
