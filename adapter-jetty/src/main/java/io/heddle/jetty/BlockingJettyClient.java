package io.heddle.jetty;

import io.heddle.CallsInFlight;
import io.heddle.core.CallReport;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.AuthenticationStore;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.client.transport.HttpConversation;
import org.eclipse.jetty.client.transport.HttpDestination;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's {@code HttpClient} with blocking calls that suit virtual threads: {@code GET}, {@code
 * POST}, {@code FORM} and {@link Request#send()}. For streams, use {@link BlockingResponseListener}
 * and {@link BlockingRequestContent} instead of Jetty's two classes.
 *
 * <pre>{@code
 * BlockingJettyClient client = new BlockingJettyClient(); // in place of new HttpClient()
 * client.start();
 * ContentResponse response = client.GET("https://example.org/");
 * }</pre>
 *
 * <p>Any thread may call all methods, except that a blocking call on an I/O thread fails at once
 * with {@link IllegalStateException}. The package documentation says which code runs on which
 * thread.
 *
 * <h2>Differences from Jetty's client</h2>
 *
 * <ul>
 *   <li>{@code send()} buffers a response of any length (Jetty: up to 2 MiB), unless {@link
 *       #setMaxContentLength} limits it.
 *   <li>A call that is interrupted before it starts sends nothing. Every abandoned call is aborted.
 *   <li>{@link Request#timeout} ends the caller's wait by the caller's own clock, in nanoseconds.
 *       {@link #setCallTimeout} sets a timeout for all requests.
 *   <li>If the destination's queue is full, the caller waits (Jetty's fails), at most as long as
 *       its total timeout and {@link #setQueueTimeout} allow.
 *   <li>If all calls that wait for a connection end while it is being opened, opening it is
 *       cancelled (Jetty opens it all the same).
 *   <li>A body that comes from a stream or a file is read on a virtual thread.
 *   <li>A GET, HEAD, OPTIONS or TRACE without a body, on a connection that the server has just
 *       closed, is resent up to {@value io.heddle.core.Resends#MOST_LOST} times. What an HTTP/2
 *       server says it did not process (GOAWAY, REFUSED_STREAM) is resent until the total timeout,
 *       up to {@value io.heddle.core.Resends#MOST_UNPROCESSED} times. A request with your own
 *       listeners is not resent, because they would be told twice.
 *   <li>A response that arrives before the end of the upload is read before the failed upload ends
 *       the call. Over TLS it may be lost, as with Jetty's client.
 *   <li>On HTTP/2, a body that does not match its Content-Length fails (Jetty's reader waits for
 *       ever), and a connection on which a call timed out without a sign of life is no longer used.
 *   <li>A request that expects 100-continue sends its body after {@link #setContinueTimeout}, 1 s
 *       by default, without an answer (Jetty waits for ever).
 *   <li>DNS lookups run on separate threads, also those of your own resolver.
 *   <li>Response headers or trailers over 256 KiB fail the call (Jetty accepts any length); {@link
 *       #setMaxResponseHeadersSize} changes the limit.
 *   <li>A destination has up to 256 connections (Jetty: 64).
 * </ul>
 *
 * <p>You may extend this class, as you may Jetty's. An override must call the method that it
 * overrides.
 */
@SuppressWarnings({"try", "this-escape"}) // close() is Jetty's, and throws what stopping throws
public class BlockingJettyClient extends HttpClient implements CallsInFlight {

  /** As many callers as can wait for HTTP/1.1 responses of one destination at a time. */
  static final int MAX_CONNECTIONS = 256;

  /** As OkHttp has it; enough for any head that people send, and no harm to a small heap. */
  private static final int MAX_RESPONSE_HEADERS = 256 * 1024;

  private static final boolean HTTP2_THERE = isThere("org.eclipse.jetty.http2.client.HTTP2Client");

  private final UserCode userCode = new UserCode(this);

  private final ConcurrentMap<Destination, QueueGate> gates = new ConcurrentHashMap<>();

  private final Set<JettyExchange> live = ConcurrentHashMap.newKeySet();

  /** Set at the first start; null where there is no HTTP/2. */
  private volatile @Nullable Http2Watch http2;

  // Settings.
  private volatile @Nullable Duration callTimeout;
  private volatile @Nullable Duration queueTimeout;
  private volatile Duration continueTimeout = Duration.ofSeconds(1);
  private volatile int maxContentLength = Integer.MAX_VALUE;

  /** Creates a client that speaks HTTP/1.1, with one selector for each two processors. */
  public BlockingJettyClient() {
    this(
        new HttpClientTransportOverHTTP(
            Math.max(1, Runtime.getRuntime().availableProcessors() / 2)));
  }

  /** Creates a client with this transport, which may be for HTTP/1.1, HTTP/2 or both. */
  public BlockingJettyClient(HttpClientTransport transport) {
    super(transport);
    transport.setInvocationType(InvocationType.NON_BLOCKING);
    JettyPools.install(transport);
    super.setMaxConnectionsPerDestination(MAX_CONNECTIONS);
    super.setMaxResponseHeadersSize(MAX_RESPONSE_HEADERS);
    super.setAuthenticationStore(
        new NotedAuthentications(super.getAuthenticationStore(), userCode::note));
  }

  private static boolean isThere(String name) {
    try {
      Class.forName(name, false, BlockingJettyClient.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  // ---- settings -----------------------------------------------------------------------------

  /** Returns the total timeout of requests that set none; null (the default) for none. */
  public @Nullable Duration getCallTimeout() {
    return callTimeout;
  }

  /**
   * Sets the total timeout of requests that set none.
   *
   * @param timeout null or zero for none
   * @throws IllegalArgumentException if it is negative
   */
  public void setCallTimeout(@Nullable Duration timeout) {
    this.callTimeout = noneIfZero(timeout);
  }

  /**
   * Returns the longest wait of a request for a connection or stream; null (the default) for no
   * limit.
   */
  public @Nullable Duration getQueueTimeout() {
    return queueTimeout;
  }

  /**
   * Sets the longest wait of a request for a connection or an HTTP/2 stream: in the queue, for a
   * place in the queue, or until a new connection is open. After that, {@code send()} and {@code
   * get} throw {@link java.util.concurrent.TimeoutException}. Jetty has no such timeout.
   *
   * @param timeout null or zero for no limit
   * @throws IllegalArgumentException if it is negative
   */
  public void setQueueTimeout(@Nullable Duration timeout) {
    this.queueTimeout = noneIfZero(timeout);
  }

  /** Returns how long a body waits for the server to say 100-continue. */
  public Duration getContinueTimeout() {
    return continueTimeout;
  }

  /**
   * Sets how long the body of a request that expects 100-continue waits for the server's answer
   * before it is sent anyway (RFC 9110, 10.1.1). Default 1 s.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public void setContinueTimeout(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("negative timeout: " + timeout);
    }
    this.continueTimeout = timeout;
  }

  /**
   * Returns the maximum number of bytes that {@code send()} buffers; {@link Integer#MAX_VALUE} by
   * default.
   */
  public int getMaxContentLength() {
    return maxContentLength;
  }

  /**
   * Sets the maximum number of bytes that {@code send()} buffers. A longer response fails the call
   * as in Jetty: with an {@link java.util.concurrent.ExecutionException} caused by an {@link
   * IllegalArgumentException}.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public void setMaxContentLength(int bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("negative length: " + bytes);
    }
    this.maxContentLength = bytes;
  }

  /** Sets the resolver of host names. It runs on threads of its own, so it may block. */
  @Override
  public void setSocketAddressResolver(SocketAddressResolver resolver) {
    super.setSocketAddressResolver(
        resolver instanceof JettyResolver ? resolver : new JettyResolver(resolver));
  }

  @Override
  public void setAuthenticationStore(AuthenticationStore store) {
    userCode.note(store);
    super.setAuthenticationStore(
        store instanceof NotedAuthentications
            ? store
            : new NotedAuthentications(store, userCode::note));
  }

  private static @Nullable Duration noneIfZero(@Nullable Duration timeout) {
    if (timeout != null && timeout.isNegative()) {
      throw new IllegalArgumentException("negative timeout: " + timeout);
    }
    return timeout == null || timeout.isZero() ? null : timeout;
  }

  // ---- life ---------------------------------------------------------------------------------

  @Override
  protected void doStart() throws Exception {
    String name = getName() == null ? "heddle-jetty" : getName();
    if (getExecutor() == null) {
      setExecutor(new JettyThreads(name));
    }
    if (getScheduler() == null) {
      setScheduler(new JettyScheduler(name + "-scheduler"));
    }
    if (getSocketAddressResolver() == null) {
      setSocketAddressResolver(
          new SocketAddressResolver.Async(
              Runnable::run, getScheduler(), getAddressResolutionTimeout()));
    }
    userCode.note(getHttpCookieStore());
    JettyPools.install(getHttpClientTransport()); // a factory may have been set since
    if (http2 == null && HTTP2_THERE) {
      http2 = new Http2Watch(this);
    }
    super.doStart();
  }

  /**
   * Ends the calls under way first: Jetty forgets how to decode and redirect before it closes its
   * connections, and what arrives meanwhile would come to its caller as the server sent it.
   */
  @Override
  protected void doStop() throws Exception {
    live.forEach(JettyExchange::stop);
    Http2Watch watch = http2;
    if (watch != null) {
      watch.stop();
    }
    super.doStop();
    gates.clear();
  }

  // ---- requests -----------------------------------------------------------------------------

  @Override
  public Request newRequest(URI uri) {
    JettyRequest request = new JettyRequest(this, new HttpConversation(), uri);
    Duration timeout = callTimeout;
    if (timeout != null) {
      request.timeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }
    return request;
  }

  @Override
  public Destination resolveDestination(Request request) {
    Destination destination = super.resolveDestination(request);
    if (request instanceof JettyRequest jetty) {
      jetty.takePlace(gate(destination));
    }
    return destination;
  }

  private QueueGate gate(Destination destination) {
    QueueGate gate = gates.get(destination);
    return gate != null
        ? gate
        : gates.computeIfAbsent(
            destination, created -> new QueueGate(getMaxRequestsQueuedPerDestination()));
  }

  /** Opens a connection, unless all those for whom it is to be opened have given up by then. */
  @Override
  public void newConnection(Destination destination, Promise<Connection> promise) {
    userCode.beforeConnection();
    Runnable sender = () -> userCode.send(((HttpDestination) destination)::send);
    super.newConnection(destination, gate(destination).attempt(promise, sender));
  }

  @Override
  public boolean removeDestination(Destination destination) {
    gates.remove(destination);
    return super.removeDestination(destination);
  }

  /** Does this after a while, on one of the client's threads; not if it is stopped before. */
  void later(long delay, TimeUnit unit, Runnable work) {
    try {
      Scheduler.Task unused = getScheduler().schedule(() -> now(work), delay, unit);
    } catch (RejectedExecutionException e) {
      return; // it is stopped, which ends all
    }
  }

  private void now(Runnable work) {
    try {
      getExecutor().execute(work);
    } catch (RejectedExecutionException e) { // an executor of the user's that has no room
      work.run();
    }
  }

  /** A call has timed out over this connection, if it had one. */
  void noteTimeout(@Nullable Connection connection) {
    Http2Watch watch = http2;
    if (watch != null && connection != null) {
      watch.suspect(connection);
    }
  }

  /** A request has this connection. */
  void noteUse(@Nullable Connection connection) {
    Http2Watch watch = http2;
    if (watch != null
        && connection != null
        && !(connection instanceof org.eclipse.jetty.io.Connection)) { // of HTTP/1.1
      watch.serves(connection);
    }
  }

  UserCode userCode() {
    return userCode;
  }

  // ---- seeing inside ------------------------------------------------------------------------

  /** The calls that somebody may wait for. */
  Set<JettyExchange> live() {
    return live;
  }

  /**
   * Returns the number of requests that have a connection or a stream, including those with
   * listeners.
   */
  @Override
  public int inFlight() {
    return getDestinations().stream()
        .mapToInt(each -> JettyPools.inUse(each.getConnectionPool()))
        .sum();
  }

  /**
   * Returns the number of requests that wait for a connection or a stream, also while a connection
   * is being opened for them.
   */
  @Override
  public int waiting() {
    return waitingInQueue() + gates.values().stream().mapToInt(QueueGate::waiting).sum();
  }

  private int waitingInQueue() {
    return getDestinations().stream()
        .mapToInt(each -> ((HttpDestination) each).getQueuedRequestCount())
        .sum();
  }

  /** Returns Jetty's description of the client, and what each blocking call waits for. */
  @Override
  public String toString() {
    if (!isRunning()) {
      return super.toString();
    }
    CallReport report = new CallReport(super.toString(), this);
    gates.forEach((to, gate) -> gate.tell(report, "a call to " + to.getOrigin().asString()));
    live.forEach(each -> each.tell(report));
    return report.toString();
  }
}
