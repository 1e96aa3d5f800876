package io.heddle.jdk;

import io.heddle.CallsInFlight;
import io.heddle.core.CallReport;
import io.heddle.core.HostResolver;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
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

  private static final Duration LOOK = Duration.ofMillis(100);

  final HttpClient wrapped;
  final HostResolver<InetAddress[]> resolver;
  final Duration timeout;
  final Duration queueTimeout;
  final Duration readTimeout;

  /** Those that have a place. */
  final Set<JdkExchange<?>> live = ConcurrentHashMap.newKeySet();

  private final int maxConnections;
  private final Map<Origin.Key, Origin> origins = new ConcurrentHashMap<>();
  private volatile boolean closed;

  BlockingJdkHttpClient(BlockingJdkHttpClientBuilder settings) {
    this.wrapped = settings.client;
    this.resolver = new HostResolver<>("heddle-jdk-dns", settings.lookUps);
    this.timeout = settings.timeout;
    this.queueTimeout = settings.queueTimeout;
    this.readTimeout = settings.readTimeout;
    this.maxConnections = settings.maxConnections;
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
    return new JdkCall<>(this, request, responseBodyHandler, null).send();
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
    JdkCall<T> call = new JdkCall<>(this, request, responseBodyHandler, pushPromiseHandler);
    return new JdkFuture<>(call::send, call.event::cancels, call::discard);
  }

  // ---- of calls -------------------------------------------------------------------------------

  Origin origin(HttpRequest request) {
    URI uri = request.uri();
    Origin.Key key = Origin.Key.of(uri);
    Origin known = origins.get(key);
    if (known != null) {
      return known;
    }
    if (origins.size() > MANY_ORIGINS) {
      origins.values().removeIf(Origin::isIdle);
    }
    boolean shared =
        key.scheme().equals("https")
            && request.version().orElse(wrapped.version()) != Version.HTTP_1_1;
    return origins.computeIfAbsent(key, its -> new Origin(maxConnections, shared));
  }

  boolean isClosed() {
    return closed;
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
    wrapped.shutdown();
  }

  /** Ends all running calls and rejects further ones. Does not wait. */
  @Override
  public void shutdownNow() {
    closed = true;
    resolver.close();
    origins.values().forEach(Origin::close);
    wrapped.shutdownNow();
    live.forEach(JdkExchange::cancel);
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
        live.stream().filter(JdkExchange::isForgotten).forEach(JdkExchange::cancel);
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

  @Override
  public boolean awaitTermination(Duration duration) throws InterruptedException {
    return wrapped.awaitTermination(duration);
  }

  @Override
  public boolean isTerminated() {
    return wrapped.isTerminated();
  }

  // ---- the wrapped client's -------------------------------------------------------------------

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return wrapped.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return wrapped.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return wrapped.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return wrapped.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return wrapped.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return wrapped.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return wrapped.authenticator();
  }

  @Override
  public Version version() {
    return wrapped.version();
  }

  @Override
  public Optional<Executor> executor() {
    return wrapped.executor();
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return wrapped.newWebSocketBuilder();
  }

  /** Returns the wrapped client, and what each call waits for. */
  @Override
  public String toString() {
    CallReport report = new CallReport("BlockingJdkHttpClient over " + wrapped, this);
    resolver.tell(report);
    origins.forEach((origin, its) -> its.tell(report, origin.toString()));
    live.forEach(each -> each.tell(report));
    return report.toString();
  }
}
