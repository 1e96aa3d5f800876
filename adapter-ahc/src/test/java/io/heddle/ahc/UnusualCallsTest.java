package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.File;
import java.io.IOException;
import java.net.SocketException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.asynchttpclient.AsyncCompletionHandler;
import org.asynchttpclient.AsyncCompletionHandlerBase;
import org.asynchttpclient.AsyncHandler;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.asynchttpclient.exception.FilterException;
import org.asynchttpclient.filter.FilterContext;
import org.asynchttpclient.filter.RequestFilter;
import org.asynchttpclient.filter.ThrottleRequestFilter;
import org.asynchttpclient.request.body.generator.BodyGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a user may try, and the kit does not. */
@Timeout(60)
class UnusualCallsTest {

  private final FaultServer server = FaultServer.start(Wire.HTTP_1_1);
  private BlockingAhcClient client = client(Dsl.config());

  private static BlockingAhcClient client(DefaultAsyncHttpClientConfig.Builder config) {
    return new BlockingAhcClient(config.build());
  }

  private void config(DefaultAsyncHttpClientConfig.Builder config) {
    client.close();
    client = client(config);
  }

  @BeforeEach
  void works() throws Exception {
    assertEquals(200, client.execute(ok()).getStatusCode());
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    assertEquals(0, client.inFlight());
    client.close();
    server.close();
  }

  private Request ok() {
    return Dsl.get(server.uri(Script.ok()).toString()).build();
  }

  private Request stalled() {
    return Dsl.get(server.uri(Script.ok().fault(Fault.STALL)).toString()).build();
  }

  // ---- requests that cannot be sent -----------------------------------------------------------

  @Test
  void fileThatIsNone() throws Exception {
    config(Dsl.config().setMaxConnections(1));
    URI uri = server.uri(Script.ok());
    Request request = Dsl.post(uri.toString()).setBody(new File("/no/such/file")).build();
    for (int i = 0; i < 3; i++) {
      assertThrows(IllegalArgumentException.class, () -> client.execute(request));
      ExecutionException failure =
          assertThrows(ExecutionException.class, client.executeRequest(request)::get);
      assertInstanceOf(IllegalArgumentException.class, failure.getCause());
    }
    assertTrue(server.seen(uri).isEmpty(), "nothing is sent");
    assertEquals(200, client.execute(ok()).getStatusCode(), "and no place is lost");
  }

  @Test
  void generatorThatThrows() throws Exception {
    config(Dsl.config().setMaxConnections(1));
    BodyGenerator broken =
        () -> {
          throw new IllegalStateException("no body");
        };
    Request request = Dsl.post(server.uri(Script.ok()).toString()).setBody(broken).build();
    assertThrows(IllegalStateException.class, () -> client.execute(request));
    assertThrows(ExecutionException.class, client.executeRequest(request)::get);
    assertEquals(200, client.execute(ok()).getStatusCode());
  }

  @Test
  void filterThatRefuses() throws Exception {
    config(
        Dsl.config()
            .addRequestFilter(
                new RequestFilter() {
                  @Override
                  public <T> FilterContext<T> filter(FilterContext<T> context)
                      throws FilterException {
                    throw new FilterException("refused");
                  }
                }));
    IOException failure = assertThrows(IOException.class, () -> client.execute(ok()));
    assertInstanceOf(FilterException.class, failure.getCause());
    assertThrows(ExecutionException.class, client.executeRequest(ok())::get);
  }

  @Test
  @SuppressWarnings("NullAway")
  void nulls() {
    Request none = null;
    AsyncHandler<Response> noHandler = null;
    Duration noTime = null;
    assertThrows(NullPointerException.class, () -> client.execute(none));
    assertThrows(NullPointerException.class, () -> client.stream(none));
    assertThrows(NullPointerException.class, () -> client.execute(ok(), noTime));
    assertThrows(NullPointerException.class, () -> client.executeRequest(ok(), noHandler));
    assertThrows(NullPointerException.class, () -> new BlockingAhcClient(null));
    assertThrows(NullPointerException.class, () -> new WrittenBody(null));
  }

  // ---- time -----------------------------------------------------------------------------------

  @Test
  void timesAtTheirEnds() throws Exception {
    URI uri = server.uri(Script.ok());
    Request request = Dsl.get(uri.toString()).build();
    assertThrows(DeadlineExceededException.class, () -> client.execute(request, Duration.ZERO));
    assertThrows(DeadlineExceededException.class, () -> client.stream(request, Duration.ZERO));
    assertThrows(
        IllegalArgumentException.class, () -> client.execute(request, Duration.ofNanos(-1)));
    assertTrue(server.seen(uri).isEmpty(), "nothing is sent");
    Duration centuries = Duration.ofSeconds(Long.MAX_VALUE);
    assertEquals(200, client.execute(request, centuries).getStatusCode());
    assertEquals(
        200, client.executeRequest(request).get(Long.MAX_VALUE, TimeUnit.DAYS).getStatusCode());
  }

  /** To give up waiting is to give up the request, however short the wait. */
  @Test
  void getWithNoTimeCancels() {
    ListenableFuture<Response> future = client.executeRequest(stalled());
    assertThrows(TimeoutException.class, () -> future.get(-1, TimeUnit.SECONDS));
    assertTrue(future.isCancelled());
  }

  // ---- interrupt, cancel, close ---------------------------------------------------------------

  @Test
  void interruptedBefore() {
    URI uri = server.uri(Script.ok());
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> client.execute(Dsl.get(uri.toString()).build()));
    assertFalse(Thread.interrupted());
    assertTrue(server.seen(uri).isEmpty(), "nothing is sent");
  }

  @Test
  void callIsExecutedOnce() throws Exception {
    AhcCall call = client.newCall(ok());
    assertEquals(200, call.execute().getStatusCode());
    assertThrows(IllegalStateException.class, call::execute);
    call.cancel(); // after its end
    AhcCall cancelled = client.newCall(ok());
    cancelled.cancel();
    assertThrows(SocketException.class, cancelled::stream);
  }

  /** A handler that fails when it is told of the end keeps neither the others nor the client. */
  @Test
  void handlerThatThrowsWhenTheClientIsClosed() throws Exception {
    List<ListenableFuture<Response>> futures = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      futures.add(
          client.executeRequest(
              stalled(),
              new AsyncCompletionHandlerBase() {
                @Override
                public void onThrowable(Throwable t) {
                  throw new AssertionError("not expected here", t);
                }
              }));
    }
    client.close();
    for (ListenableFuture<Response> each : futures) {
      ExecutionException failure =
          assertThrows(ExecutionException.class, () -> each.get(5, TimeUnit.SECONDS));
      assertInstanceOf(SocketException.class, failure.getCause());
    }
  }

  @Test
  void closedClient() throws Exception {
    client.close();
    client.close();
    assertTrue(client.isClosed());
    assertThrows(IllegalStateException.class, () -> client.execute(ok()));
    ExecutionException failure =
        assertThrows(ExecutionException.class, client.executeRequest(ok())::get);
    assertInstanceOf(IllegalStateException.class, failure.getCause());
  }

  // ---- user code ------------------------------------------------------------------------------

  @Test
  void handlerRunsOnAnEventLoopAndMustNotWaitThere() throws Exception {
    CompletableFuture<Throwable> blocked = new CompletableFuture<>();
    ListenableFuture<Thread> future =
        client.executeRequest(
            ok(),
            new AsyncCompletionHandler<Thread>() {
              @Override
              public Thread onCompleted(Response response) {
                blocked.complete(assertThrows(Throwable.class, () -> client.execute(ok())));
                return Thread.currentThread();
              }
            });
    assertInstanceOf(AhcIoThread.class, future.get());
    assertInstanceOf(IllegalStateException.class, blocked.get());
  }

  /** But it may start another request there. */
  @Test
  void handlerStartsAnotherRequest() throws Exception {
    Request second = ok();
    CompletableFuture<ListenableFuture<Response>> started = new CompletableFuture<>();
    client
        .executeRequest(
            ok(),
            new AsyncCompletionHandler<Boolean>() {
              @Override
              public Boolean onCompleted(Response response) {
                return started.complete(client.executeRequest(second));
              }
            })
        .get();
    assertEquals(200, started.get().get().getStatusCode());
  }

  @Test
  void signatureIsCalculatedOnTheCallersThread() throws Exception {
    AtomicReference<Thread> on = new AtomicReference<>();
    URI uri = server.uri(Script.ok());
    client.setSignatureCalculator(
        (request, builder) -> {
          on.set(Thread.currentThread());
          builder.setHeader("X-Signature", "warp");
        });
    assertEquals(200, client.prepareGet(uri.toString()).execute().get().getStatusCode());
    assertSame(Thread.currentThread(), on.get());
    assertEquals("warp", server.seen(uri).get(0).header("x-signature"));
  }

  /** It wraps the handler that the engine gets. */
  @Test
  void throttledCalls() throws Exception {
    config(Dsl.config().addRequestFilter(new ThrottleRequestFilter(1)));
    for (int i = 0; i < 3; i++) {
      assertEquals(200, client.execute(ok()).getStatusCode());
      assertEquals(200, client.executeRequest(ok()).get().getStatusCode());
      try (StreamingResponse response = client.stream(ok())) {
        assertEquals(-1, response.getBodyAsStream().read());
      }
    }
  }
}
