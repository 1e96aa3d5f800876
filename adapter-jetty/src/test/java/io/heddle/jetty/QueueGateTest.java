package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.util.Promise;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Places in the queue of a destination that come, go and are given up at the same moment. */
@Timeout(60)
class QueueGateTest {

  private final BlockingJettyClient client = new BlockingJettyClient();
  private FaultServer server;

  @BeforeEach
  void start() {
    server = FaultServer.start(Wire.HTTP_1_1);
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
    server.close();
  }

  /** Seen to spin for ever: nobody could take a place while attempts to connect were ended. */
  @Test
  void whoSendsWhileAttemptsToConnectAreEndedIsServed() throws Exception {
    AtomicInteger lookups = new AtomicInteger();
    CountDownLatch lookedUp = new CountDownLatch(2);
    client.setSocketAddressResolver(
        (host, port, context, addresses) -> {
          lookedUp.countDown();
          if (lookups.incrementAndGet() > 2) { // the first two are never answered
            addresses.succeeded(
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
          }
        });
    client.start();
    URI uri = server.uri("host.heddle.test", Script.ok());
    Request unlucky = client.newRequest(uri);
    BlockingResponseListener within = new BlockingResponseListener();
    unlucky.send(new BlockingResponseListener());
    client
        .resolveDestination(unlucky)
        .newConnection(
            new Promise<Connection>() {
              @Override
              public void failed(Throwable cause) {
                client.newRequest(uri).send(within);
              }
            });
    lookedUp.await();
    Thread.ofVirtual().start(() -> unlucky.abort(new CancellationException("test")).join());
    assertEquals(200, within.get(10, TimeUnit.SECONDS).getStatus());
  }

  @Test
  void aTurnThatCameIsNotMissed() throws Exception {
    client.setQueueTimeout(Duration.ofMillis(1));
    client.start();
    JettyRequest request = (JettyRequest) client.newRequest(server.uri(Script.ok()));
    request.notifyBegin();
    assertFalse(request.turn().miss());
    assertEquals(null, request.getAbortCause());
  }

  @Test
  void aRequestThatMissedItsTurnIsNotSent() throws Exception {
    client.start();
    JettyRequest request = (JettyRequest) client.newRequest(server.uri(Script.ok()));
    assertTrue(request.turn().miss());
    request.notifyBegin();
    assertInstanceOf(TimeoutException.class, request.getAbortCause());
  }

  /** "No connection" was told of POSTs that the server had. */
  @Test
  void noConnectionIsToldOnlyOfWhatWasNotSent() throws Exception {
    client.setMaxConnectionsPerDestination(1);
    client.setQueueTimeout(Duration.ofMillis(20));
    client.start();
    AtomicInteger none = new AtomicInteger();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        calls.add(
            callers.submit(
                () -> {
                  for (int k = 0; k < 20; k++) {
                    URI uri = server.uri(Script.ok().delay(Duration.ofMillis(1)));
                    Request post = client.POST(uri).body(new BytesRequestContent(new byte[10]));
                    try {
                      assertEquals(200, post.send().getStatus());
                    } catch (TimeoutException e) {
                      none.incrementAndGet();
                      assertTrue(server.seen(uri).isEmpty(), "it was sent");
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> each : calls) {
        each.get();
      }
    }
    assertTrue(none.get() > 0, "no queue timeout to race with");
  }
}
