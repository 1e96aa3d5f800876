package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * That calls fail as Jetty's own do: each test makes the same call with Jetty's classes and with
 * ours, and wants the same exception, of exactly these classes.
 */
@Timeout(60)
class ContractTest {

  private FaultServer server;

  /** A call that blocks. */
  private interface Blocking {
    void run(HttpClient client, Kind kind) throws Exception;
  }

  @BeforeEach
  void start() {
    server = FaultServer.start(Wire.HTTP_1_1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static void assertFails(Class<? extends Throwable> expected, Blocking call)
      throws Exception {
    assertFails(expected, null, call);
  }

  /** Fails with exactly these classes, whichever client makes the call. */
  private static void assertFails(
      Class<? extends Throwable> expected,
      @Nullable Class<? extends Throwable> cause,
      Blocking call)
      throws Exception {
    for (Kind kind : Kind.values()) {
      HttpClient client = kind.client();
      client.setConnectTimeout(5_000);
      client.start();
      try {
        CompletableFuture<@Nullable Throwable> ended = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> ended.complete(failureOf(call, client, kind)));
        Throwable failure = ended.get(20, TimeUnit.SECONDS);
        assertNotNull(failure, kind + " succeeds");
        assertEquals(expected, failure.getClass(), () -> kind + ": " + failure);
        if (cause != null) {
          Throwable why = Objects.requireNonNull(failure.getCause());
          assertEquals(cause, why.getClass(), () -> kind + ": " + failure);
        }
      } finally {
        client.stop();
      }
    }
  }

  private static @Nullable Throwable failureOf(Blocking call, HttpClient client, Kind kind) {
    try {
      call.run(client, kind);
      return null;
    } catch (Throwable t) {
      assertFalse(Thread.currentThread().isInterrupted(), "an exception that clears the flag");
      return t;
    }
  }

  private Request stalled(HttpClient client) {
    return client.newRequest(server.uri(Script.ok().fault(Fault.STALL)));
  }

  private static void interruptSoon() {
    Thread caller = Thread.currentThread();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                Thread.sleep(300);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              caller.interrupt();
            });
  }

  @Test
  void aTotalTimeoutThatIsOver() throws Exception {
    assertFails(
        TimeoutException.class,
        (client, kind) -> stalled(client).timeout(200, TimeUnit.MILLISECONDS).send());
  }

  @Test
  void anIdleTimeoutThatIsOver() throws Exception {
    assertFails(
        TimeoutException.class,
        (client, kind) -> stalled(client).idleTimeout(200, TimeUnit.MILLISECONDS).send());
  }

  @Test
  void anInterrupt() throws Exception {
    assertFails(
        InterruptedException.class,
        (client, kind) -> {
          interruptSoon();
          stalled(client).send();
        });
  }

  private static void abortSoon(Request request, Throwable cause) {
    CompletableFuture<Boolean> unused =
        CompletableFuture.supplyAsync(
                () -> request, CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS))
            .thenCompose(each -> each.abort(cause));
  }

  @Test
  void anAbort() throws Exception {
    assertFails(
        ExecutionException.class,
        IOException.class,
        (client, kind) -> {
          Request request = stalled(client);
          abortSoon(request, new IOException("test"));
          request.send();
        });
  }

  /** The one failure, besides a timeout, that {@code send()} does not wrap. */
  @Test
  void anAbortThatIsACancellation() throws Exception {
    assertFails(
        CancellationException.class,
        (client, kind) -> {
          Request request = stalled(client);
          abortSoon(request, new CancellationException("test"));
          request.send();
        });
  }

  @Test
  void aListenerWhoseRequestIsCancelled() throws Exception {
    assertFails(
        ExecutionException.class,
        CancellationException.class,
        (client, kind) -> {
          InputStreamResponseListener listener = kind.listener();
          Request request = stalled(client);
          request.send(listener);
          abortSoon(request, new CancellationException("test"));
          listener.get(10, TimeUnit.SECONDS);
        });
  }

  @Test
  void aPortThatNobodyListensAt() throws Exception {
    int port;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = closed.getLocalPort();
    }
    assertFails(
        ExecutionException.class,
        java.net.ConnectException.class,
        (client, kind) -> client.GET("http://127.0.0.1:" + port + "/"));
  }

  @Test
  void aConnectionThatIsClosedBeforeTheHead() throws Exception {
    assertFails(
        ExecutionException.class,
        (client, kind) ->
            client
                .POST(server.uri(Script.ok().fault(Fault.CLOSE)))
                .body(new BytesRequestContent(new byte[10]))
                .send());
  }

  @Test
  void whatIsNotHttp() throws Exception {
    assertFails(
        ExecutionException.class,
        org.eclipse.jetty.client.HttpResponseException.class,
        (client, kind) -> client.GET(server.uri(Script.ok().fault(Fault.GARBAGE))));
  }

  @Test
  void aClientThatIsStopped() throws Exception {
    assertFails(
        ExecutionException.class,
        (client, kind) -> {
          URI uri = server.uri(Script.ok());
          client.stop();
          client.GET(uri);
        });
  }

  @Test
  void aListenerWhosePatienceIsOver() throws Exception {
    assertFails(
        TimeoutException.class,
        (client, kind) -> {
          InputStreamResponseListener listener = kind.listener();
          stalled(client).send(listener);
          listener.get(200, TimeUnit.MILLISECONDS);
        });
  }

  @Test
  void aListenerWhoseTotalTimeoutIsOver() throws Exception {
    assertFails(
        ExecutionException.class,
        TimeoutException.class,
        (client, kind) -> {
          InputStreamResponseListener listener = kind.listener();
          stalled(client).timeout(200, TimeUnit.MILLISECONDS).send(listener);
          listener.get(10, TimeUnit.SECONDS);
        });
  }

  @Test
  void aListenerThatIsInterrupted() throws Exception {
    assertFails(
        InterruptedException.class,
        (client, kind) -> {
          InputStreamResponseListener listener = kind.listener();
          stalled(client).send(listener);
          interruptSoon();
          listener.get(10, TimeUnit.SECONDS);
        });
  }

  @Test
  void aBodyThatIsCut() throws Exception {
    assertFails(
        java.io.EOFException.class,
        (client, kind) -> {
          InputStreamResponseListener listener = kind.listener();
          client
              .newRequest(server.uri(Script.ok().body(10_000).fault(Fault.CLOSE, 1_000)))
              .send(listener);
          try {
            listener.getInputStream().readAllBytes();
          } catch (IOException e) { // Jetty wraps it, ours is of its class
            throw e instanceof java.io.EOFException ? e : (Exception) e.getCause();
          }
        });
  }

  @Test
  void whatIsNull() throws Exception {
    assertFails(NullPointerException.class, (client, kind) -> client.newRequest((URI) null));
    assertFails(NullPointerException.class, (client, kind) -> stalled(client).timeout(1, null));
    assertFails(
        NullPointerException.class,
        (client, kind) -> {
          CompletableFuture<Boolean> unused = stalled(client).abort(null);
        });
  }
}
