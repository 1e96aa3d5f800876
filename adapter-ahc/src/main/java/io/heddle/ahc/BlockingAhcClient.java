package io.heddle.ahc;

import io.heddle.CallsInFlight;
import io.heddle.core.CallEvent;
import io.heddle.core.CallReport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.asynchttpclient.AsyncCompletionHandlerBase;
import org.asynchttpclient.AsyncHandler;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.BoundRequestBuilder;
import org.asynchttpclient.ClientStats;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilder;
import org.asynchttpclient.Response;
import org.asynchttpclient.SignatureCalculator;
import org.asynchttpclient.ws.WebSocketUpgradeHandler;
import org.jspecify.annotations.Nullable;

/**
 * An {@code AsyncHttpClient} for code that blocks, on AHC's own Netty engine. It replaces the
 * client that {@code Dsl.asyncHttpClient(config)} creates.
 *
 * <pre>{@code
 * try (BlockingAhcClient client = new BlockingAhcClient(Dsl.config().build())) {
 *   Response whole = client.execute(Dsl.get(url).build());
 *   Response inTime = client.execute(Dsl.get(url).build(), Duration.ofSeconds(2));
 *   try (StreamingResponse response = client.stream(Dsl.get(url).build())) {
 *     response.getBodyAsStream().transferTo(file);
 *   }
 *   Response asAlways = client.prepareGet(url).execute().get();
 * }
 * }</pre>
 *
 * <p>Any thread may use it, virtual or platform.
 *
 * <h2>Futures</h2>
 *
 * A {@code get()} that is interrupted, or a {@code get(timeout)} that times out, cancels the
 * request, and the server sees that. To wait without cancelling, use {@code isDone()} or {@code
 * toCompletableFuture()}. A future fails with AHC's exceptions. {@link #execute} and {@link
 * #stream} throw what {@link AhcCall} lists.
 *
 * <h2>Differences from AHC's client</h2>
 *
 * <ul>
 *   <li><b>Limits.</b> {@code maxConnections} and {@code maxConnectionsPerHost} limit the calls in
 *       flight that have a connection of their own. Further callers wait, also in {@code
 *       executeRequest}, as long as {@code acquireFreeChannelTimeout} says; 0, the default, sets no
 *       timeout. Idle connections do not count. An event loop must not wait, and gets AHC's {@code
 *       TooManyConnectionsException} instead. With {@code LoadBalance.ROUND_ROBIN} a server has up
 *       to one HTTP/2 connection per address, regardless of the limit.
 *   <li><b>HTTP/2.</b> A server has one connection. Callers wait until it is open, and while it has
 *       no free stream. If it cannot be opened, each waiting caller gets an exception of its own.
 *   <li><b>Resending.</b> Nothing that may have been processed is sent twice. {@code
 *       maxRequestRetry} applies to requests that were never sent, and to GET, HEAD, OPTIONS and
 *       TRACE on a connection that had ended while idle. What the server says it did not process
 *       (GOAWAY, REFUSED_STREAM; RFC 9113, 8.7) is resent while there is time, up to {@value
 *       io.heddle.core.Resends#MOST_UNPROCESSED} times. If {@code maxRequestRetry} is 0, nothing is
 *       resent. For more, add an {@code IOExceptionFilter} that replays.
 *   <li><b>Request bodies.</b> Bodies that are written, or read from a stream, a file or parts, run
 *       on the caller's thread; for a future, on a virtual thread. If a challenge or a redirect
 *       needs the body again, a virtual thread resends bytes, files, parts of these, and streams
 *       that can be reset. Any other body fails the call with {@link IOException}.
 *   <li><b>Body length.</b> A body that is shorter or longer than its declared length, or than the
 *       user's Content-Length, fails the call. If that is known in advance, the call fails with
 *       {@link IllegalArgumentException}, and nothing is sent (RFC 9112, 6.3; RFC 9113, 8.1.1).
 *   <li><b>DNS.</b> Names are looked up on separate threads, also after redirects.
 *   <li><b>Windows.</b> {@code http2InitialWindowSize} is 1 MiB unless the configuration sets a
 *       value other than AHC's default of 16 MiB; the replacement is logged. To use 16 MiB, set the
 *       system property {@code org.asynchttpclient.http2InitialWindowSize}.
 *   <li><b>Files</b> are read in pieces of {@code chunkedFileChunkSize} bytes, never sent with
 *       zero-copy. {@code disableZeroCopy} has no effect.
 *   <li><b>Dead connections.</b> If a call on an HTTP/2 connection timed out and nothing was read,
 *       the connection gets a PING. Until it answers, no other call uses it. Without an answer
 *       within 1 s it is closed, and its calls fail.
 *   <li><b>Closing.</b> {@link #close} ends all calls at once. {@code shutdownQuietPeriod} is zero
 *       unless the configuration sets a value other than AHC's default of 2 s.
 * </ul>
 *
 * <h2>Where your code runs</h2>
 *
 * Request filters and signature calculators run on the caller's thread. Response and exception
 * filters, cookie stores and {@code AsyncHandler} methods run on an event loop, as in AHC. There
 * they must not block: a blocking call fails with {@link IllegalStateException}. They may start
 * another request. What {@code onThrowable} throws is logged at debug level and has no other
 * effect.
 *
 * <p>A handler receives a body as fast as it arrives, as in AHC. Only {@link #stream} has back
 * pressure.
 *
 * <h2>Interrupts</h2>
 *
 * {@link #execute} and {@link #stream} check for an interrupt before they send anything, and
 * wherever they wait. {@code executeRequest} checks only if it waits for a connection; its future
 * then fails with {@link InterruptedIOException}, and the interrupt flag stays set.
 *
 * <p>AHC handles WebSockets. Futures of their handshakes end like all others.
 */
public final class BlockingAhcClient implements AsyncHttpClient, CallsInFlight {

  private final AsyncHttpClientConfig config;
  private final AhcEngine engine;
  private final AhcLanes lanes;
  private final Requests requests;
  private final Set<AhcExchange<?>> running = ConcurrentHashMap.newKeySet();
  private final Set<AhcFuture<?>> handshakes = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable SignatureCalculator signatureCalculator;

  /** Creates a client with AHC's default configuration. */
  public BlockingAhcClient() {
    this(new DefaultAsyncHttpClientConfig.Builder().build());
  }

  /**
   * Creates a client.
   *
   * @param config as for AHC's own client; the client does not close event loops, timers and pools
   *     that it contains
   */
  public BlockingAhcClient(AsyncHttpClientConfig config) {
    this.config = Objects.requireNonNull(config, "config");
    this.engine = new AhcEngine(config);
    this.lanes = new AhcLanes(config);
    this.requests = new Requests(config);
  }

  // ---- blocking calls -------------------------------------------------------------------------

  /**
   * Executes a request and waits for the whole response.
   *
   * @throws IOException as listed in {@link AhcCall}
   * @throws InterruptedException if the caller is interrupted, or was before the call; the request
   *     is abandoned
   * @throws IllegalStateException if the client is closed, or on an I/O thread
   */
  public Response execute(Request request) throws IOException, InterruptedException {
    return newCall(request).execute();
  }

  /**
   * Executes a request and waits for the whole response, for at most the given time. It covers the
   * wait for a connection, the DNS lookup, connecting, TLS, the request, every redirect, and the
   * body.
   *
   * @param timeout replaces AHC's request timeout; with zero the call fails at once
   * @throws io.heddle.DeadlineExceededException if the timeout passes
   * @throws IOException as listed in {@link AhcCall}
   * @throws InterruptedException as in {@link #execute(Request)}
   * @throws IllegalArgumentException if {@code timeout} is negative
   * @throws IllegalStateException as in {@link #execute(Request)}
   */
  public Response execute(Request request, Duration timeout)
      throws IOException, InterruptedException {
    return newCall(request, timeout).execute();
  }

  /**
   * Executes a request and waits for the head of the response. The body is read from the result as
   * it arrives.
   *
   * @return the response, which the caller must close
   * @throws IOException as listed in {@link AhcCall}
   * @throws InterruptedException as in {@link #execute(Request)}
   * @throws IllegalStateException as in {@link #execute(Request)}
   */
  public StreamingResponse stream(Request request) throws IOException, InterruptedException {
    return newCall(request).stream();
  }

  /**
   * Executes a request and waits for the head of the response. The timeout covers the whole call,
   * including reading the body.
   *
   * @param timeout replaces AHC's request timeout; with zero the call fails at once
   * @return the response, which the caller must close
   * @throws io.heddle.DeadlineExceededException if the timeout passes
   * @throws IOException as listed in {@link AhcCall}
   * @throws InterruptedException as in {@link #execute(Request)}
   * @throws IllegalArgumentException if {@code timeout} is negative
   * @throws IllegalStateException as in {@link #execute(Request)}
   */
  public StreamingResponse stream(Request request, Duration timeout)
      throws IOException, InterruptedException {
    return newCall(request, timeout).stream();
  }

  /** Creates a call, to be executed once, which another thread can cancel. */
  public AhcCall newCall(Request request) {
    return new AhcCall(this, Objects.requireNonNull(request, "request"), null);
  }

  /**
   * Creates a call, to be executed once, which another thread can cancel, with a deadline over the
   * whole call.
   *
   * @param timeout counted from the start of the call; replaces AHC's request timeout; with zero
   *     the call fails at once
   * @throws IllegalArgumentException if {@code timeout} is negative
   */
  public AhcCall newCall(Request request, Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("negative timeout: " + timeout);
    }
    return new AhcCall(this, Objects.requireNonNull(request, "request"), timeout);
  }

  /** Returns the number of requests in flight, including those of futures. */
  @Override
  public int inFlight() {
    return lanes.inFlight();
  }

  @Override
  public int waiting() {
    return lanes.waiting();
  }

  // ---- AsyncHttpClient ------------------------------------------------------------------------

  @Override
  public <T> ListenableFuture<T> executeRequest(Request request, AsyncHandler<T> handler) {
    Objects.requireNonNull(handler, "handler");
    if (handler instanceof WebSocketUpgradeHandler && !isClosed()) {
      return upgrade(engine.client().executeRequest(request, handler));
    }
    HandlerFuture<T> future =
        new HandlerFuture<>(this, request, handler, new CompletableFuture<>());
    future.start();
    return future;
  }

  /** A WebSocket's handshake has no exchange of ours; only its end is. */
  @SuppressWarnings("FutureReturnValueIgnored") // it never fails
  private <T> AhcFuture<T> upgrade(ListenableFuture<T> engines) {
    AhcFuture<T> handshake = new AhcFuture.OfEngine<>(this, engines);
    handshakes.add(handshake);
    handshake
        .toCompletableFuture()
        .whenComplete((webSocket, failure) -> handshakes.remove(handshake));
    if (isClosed()) {
      handshake.abort(AhcFailures.ended(true, null));
    }
    return handshake;
  }

  @Override
  public <T> ListenableFuture<T> executeRequest(
      RequestBuilder requestBuilder, AsyncHandler<T> handler) {
    return executeRequest(requestBuilder.build(), handler);
  }

  @Override
  public ListenableFuture<Response> executeRequest(Request request) {
    return executeRequest(request, new AsyncCompletionHandlerBase());
  }

  @Override
  public ListenableFuture<Response> executeRequest(RequestBuilder requestBuilder) {
    return executeRequest(requestBuilder.build());
  }

  @Override
  public BoundRequestBuilder prepare(String method, String url) {
    return new BoundRequestBuilder(this, method, config.isDisableUrlEncodingForBoundRequests())
        .setUrl(url)
        .setSignatureCalculator(signatureCalculator);
  }

  @Override
  public BoundRequestBuilder prepareGet(String url) {
    return prepare("GET", url);
  }

  @Override
  public BoundRequestBuilder prepareConnect(String url) {
    return prepare("CONNECT", url);
  }

  @Override
  public BoundRequestBuilder prepareOptions(String url) {
    return prepare("OPTIONS", url);
  }

  @Override
  public BoundRequestBuilder prepareHead(String url) {
    return prepare("HEAD", url);
  }

  @Override
  public BoundRequestBuilder preparePost(String url) {
    return prepare("POST", url);
  }

  @Override
  public BoundRequestBuilder preparePut(String url) {
    return prepare("PUT", url);
  }

  @Override
  public BoundRequestBuilder prepareDelete(String url) {
    return prepare("DELETE", url);
  }

  @Override
  public BoundRequestBuilder preparePatch(String url) {
    return prepare("PATCH", url);
  }

  @Override
  public BoundRequestBuilder prepareTrace(String url) {
    return prepare("TRACE", url);
  }

  @Override
  public BoundRequestBuilder prepareRequest(Request request) {
    return new BoundRequestBuilder(this, request).setSignatureCalculator(signatureCalculator);
  }

  @Override
  public BoundRequestBuilder prepareRequest(RequestBuilder requestBuilder) {
    return prepareRequest(requestBuilder.build());
  }

  @Override
  public BlockingAhcClient setSignatureCalculator(@Nullable SignatureCalculator calculator) {
    signatureCalculator = calculator;
    return this;
  }

  @Override
  public ClientStats getClientStats() {
    return engine.client().getClientStats();
  }

  @Override
  public void flushChannelPoolPartitions(Predicate<Object> predicate) {
    engine.client().flushChannelPoolPartitions(predicate);
  }

  /** Returns the configuration that the client was created with. */
  @Override
  public AsyncHttpClientConfig getConfig() {
    return config;
  }

  @Override
  public boolean isClosed() {
    return closed.get();
  }

  /**
   * Ends all calls at once, including those that wait for a connection: futures and blocking calls
   * fail with {@link SocketException} or {@link IOException}. Closes all connections. Closing again
   * does nothing.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    lanes.close();
    SocketException why = AhcFailures.ended(true, null);
    for (AhcExchange<?> each : running) {
      each.close(why);
    }
    for (AhcFuture<?> each : handshakes) {
      each.abort(why);
    }
    engine.close();
  }

  /** Returns what each call waits for. */
  @Override
  public String toString() {
    CallReport report = new CallReport("BlockingAhcClient", this);
    lanes.tell(report);
    running.forEach(each -> each.tell(report));
    return report.toString();
  }

  // ---- for exchanges --------------------------------------------------------------------------

  AhcEngine engine() {
    return engine;
  }

  AhcLanes lanes() {
    return lanes;
  }

  Requests requests() {
    return requests;
  }

  /** A call begins. */
  CallEvent beginCall(Request request) {
    CallEvent event = CallEvent.begin("ahc");
    event.request(request.getMethod(), request.getUri().getHost(), request.getUri().getPort());
    return event;
  }

  /** An exchange has a place, and is about to go to the engine. */
  void begin(AhcExchange<?> exchange) {
    running.add(exchange);
    if (isClosed()) {
      exchange.close(AhcFailures.ended(true, null));
    }
  }

  void ended(AhcExchange<?> exchange) {
    running.remove(exchange);
  }
}
