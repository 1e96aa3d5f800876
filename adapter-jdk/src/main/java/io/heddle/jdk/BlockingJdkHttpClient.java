package io.heddle.jdk;

import io.heddle.CallsInFlight;
import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import io.heddle.core.HostResolver;
import io.heddle.core.Lanes.Lane;
import io.heddle.core.Resends;
import java.io.IOException;
import java.net.Authenticator;
import java.net.ConnectException;
import java.net.CookieHandler;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Wraps the JDK's {@link HttpClient}. Calls end by their deadline, and wait where the JDK's client
 * fails them.
 *
 * <pre>{@code
 * HttpClient client = BlockingJdkHttpClient.wrap(HttpClient.newHttpClient());
 * HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
 * }</pre>
 *
 * <p>{@link #send} calls the wrapped client's {@code send}. {@link #sendAsync} does so on a virtual
 * thread. Web sockets and all settings are the wrapped client's. Any number of threads may use it,
 * virtual and platform.
 *
 * <h2>What it adds</h2>
 *
 * <ul>
 *   <li>{@link HttpRequest#timeout()} covers the whole call: the wait for a connection or stream,
 *       the DNS lookup, redirects, and the body until its end. (The JDK's ends with the response
 *       headers before JDK 26: JDK-8208693.)
 *   <li>If the HTTP/2 connection has no free stream, a call waits for one.
 *   <li>Calls to a server that may speak HTTP/2 share the connection that the first of them opens.
 *   <li>DNS lookups hold no carrier.
 *   <li>After an interrupt, bytes of a stream that have arrived can still be read.
 *   <li>Requests that the server says it did not process are resent. A GET, HEAD, OPTIONS or TRACE
 *       whose connection ended before its response is resent, at most three times, if the server
 *       has answered before.
 *   <li>An HTTP/2 response that is shorter or longer than its Content-Length fails.
 *   <li>{@link #shutdownNow} ends bodies that are being read. {@link #close} does not wait for
 *       streams that nobody reads.
 *   <li>Optional: a limit of connections, at which callers wait, and a read timeout.
 * </ul>
 *
 * <h2>Failures</h2>
 *
 * The exceptions are the JDK's:
 *
 * <ul>
 *   <li>{@link java.net.http.HttpTimeoutException}: the timeout of the request or of the client
 *       passed, in {@code send} or in a read of a stream. Its cause is an {@link
 *       io.heddle.DeadlineExceededException}.
 *   <li>{@link HttpConnectTimeoutException}, a subclass: the same before anything was sent.
 *   <li>{@link InterruptedException}: the caller of {@code send} was interrupted; the flag is
 *       cleared.
 *   <li>{@link java.io.InterruptedIOException}: the reader of a stream was interrupted; the flag
 *       stays set.
 *   <li>{@link IOException} "closed": the client is closed.
 *   <li>{@link IllegalStateException}: a blocking call on the client's I/O thread, which would wait
 *       for itself.
 * </ul>
 */
public final class BlockingJdkHttpClient extends HttpClient implements CallsInFlight {

  private static final int MANY_ORIGINS = 1000;

  private static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Duration LOOK = Duration.ofMillis(100);

  private final HttpClient client;
  private final int maxConnections;
  private final @Nullable Duration timeout;
  private final @Nullable Duration queueTimeout;
  private final @Nullable Duration readTimeout;
  private final HostResolver<InetAddress[]> resolver;
  private final Map<String, Origin> origins = new ConcurrentHashMap<>();
  private final Set<JdkExchange<?>> live = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  BlockingJdkHttpClient(BlockingJdkHttpClientBuilder settings) {
    this.client = settings.client;
    this.maxConnections = settings.maxConnections;
    this.timeout = settings.timeout;
    this.queueTimeout = settings.queueTimeout;
    this.readTimeout = settings.readTimeout;
    this.resolver = new HostResolver<>("heddle-jdk-dns", settings.lookUps);
  }

  /**
   * Wraps a client.
   *
   * @param client any client; a {@code BlockingJdkHttpClient} is returned as it is
   * @throws IllegalArgumentException if it is terminated
   */
  public static BlockingJdkHttpClient wrap(HttpClient client) {
    return client instanceof BlockingJdkHttpClient blocking ? blocking : builder(client).build();
  }

  /**
   * Returns a builder for a client that wraps this one, with further settings.
   *
   * @param client any client except a {@code BlockingJdkHttpClient}
   * @throws IllegalArgumentException if it is one, or is terminated
   */
  public static BlockingJdkHttpClientBuilder builder(HttpClient client) {
    return new BlockingJdkHttpClientBuilder(client);
  }

  // ---- calls ----------------------------------------------------------------------------------

  /**
   * Sends the request and waits as long as the JDK's {@code send} does: for the response headers,
   * and with most body handlers for the whole body.
   *
   * @throws IllegalStateException on the client's I/O thread
   */
  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> responseBodyHandler)
      throws IOException, InterruptedException {
    return call(request, responseBodyHandler, null, begin(request));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> responseBodyHandler) {
    return sendAsync(request, responseBodyHandler, null);
  }

  /**
   * Sends the request on a virtual thread of its own. {@code cancel(true)} of the future, or of a
   * dependent one, ends the call. Dependent stages run in the default executor of {@link
   * CompletableFuture}, as with the JDK's client. The wrapped client handles pushed responses.
   */
  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request,
      BodyHandler<T> responseBodyHandler,
      @Nullable PushPromiseHandler<T> pushPromiseHandler) {
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(responseBodyHandler, "responseBodyHandler");
    CallEvent event = begin(request);
    return new JdkFuture<>(
        () -> call(request, responseBodyHandler, pushPromiseHandler, event),
        event::cancels,
        this::discard);
  }

  private static CallEvent begin(HttpRequest request) {
    Objects.requireNonNull(request, "request");
    CallEvent event = CallEvent.begin("jdk");
    event.request(request.method(), request.uri().getHost(), request.uri().getPort());
    event.unknown(Step.CONNECTION); // a part of what the JDK's send takes
    return event;
  }

  private <T> HttpResponse<T> call(
      HttpRequest request,
      BodyHandler<T> handler,
      @Nullable PushPromiseHandler<T> push,
      CallEvent event)
      throws IOException, InterruptedException {
    Objects.requireNonNull(handler, "responseBodyHandler");
    try {
      return attempts(request, handler, push, event);
    } catch (Throwable t) {
      if (closed) {
        event.cancels();
      }
      event.failed(t);
      throw t;
    }
  }

  private <T> HttpResponse<T> attempts(
      HttpRequest request,
      BodyHandler<T> handler,
      @Nullable PushPromiseHandler<T> push,
      CallEvent event)
      throws IOException, InterruptedException {
    JdkFailures.forbidWaiting();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before the call");
    }
    Duration its = request.timeout().orElse(timeout);
    Deadline deadline = its == null ? Deadline.none() : Deadline.after(its);
    Origin origin = origin(request);
    Deadline queue =
        queueTimeout == null ? deadline : deadline.earlier(Deadline.after(queueTimeout));
    boolean expects = request.expectContinue() && hasContent(request);
    Resends resends = new Resends(deadline);
    boolean elsewhere = false;
    for (; ; ) {
      event.at(Step.NAME);
      ConnectException noAddress = lookUp(origin, request.uri(), deadline);
      event.at(Step.PLACE);
      JdkExchange<T> exchange = enter(origin, request, deadline, queue, expects, event);
      event.at(Step.HEAD);
      try {
        return exchange.send(
            handler, elsewhere && push == null ? JdkInternals.onAnotherConnection() : push, client);
      } catch (IOException e) {
        if (noAddress != null && e instanceof ConnectException) {
          throw noAddress;
        } else if (exchange.isAnswered()) {
          throw e;
        } else if (JdkInternals.hadNoStream(e)
            && isUntouched(e, request, exchange)
            && !closed
            && !elsewhere) {
          origin.pause(queue);
          elsewhere = origin.hasLostItsStreams();
        } else if (exchange.wasExpectationIgnored() && !closed) {
          expects = false;
        } else if (closed
            || !(JdkInternals.wasNotProcessed(e)
                ? isUntouched(e, request, exchange) && resends.unprocessed()
                : mayGoAgain(e, request, origin) && resends.lost())) {
          throw e;
        } else {
          resends.pause();
        }
      }
    }
  }

  /** RFC 9110, 10.1.1: without there must be no expectation; and what is sent is the whole. */
  private static boolean hasContent(HttpRequest request) {
    return request.bodyPublisher().map(BodyPublisher::contentLength).orElse(0L) != 0;
  }

  /**
   * Whether it is certain that the server has processed nothing; else a redirect may have led to
   * what was not processed, and its origin has processed the first.
   */
  private boolean isUntouched(IOException e, HttpRequest request, JdkExchange<?> exchange) {
    return Resends.isIdempotent(request.method())
        || client.followRedirects() == Redirect.NEVER
        || exchange.begun() == JdkInternals.triesOf(e);
  }

  private static boolean mayGoAgain(IOException e, HttpRequest request, Origin origin) {
    return origin.hasAnswered()
        && Resends.isSafe(request.method())
        && request.bodyPublisher().isEmpty()
        && JdkInternals.lostConnection(e);
  }

  private Origin origin(HttpRequest request) {
    URI uri = request.uri();
    String key = uri.getScheme() + "://" + uri.getRawAuthority();
    Origin known = origins.get(key);
    if (known != null) {
      return known;
    }
    if (origins.size() > MANY_ORIGINS) {
      origins.values().removeIf(Origin::isIdle);
    }
    boolean shared =
        "https".equalsIgnoreCase(uri.getScheme())
            && request.version().orElse(client.version()) != Version.HTTP_1_1;
    return origins.computeIfAbsent(key, its -> new Origin(maxConnections, shared));
  }

  private @Nullable ConnectException lookUp(Origin origin, URI uri, Deadline deadline)
      throws IOException, InterruptedException {
    try {
      return origin.lookUp(uri, client, resolver, deadline);
    } catch (TimeoutException e) {
      throw JdkFailures.overBeforeSending("looking up " + uri.getHost());
    } catch (CancellationException e) {
      throw JdkFailures.caused(JdkFailures.closed(), e);
    }
  }

  private <T> JdkExchange<T> enter(
      Origin origin,
      HttpRequest request,
      Deadline deadline,
      Deadline queue,
      boolean expects,
      CallEvent event)
      throws IOException, InterruptedException {
    Lane lane;
    try {
      lane = origin.enter(queue);
    } catch (TimeoutException e) {
      if (deadline.isExpired()) {
        throw JdkFailures.overBeforeSending(
            "waiting for a place at " + request.uri().getAuthority());
      }
      throw new HttpConnectTimeoutException(
          "no place at " + request.uri().getAuthority() + " became free in " + queueTimeout);
    } catch (CancellationException e) {
      throw JdkFailures.caused(JdkFailures.closed(), e);
    }
    JdkExchange<T> exchange =
        new JdkExchange<>(this, origin, lane, request, deadline, expects, event);
    live.add(exchange);
    return exchange;
  }

  /** Ends the body of a response that nobody will get, whatever it is made of. */
  void discard(HttpResponse<?> response) {
    for (JdkExchange<?> each : live) {
      if (each.hasBrought(response)) {
        each.cancel();
      }
    }
  }

  /** A call gave its place back. */
  void ended(JdkExchange<?> exchange) {
    live.remove(exchange);
  }

  @Nullable Duration readTimeout() {
    return readTimeout;
  }

  /**
   * Returns the number of calls that have a connection or stream, until the end of their bodies.
   */
  @Override
  public int inFlight() {
    return live.size();
  }

  @Override
  public int waiting() {
    return origins.values().stream().mapToInt(Origin::waiting).sum();
  }

  // ---- the end --------------------------------------------------------------------------------

  /**
   * Rejects further calls and those that wait for a connection or stream. Running calls continue.
   * Does not wait.
   */
  @Override
  public void shutdown() {
    closed = true;
    origins.values().forEach(Origin::close);
    client.shutdown();
  }

  /** Ends all running calls and rejects further ones. Does not wait. */
  @Override
  public void shutdownNow() {
    closed = true;
    resolver.close();
    origins.values().forEach(Origin::close);
    client.shutdownNow();
    endForgotten(-1);
  }

  /**
   * Rejects further calls and waits for running ones, as the JDK's does, but ends a response stream
   * from {@code BodyHandlers.ofInputStream()} that nobody has read from for a second. If the thread
   * is interrupted meanwhile, all calls end, and the flag stays set.
   */
  @Override
  public void close() {
    boolean interrupted = false;
    shutdown();
    for (boolean terminated = isTerminated(); !terminated; ) {
      try {
        terminated = awaitTermination(LOOK);
        endForgotten(FORGOTTEN_NANOS);
      } catch (InterruptedException e) {
        if (interrupted) {
          break;
        }
        interrupted = true;
        shutdownNow();
      }
    }
    resolver.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void endForgotten(long nanos) {
    for (JdkExchange<?> each : live) {
      if (nanos < 0 || each.isForgotten(nanos)) {
        each.cancel();
      }
    }
  }

  @Override
  public boolean awaitTermination(Duration duration) throws InterruptedException {
    return client.awaitTermination(duration);
  }

  @Override
  public boolean isTerminated() {
    return client.isTerminated();
  }

  // ---- the wrapped client's -------------------------------------------------------------------

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return client.newWebSocketBuilder();
  }

  /** Returns the wrapped client, and what each call waits for. */
  @Override
  public String toString() {
    CallReport report = new CallReport("BlockingJdkHttpClient over " + client, this);
    report.add(Step.NAME, resolver.waiting());
    report.add(Step.PLACE, waiting());
    live.forEach(each -> each.tell(report));
    return report.toString();
  }
}
