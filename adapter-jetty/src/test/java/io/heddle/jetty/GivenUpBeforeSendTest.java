package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpConversation;
import org.eclipse.jetty.client.transport.HttpExchange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A request that is given up before it has an exchange: Jetty then tells nobody. Its writer was
 * seen to wait for ever, and one whose listener was closed was seen to be sent.
 */
@Timeout(60)
class GivenUpBeforeSendTest {

  private final BlockingJettyClient client = new BlockingJettyClient();
  private final BlockingRequestContent content = new BlockingRequestContent();
  private final BlockingResponseListener listener = new BlockingResponseListener();
  private FaultServer server;
  private URI uri;

  @BeforeEach
  void start() {
    server = FaultServer.start(Wire.HTTP_1_1);
    uri = server.uri(Script.ok());
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
    server.close();
  }

  /** The failure that a writer gets who would write for ever. */
  private IOException failureOfWriter() throws Exception {
    CompletableFuture<Throwable> failed = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                for (; ; ) {
                  content.getOutputStream().write(new byte[64 * 1024]);
                }
              } catch (Throwable t) {
                failed.complete(t);
              }
            });
    return assertInstanceOf(IOException.class, failed.get(10, TimeUnit.SECONDS));
  }

  private void assertNothingSent() throws Exception {
    assertEquals(200, client.GET(server.uri(Script.ok())).getStatus()); // by now it would be there
    assertTrue(server.seen(uri).isEmpty());
  }

  private Request post() {
    return client.POST(uri).body(content);
  }

  @Test
  void abortedBeforeSend() throws Exception {
    client.start();
    CancellationException cause = new CancellationException("test");
    Request request = post();
    request.abort(cause).join();
    request.send(listener);
    assertSame(cause, failureOfWriter().getCause());
    assertSame(
        cause,
        assertThrows(ExecutionException.class, () -> listener.get(10, TimeUnit.SECONDS))
            .getCause());
    assertNothingSent();
  }

  @Test
  void abortedBeforeItHasABody() throws Exception {
    client.start();
    CancellationException cause = new CancellationException("test");
    Request request = client.POST(uri);
    request.abort(cause).join();
    request.body(content).send(listener);
    assertSame(cause, failureOfWriter().getCause());
    assertNothingSent();
  }

  /** Jetty has an exchange, and does not know yet whom to tell: it threw, and the caller waited. */
  @Test
  void abortedWhileItIsSent() throws Exception {
    client.start();
    CancellationException cause = new CancellationException("test");
    CompletableFuture<Request> made = new CompletableFuture<>();
    HttpConversation conversation =
        new HttpConversation() {
          @Override
          public void updateResponseListeners(Response.@Nullable Listener override) {
            made.join().abort(cause).join();
            super.updateResponseListeners(override);
          }
        };
    made.complete(new JettyRequest(client, conversation, uri));
    made.join().send(listener);
    assertSame(
        cause,
        assertThrows(ExecutionException.class, () -> listener.get(10, TimeUnit.SECONDS))
            .getCause());
    assertNothingSent();
  }

  /** Jetty tells of what comes of that, and may be first: a call said "could not associate". */
  @Test
  void whoGivesUpFirstIsTold() throws Exception {
    client.start();
    URI stalled = server.uri(Script.ok().fault(Fault.STALL));
    CancellationException cause = new CancellationException("test");
    CompletableFuture<Request> made = new CompletableFuture<>();
    Thread aborts = Thread.currentThread();
    AtomicInteger looks = new AtomicInteger();
    HttpConversation conversation =
        new HttpConversation() {
          @Override
          public Deque<HttpExchange> getExchanges() { // twice by Heddle, and then within the abort
            if (Thread.currentThread().equals(aborts) && looks.incrementAndGet() == 3) {
              made.join().abort(new IOException("of the end that this brings")).join();
            }
            return super.getExchanges();
          }
        };
    made.complete(new JettyRequest(client, conversation, stalled));
    FutureTask<ContentResponse> call = new FutureTask<>(() -> made.join().send());
    Thread.ofVirtual().start(call);
    while (server.seen(stalled).isEmpty()) {
      Thread.sleep(1);
    }
    made.join().abort(cause).join();
    assertSame(cause, assertThrows(ExecutionException.class, call::get).getCause());
  }

  @Test
  void abortedAndNeverSent() throws Exception {
    client.start();
    CancellationException cause = new CancellationException("test");
    post().abort(cause).join();
    assertSame(cause, failureOfWriter().getCause());
  }

  @Test
  void interruptedBeforeSend() throws Exception {
    client.start();
    Thread.currentThread().interrupt();
    post().send(listener);
    assertTrue(Thread.interrupted());
    failureOfWriter();
    assertNothingSent();
  }

  @Test
  void noPlaceInTheQueue() throws Exception {
    client.setMaxConnectionsPerDestination(1);
    client.setMaxRequestsQueuedPerDestination(1);
    client.setQueueTimeout(Duration.ofMillis(200));
    client.start();
    URI stalled = server.uri(Script.ok().fault(Fault.STALL));
    for (int i = 0; i < 2; i++) { // one has the connection, one is queued
      client.newRequest(stalled).send(new BlockingResponseListener());
    }
    post().send(listener);
    failureOfWriter();
    assertTrue(server.seen(uri).isEmpty());
  }

  @Test
  void noDestinationToBeHad() throws Exception {
    client.setMaxDestinations(1);
    client.start();
    assertEquals(200, client.GET(server.uri(Script.ok())).getStatus());
    client.POST(server.uri("localhost", Script.ok())).body(content).send(listener);
    failureOfWriter();
  }

  @Test
  void theListenerIsClosed() throws Exception {
    client.start();
    listener.close();
    post().send(listener);
    failureOfWriter();
    assertThrows(ExecutionException.class, () -> listener.get(10, TimeUnit.SECONDS));
    assertNothingSent();
  }

  @Test
  void theStreamIsClosed() throws Exception {
    client.start();
    listener.getInputStream().close();
    client.newRequest(uri).send(listener);
    assertThrows(ExecutionException.class, () -> listener.get(10, TimeUnit.SECONDS));
    assertNothingSent();
  }
}
