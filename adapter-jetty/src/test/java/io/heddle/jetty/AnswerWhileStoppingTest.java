package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.DuplexConnectionPool;
import org.eclipse.jetty.client.HttpClientTransport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A response that comes while the client stops. Jetty has forgotten by then how to follow a
 * redirect, and to decode, and has not closed the connection yet: callers were seen to get what the
 * server had sent, as if that were the answer.
 */
@Timeout(60)
class AnswerWhileStoppingTest {

  /** A pool that does not close its connections before it may. */
  private static final class SlowPool extends DuplexConnectionPool {
    private final CountDownLatch stopping;
    private final CountDownLatch mayStop;

    SlowPool(Destination destination, CountDownLatch stopping, CountDownLatch mayStop) {
      super(destination, 1);
      this.stopping = stopping;
      this.mayStop = mayStop;
    }

    @Override
    protected void doStop() throws Exception {
      stopping.countDown();
      assertTrue(mayStop.await(20, TimeUnit.SECONDS));
      super.doStop();
    }
  }

  @Test
  void isNoAnswer() throws Exception {
    CountDownLatch stopping = new CountDownLatch(1);
    CountDownLatch mayStop = new CountDownLatch(1);
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      HttpClientTransport transport = JettyClient.transport(Wire.HTTP_1_1);
      transport.setConnectionPoolFactory(each -> new SlowPool(each, stopping, mayStop));
      BlockingJettyClient client = new BlockingJettyClient(transport);
      client.start();
      URI redirect = server.uri(Script.answer(302).delay(Duration.ofSeconds(2)));
      Future<ContentResponse> answer = threads.submit(() -> client.GET(redirect));
      while (server.seen(redirect).isEmpty()) {
        Thread.sleep(2);
      }
      Future<?> stop =
          threads.submit(
              () -> {
                client.stop();
                return null;
              });
      assertTrue(stopping.await(20, TimeUnit.SECONDS));
      ExecutionException failed =
          assertThrows(ExecutionException.class, () -> answer.get(20, TimeUnit.SECONDS));
      assertInstanceOf(ExecutionException.class, failed.getCause());
      assertInstanceOf(ClosedChannelException.class, failed.getCause().getCause());
      ExecutionException refused =
          assertThrows(ExecutionException.class, () -> client.GET(server.uri(Script.ok())));
      assertInstanceOf(RejectedExecutionException.class, refused.getCause());
      mayStop.countDown();
      stop.get(20, TimeUnit.SECONDS);
    } finally {
      mayStop.countDown();
      threads.shutdownNow();
    }
  }
}
