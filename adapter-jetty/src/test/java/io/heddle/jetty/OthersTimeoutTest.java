package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Result;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A total timeout that is over just as its request has ended: Jetty aborts what its connection has
 * then, which was seen to be the next call, that had no timeout at all.
 */
@Timeout(60)
class OthersTimeoutTest {

  /** As the connection makes it; {@link JettyInternalsTest} sees that it does. */
  private static TimeoutException jettys() {
    TimeoutException timeout = new TimeoutException("Total timeout 0 ms elapsed");
    timeout.setStackTrace(
        new StackTraceElement[] {
          new StackTraceElement(
              "org.eclipse.jetty.client.transport.HttpConnection$RequestTimeouts",
              "onExpired",
              "HttpConnection.java",
              357)
        });
    return timeout;
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1,0", "HTTP_1_1,30", "H2C,0", "H2C,30"})
  void aRequestThatHasTimeGoesOn(Wire wire, long seconds) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      BlockingJettyClient client = new BlockingJettyClient(JettyClient.transport(wire));
      client.start();
      try {
        URI uri = server.uri(Script.ok().body(10).delay(Duration.ofMillis(500)));
        Request request = client.newRequest(uri).timeout(seconds, TimeUnit.SECONDS);
        BlockingResponseListener listener = new BlockingResponseListener();
        request.send(listener);
        while (server.seen(uri).isEmpty()) {
          Thread.sleep(5);
        }
        assertFalse(request.abort(jettys()).get(10, TimeUnit.SECONDS), "it was aborted");
        assertEquals(200, listener.get(10, TimeUnit.SECONDS).getStatus());
        assertEquals(10, listener.getInputStream().readAllBytes().length);
      } finally {
        client.stop();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aRequestThatHasNoneEnds(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      BlockingJettyClient client = new BlockingJettyClient(JettyClient.transport(wire));
      client.start();
      try {
        URI uri = server.uri(Script.ok().delay(Duration.ofSeconds(20)));
        CompletableFuture<Result> ended = new CompletableFuture<>();
        client.newRequest(uri).timeout(300, TimeUnit.MILLISECONDS).send(ended::complete);
        Throwable failure = ended.get(10, TimeUnit.SECONDS).getFailure();
        assertInstanceOf(TimeoutException.class, failure);
      } finally {
        client.stop();
      }
    }
  }
}
