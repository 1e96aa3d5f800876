package io.heddle.ahc;

import io.heddle.CallsInFlight;
import io.heddle.IoThread;
import io.heddle.core.CallEvent;
import io.heddle.core.CallReport;
import io.heddle.core.Resends;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.asynchttpclient.AsyncCompletionHandlerBase;
import org.asynchttpclient.AsyncHandler;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.BoundRequestBuilder;
import org.asynchttpclient.ClientStats;
import org.asynchttpclient.DefaultAsyncHttpClient;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilder;
import org.asynchttpclient.Response;
import org.asynchttpclient.SignatureCalculator;
import org.asynchttpclient.handler.resumable.ResumableAsyncHandler;
import org.asynchttpclient.ws.WebSocketUpgradeHandler;
import org.jspecify.annotations.Nullable;

/**
 * An {@code AsyncHttpClient} for code that blocks, on AHC's own Netty engine.
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
 * <p>It takes the place of the client that {@code Dsl.asyncHttpClient(config)} makes. Its futures
 * are for blocking: {@code get()} that is interrupted and {@code get(timeout)} that is over cancel
 * the request, and the server sees that. Who only wants to look uses {@code isDone()}, or waits on
 * {@code toCompletableFuture()}, which cancels nothing. A future fails with what AHC has; {@link
 * #execute} and {@link #stream} with what a blocking caller expects, which {@link AhcCall} lists.
 *
 * <p>What is different from AHC's own:
 *
 * <ul>
 *   <li>{@code maxConnections} and {@code maxConnectionsPerHost} bound the calls in flight that
 *       have a connection of their own. Beyond that a caller waits, {@code executeRequest}
 *       included, for as long as {@code acquireFreeChannelTimeout} says; 0, the default, is no
 *       timeout of its own. Idle connections do not count. An event loop, which must not wait, gets
 *       AHC's {@code TooManyConnectionsException} there. With {@code LoadBalance.ROUND_ROBIN} a
 *       server has up to one HTTP/2 connection per address, whatever the bound.
 *   <li>One connection per server that speaks HTTP/2. Callers wait until it is open, and while it
 *       has no stream to spare.
 *   <li>Nothing is sent twice that may have been processed: {@code maxRequestRetry} counts for
 *       requests that never left, or that change nothing (GET, HEAD, OPTIONS, TRACE) and met a
 *       connection that had ended while nobody used it. What the server says it did not process
 *       (GOAWAY, REFUSED_STREAM; RFC 9113, 8.7) goes again however often, as long as there is time,
 *       up to {@value io.heddle.core.Resends#MOST_UNPROCESSED} times; not at all if {@code
 *       maxRequestRetry} is 0. Who wants more adds an {@code IOExceptionFilter} that replays.
 *   <li>Bodies that have to be read from a stream, a file or parts, or be written, are so on the
 *       caller's thread; for a future, on a virtual thread. If a challenge or a redirect wants the
 *       body again, then bytes, files, parts of these, and streams that can be reset are sent
 *       again, from a virtual thread; any other body fails the call with {@link IOException}. A
 *       body that is shorter or longer than it was told to be, or than a Content-Length of the
 *       user's says, fails the call; if that is known before, with {@link
 *       IllegalArgumentException}, and nothing is sent (RFC 9112, 6.3; RFC 9113, 8.1.1).
 *   <li>Names are looked up on threads for that, redirects included.
 *   <li>{@code http2InitialWindowSize} is 1 MiB unless the configuration says something else than
 *       AHC's default of 16 MiB, which is logged; who means 16 MiB sets the system property {@code
 *       org.asynchttpclient.http2InitialWindowSize} to it.
 *   <li>Files are read in pieces of {@code chunkedFileChunkSize} bytes, and never sent by
 *       zero-copy, so that {@code disableZeroCopy} has nothing to switch off.
 *   <li>A connection of HTTP/2 on which a call timed out, and nothing was read, gets a PING. Until
 *       it answers no other call goes there; without an answer within 1 s it is closed, and the
 *       calls on it fail.
 *   <li>Callers that wait for the first connection to a server are answered with its failure if it
 *       cannot be opened, each with an exception of its own.
 *   <li>{@code shutdownQuietPeriod} is zero unless the configuration says something else than AHC's
 *       default of 2 s: when {@link #close} returns there is nothing to wait for.
 *   <li>{@link #close} ends all calls at once.
 * </ul>
 *
 * <p>Handlers and filters of the user's run where AHC runs them: request filters and signature
 * calculators on the caller's thread, response and exception filters, cookie stores and the methods
 * of an {@code AsyncHandler} on an event loop. They must not block; a blocking call there fails
 * with {@link IllegalStateException}. To start another request there is allowed. What {@code
 * onThrowable} throws is logged for debugging, and harms nobody.
 *
 * <p>An interrupt is looked for where a caller waits: in {@link #execute} and {@link #stream} also
 * before anything is sent; in {@code executeRequest} only if there is no place for the request, and
 * then its future fails with {@link InterruptedIOException}, the flag kept.
 *
 * <p>A handler gets a body as fast as it comes, as it does from AHC; {@link #stream} holds the
 * server back while nobody reads.
 *
 * <p>WebSockets go to AHC as they are. Of them, the futures of handshakes are ended as all others.
 *
 * <p>Any thread may use it, virtual or platform.
 */
public final class BlockingAhcClient implements AsyncHttpClient, CallsInFlight {

  private final AsyncHttpClientConfig config;
  private final DefaultAsyncHttpClient engine;
  private final @Nullable OffloadedResolver resolver;
  private final ChannelGroup channels;
  private final CallLimits limits;
  private final RequestSettings settings;
  private final Set<AhcExchange<?>> running = ConcurrentHashMap.newKeySet();
  private final Set<AhcFuture.OfEngine> handshakes = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final boolean ownThreads;
  private volatile @Nullable SignatureCalculator signatureCalculator;

  /** A client with AHC's default configuration. */
  public BlockingAhcClient() {
    this(new DefaultAsyncHttpClientConfig.Builder().build());
  }

  /**
   * A client with this configuration.
   *
   * @param config as for AHC's own client; event loops, timers and pools that it names stay the
   *     user's, and are not closed
   */
  public BlockingAhcClient(AsyncHttpClientConfig config) {
    this.config = Objects.requireNonNull(config, "config");
    this.channels = new DefaultChannelGroup("heddle-ahc", GlobalEventExecutor.INSTANCE, true);
    this.resolver =
        config.getAddressResolverGroup() == null
            ? new OffloadedResolver(config.getThreadPoolName() + "-resolver")
            : null;
    this.limits = new CallLimits(config);
    this.settings = new RequestSettings(config);
    this.ownThreads = config.getThreadFactory() == null && config.getEventLoopGroup() == null;
    this.engine = new DefaultAsyncHttpClient(EngineConfig.of(config, resolver, channels));
  }

  // ---- blocking calls -------------------------------------------------------------------------

  /**
   * Executes a request and waits for the whole response.
   *
   * @throws IOException as {@link AhcCall} lists it
   * @throws InterruptedException if the caller was interrupted, also before; the request is
   *     abandoned
   * @throws IllegalStateException if the client is closed, or on an I/O thread
   */
  public Response execute(Request request) throws IOException, InterruptedException {
    return newCall(request).execute();
  }

  /**
   * Executes a request and waits for the whole response, within this time in all: for a place, the
   * name look-up, the connection, TLS, the request, every redirect, and the body.
   *
   * @param timeout in place of AHC's request timeout; zero is over at once
   * @throws io.heddle.DeadlineExceededException if it is over
   * @throws IOException as {@link AhcCall} lists it
   * @throws InterruptedException as in {@link #execute(Request)}
   * @throws IllegalArgumentException if {@code timeout} is negative
   * @throws IllegalStateException as in {@link #execute(Request)}
   */
  public Response execute(Request request, Duration timeout)
      throws IOException, InterruptedException {
    return newCall(request, timeout).execute();
  }

  /**
   * Executes a request and waits for the head of the response; the body is read as it comes.
   *
   * @return to be closed by the caller
   * @throws IOException as {@link AhcCall} lists it
   * @throws InterruptedException as in {@link #execute(Request)}
   * @throws IllegalStateException as in {@link #execute(Request)}
   */
  public StreamingResponse stream(Request request) throws IOException, InterruptedException {
    return newCall(request).stream();
  }

  /**
   * Executes a request and waits for the head of the response, within this time in all, the reading
   * of the body included.
   *
   * @param timeout in place of AHC's request timeout; zero is over at once
   * @return to be closed by the caller
   * @throws io.heddle.DeadlineExceededException if it is over
   * @throws IOException as {@link AhcCall} lists it
   * @throws InterruptedException as in {@link #execute(Request)}
   * @throws IllegalArgumentException if {@code timeout} is negative
   * @throws IllegalStateException as in {@link #execute(Request)}
   */
  public StreamingResponse stream(Request request, Duration timeout)
      throws IOException, InterruptedException {
    return newCall(request, timeout).stream();
  }

  /** A call to execute once, which another thread can cancel. */
  public AhcCall newCall(Request request) {
    return new AhcCall(this, Objects.requireNonNull(request, "request"), null);
  }

  /**
   * A call to execute once, which another thread can cancel, with a deadline over all of it.
   *
   * @param timeout from the start of the call, in place of AHC's request timeout; zero is over at
   *     once
   * @throws IllegalArgumentException if {@code timeout} is negative
   */
  public AhcCall newCall(Request request, Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("negative timeout: " + timeout);
    }
    return new AhcCall(this, Objects.requireNonNull(request, "request"), timeout);
  }

  /** How many requests are in flight, futures included. */
  @Override
  public int inFlight() {
    return limits.inFlight();
  }

  @Override
  public int waiting() {
    return limits.waiting();
  }

  // ---- AsyncHttpClient ------------------------------------------------------------------------

  @Override
  public <T> ListenableFuture<T> executeRequest(Request request, AsyncHandler<T> handler) {
    Objects.requireNonNull(handler, "handler");
    CompletableFuture<T> outcome = new CompletableFuture<>();
    AhcFuture<T> future = new AhcFuture<>(this, outcome, AhcFuture.Control.NOTHING);
    try {
      if (isClosed()) {
        throw new IllegalStateException("Closed"); // as AHC says it
      }
      if (handler instanceof WebSocketUpgradeHandler) {
        return upgrade(engine.executeRequest(request, handler));
      }
      Request adjusted = request;
      if (handler instanceof ResumableAsyncHandler resumable
          && !config.getRequestFilters().isEmpty()) {
        adjusted = resumable.adjustRequestRange(request); // AHC does, where it sees such a handler
      }
      Resends resends = new Resends(settings.deadline(request));
      CallEvent event = beginCall(request);
      endWith(outcome, event);
      start(adjusted, handler, future, outcome, settings.maxRetries(), resends, event);
    } catch (IOException | RuntimeException e) {
      outcome.completeExceptionally(e);
      handler.onThrowable(e);
    }
    return future;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it never fails
  private static void endWith(CompletableFuture<?> outcome, CallEvent event) {
    if (event.isOn()) {
      outcome.whenComplete(
          (result, failure) -> {
            if (failure == null) {
              event.completed();
            } else {
              event.failed(failure);
            }
          });
    }
  }

  /** A WebSocket's handshake has no exchange of ours; only its end is. */
  @SuppressWarnings("FutureReturnValueIgnored") // it never fails
  private <T> AhcFuture<T> upgrade(ListenableFuture<T> handshake) {
    AhcFuture.OfEngine control = new AhcFuture.OfEngine(handshake);
    handshakes.add(control);
    handshake
        .toCompletableFuture()
        .whenComplete((webSocket, failure) -> handshakes.remove(control));
    if (isClosed()) {
      control.abort(AhcFailures.ended(true, null));
    }
    return new AhcFuture<>(this, handshake.toCompletableFuture(), control);
  }

  /** Starts a request that has a handler, once there is a place for it. */
  <T> void start(
      Request request,
      AsyncHandler<T> handler,
      AhcFuture<T> future,
      CompletableFuture<T> outcome,
      int retries,
      Resends resends,
      CallEvent event)
      throws IOException {
    CallLimits.Permit permit;
    if (isIoThread()) {
      permit = limits.enterNow(request, event);
    } else {
      try {
        permit = limits.enter(request, settings.deadline(request), turn -> {}, event);
      } catch (InterruptedException | TimeoutException | CancellationException e) {
        throw AhcFailures.inWait("waiting for a connection", true, e);
      }
    }
    HandlerExchange<T> exchange = null;
    try {
      exchange = new HandlerExchange<>(this, request, permit, handler, outcome, retries, resends);
    } finally {
      if (exchange == null) { // the body of the request is none
        permit.leave();
      }
    }
    exchange.start(future);
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
    return engine.getClientStats();
  }

  @Override
  public void flushChannelPoolPartitions(Predicate<Object> predicate) {
    engine.flushChannelPoolPartitions(predicate);
  }

  /** The configuration that the client was made with. */
  @Override
  public AsyncHttpClientConfig getConfig() {
    return config;
  }

  @Override
  public boolean isClosed() {
    return closed.get();
  }

  /**
   * Ends all calls at once, those that wait for a place included: futures and blocking calls fail
   * with {@link SocketException}, or {@link IOException}. Closes all connections. Any number of
   * times.
   */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // a connection that does not close is not ours
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    limits.close();
    SocketException why = AhcFailures.ended(true, null);
    for (AhcExchange<?> each : running) {
      each.close(why);
    }
    for (AhcFuture.OfEngine each : handshakes) {
      each.abort(why);
    }
    channels.close(); // and those that are still to come
    channels.forEach(BlockingAhcClient::closeNow);
    engine.close();
    if (resolver != null) {
      resolver.close();
    }
  }

  /** TLS would say good-bye first: to a server that may not read, on a loop that ends before. */
  @SuppressWarnings("FutureReturnValueIgnored")
  private static void closeNow(Channel channel) {
    Runnable close =
        () -> {
          ChannelHandlerContext first = channel.pipeline().firstContext();
          if (channel.isOpen() && first != null) {
            first.close();
          }
        };
    try {
      channel.eventLoop().execute(close);
    } catch (RejectedExecutionException e) {
      close.run(); // the loop has ended
    }
  }

  /** What each call waits for, see {@link CallReport}. */
  @Override
  public String toString() {
    CallReport report = new CallReport("BlockingAhcClient", this);
    report.add(CallEvent.Step.PLACE, waiting());
    running.forEach(each -> each.tell(report));
    return report.toString();
  }

  // ---- for exchanges --------------------------------------------------------------------------

  DefaultAsyncHttpClient engine() {
    return engine;
  }

  CallLimits limits() {
    return limits;
  }

  RequestSettings settings() {
    return settings;
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

  void resolvingFor(Request request) {
    if (resolver != null) {
      OffloadedResolver.resolvingFor(request);
    }
  }

  /** Throws if the current thread is one that moves bytes. */
  void forbidWaiting() {
    IoThread.forbidWaiting();
    if (isIoThread()) {
      throw new IllegalStateException(
          "blocking call on the I/O thread \""
              + Thread.currentThread().getName()
              + "\", which would wait for itself: make the call from another thread, "
              + "for example a virtual one");
    }
  }

  private boolean isIoThread() {
    if (Thread.currentThread() instanceof IoThread) {
      return true;
    }
    if (ownThreads || Thread.currentThread().isVirtual()) {
      return false;
    }
    EventLoopGroup loops = engine.getEventLoopGroup();
    for (EventExecutor each : loops) {
      if (each.inEventLoop()) {
        return true;
      }
    }
    return false;
  }
}
