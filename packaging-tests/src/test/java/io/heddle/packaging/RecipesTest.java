package io.heddle.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.resilience4j.timelimiter.TimeLimiter;
import io.heddle.apache.BlockingConnectionManager;
import io.heddle.apache.BlockingHttpClients;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.BasicHttpClientResponseHandler;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What docs/recipes.md says, where running its code does not show it. */
@Timeout(60)
class RecipesTest {

  @Test
  void aTimeLimiterThatCancelsEndsTheCall() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingConnectionManager manager = BlockingConnectionManager.builder().build();
        CloseableHttpClient client =
            BlockingHttpClients.custom().setConnectionManager(manager).build();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      client.execute(new HttpGet(server.uri(Script.ok())), new BasicHttpClientResponseHandler());
      URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
      TimeLimiter limiter = TimeLimiter.of(Duration.ofSeconds(4)); // the request has left by then

      assertThrows(
          TimeoutException.class,
          () ->
              limiter.executeFutureSupplier(
                  () ->
                      callers.submit(
                          () ->
                              client.execute(
                                  new HttpGet(uri), new BasicHttpClientResponseHandler()))));

      callers.shutdown();
      assertTrue(callers.awaitTermination(30, TimeUnit.SECONDS));
      assertEquals(0, manager.getTotalStats().getLeased());
      for (int i = 0; i < 300 && !server.seen(uri).getFirst().isAborted(); i++) {
        Thread.sleep(100);
      }
      assertTrue(server.seen(uri).getFirst().isAborted(), "the server sees the abort");
    }
  }
}
