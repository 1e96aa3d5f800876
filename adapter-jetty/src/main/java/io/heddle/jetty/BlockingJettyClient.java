package io.heddle.jetty;

import io.heddle.CallsInFlight;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
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
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's {@code HttpClient}, whose blocking calls suit virtual threads: {@code GET}, {@code POST},
 * {@code FORM} and {@link Request#send()} as they are, and for streams {@link
 * BlockingResponseListener} and {@link BlockingRequestContent} in place of Jetty's two classes.
 *
 * <pre>{@code
 * BlockingJettyClient client = new BlockingJettyClient(); // in place of new HttpClient()
 * client.start();
 * ContentResponse response = client.GET("https://example.org/");
 * }</pre>
 *
 * <p>What is different from Jetty's own:
 *
 * <ul>
 *   <li>{@code send()} gathers a response of any length (Jetty's ends at 2 MiB), unless {@link
 *       #setMaxContentLength} says otherwise.
 *   <li>A call that is interrupted before it starts sends nothing. Every call that is given up is
 *       aborted.
 *   <li>{@link Request#timeout} ends the caller's wait by the caller's own clock, to the nanosecond
 *       that was asked for; {@link #setCallTimeout} sets one for all requests.
 *   <li>A caller that finds the destination's queue full waits for a place (Jetty's fails), for no
 *       longer than its total timeout and {@link #setLeaseTimeout} allow.
 *   <li>A connection that is being opened is given up with the last call that waits for it (Jetty's
 *       is opened all the same).
 *   <li>A body that is read from a stream or a file is read on a virtual thread.
 *   <li>A GET, HEAD, OPTIONS or TRACE without body that meets a connection which the server has
 *       just closed is sent again, up to {@value io.heddle.core.Resends#MOST_LOST} times. What a
 *       server of HTTP/2 says that it has not processed (GOAWAY, REFUSED_STREAM) is sent again,
 *       until the total timeout or {@value io.heddle.core.Resends#MOST_UNPROCESSED} times. Neither
 *       holds for a request with listeners of the user's, which would be told twice.
 *   <li>An answer that comes before the end of the upload is read before the failure of the upload
 *       ends the call; over TLS it may be lost, as with Jetty's.
 *   <li>On HTTP/2 a body that does not match its Content-Length fails (Jetty's reader waits for
 *       ever), and a connection over which a call has timed out without a sign of life is left.
 *   <li>A request that expects 100-continue sends its body after {@link #setContinueTimeout}, 1 s,
 *       of silence (Jetty's waits for ever).
 *   <li>Names are looked up on threads of their own, also by a resolver of the user's.
 *   <li>A head or trailers of more than 256 KiB fail the call (Jetty's keeps them, however long);
 *       {@link #setMaxResponseHeadersSize} sets another limit.
 *   <li>256 connections per destination (Jetty's default is 64).
 * </ul>
 *
 * <p>How threads are used is told in the package's documentation. All methods may be called by any
 * thread; a blocking call on an I/O thread fails at once with {@link IllegalStateException}.
 *
 * <p>May be extended, as Jetty's may: an override calls the method that it overrides.
 */
@SuppressWarnings({"try", "this-escape"}) // close() is Jetty's, and throws what stopping throws
public class BlockingJettyClient extends HttpClient implements CallsInFlight {

  /** As many callers as can wait for HTTP/1.1 responses of one destination at a time. */
  static final int MAX_CONNECTIONS = 256;

  /** As OkHttp has it; enough for any head that people send, and no harm to a small heap. */
  private static final int MAX_RESPONSE_HEADERS = 256 * 1024;

  private static final boolean HTTP2_THERE = isThere("org.eclipse.jetty.http2.client.HTTP2Client");

  private static final Duration CONTINUE_TIMEOUT = Duration.ofSeconds(1);

  private final ConcurrentMap<Destination, QueueGate> gates = new ConcurrentHashMap<>();

  private final Set<JettyExchange<?>> live = ConcurrentHashMap.newKeySet();

  /** HTTP/2 connections that have ended a stream; those of HTTP/1.1 count by themselves. */
  private final Set<Connection> served = ConcurrentHashMap.newKeySet();

  /** Set at the first start; null where there is no HTTP/2. */
  private volatile @Nullable Http2Watch http2;

  // Settings.
  private volatile @Nullable Duration callTimeout;
  private volatile @Nullable Duration leaseTimeout;
  private volatile Duration continueTimeout = CONTINUE_TIMEOUT;
  private volatile int maxContentLength = Integer.MAX_VALUE;

  // Set once, for good: connections that are made from then on may run code that blocks.
  private volatile boolean listening;

  /** A client that speaks HTTP/1.1, with one selector for each two processors. */
  public BlockingJettyClient() {
    this(new HttpClientTransportOverHTTP(selectors()));
  }

  /** A client over this transport, which may be one for HTTP/1.1, HTTP/2 or both. */
  public BlockingJettyClient(HttpClientTransport transport) {
    super(transport);
    transport.setInvocationType(InvocationType.NON_BLOCKING);
    JettyPools.install(transport);
    super.setMaxConnectionsPerDestination(MAX_CONNECTIONS);
    super.setMaxResponseHeadersSize(MAX_RESPONSE_HEADERS);
    super.setAuthenticationStore(
        new NotedAuthentications(super.getAuthenticationStore(), this::noteCode));
  }

  private static boolean isThere(String name) {
    try {
      Class.forName(name, false, BlockingJettyClient.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static int selectors() {
    return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
  }

  // ---- settings -----------------------------------------------------------------------------

  /** The total timeout of requests that set none of their own; null, the default, is none. */
  public @Nullable Duration getCallTimeout() {
    return callTimeout;
  }

  /**
   * Sets the total timeout of requests that set none of their own.
   *
   * @param timeout null or zero is none
   * @throws IllegalArgumentException if it is negative
   */
  public void setCallTimeout(@Nullable Duration timeout) {
    this.callTimeout = noneIfZero(timeout);
  }

  /** How long a request may wait for a connection or stream; null, the default, is for ever. */
  public @Nullable Duration getLeaseTimeout() {
    return leaseTimeout;
  }

  /**
   * Sets how long a request may wait for a connection, or a stream of HTTP/2, be it in the queue,
   * for a place in it, or until a new connection is open. Beyond that, {@code send()} and {@code
   * get} throw {@link java.util.concurrent.TimeoutException}. Jetty has no such timeout.
   *
   * @param timeout null or zero is for ever
   * @throws IllegalArgumentException if it is negative
   */
  public void setLeaseTimeout(@Nullable Duration timeout) {
    this.leaseTimeout = noneIfZero(timeout);
  }

  /** How long a body waits for the server to say 100. */
  public Duration getContinueTimeout() {
    return continueTimeout;
  }

  /**
   * Sets how long the body of a request that expects 100-continue waits for the server to answer,
   * before it is sent all the same (RFC 9110, 10.1.1).
   *
   * @throws IllegalArgumentException if it is negative
   */
  public void setContinueTimeout(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("negative timeout: " + timeout);
    }
    this.continueTimeout = timeout;
  }

  /** How many bytes {@code send()} gathers at most; {@link Integer#MAX_VALUE} by default. */
  public int getMaxContentLength() {
    return maxContentLength;
  }

  /**
   * Sets how many bytes {@code send()} gathers at most. A longer response fails the call, as Jetty
   * has it: with an {@link java.util.concurrent.ExecutionException} due to an {@link
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

  /**
   * Sets the resolver of host names. It is called on threads that do nothing else, so it may block.
   */
  @Override
  public void setSocketAddressResolver(SocketAddressResolver resolver) {
    super.setSocketAddressResolver(
        resolver instanceof LookupThreads ? resolver : new LookupThreads(resolver));
  }

  @Override
  public void setAuthenticationStore(AuthenticationStore store) {
    noteCode(store);
    super.setAuthenticationStore(
        store instanceof NotedAuthentications
            ? store
            : new NotedAuthentications(store, this::noteCode));
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
    noteCode(getHttpCookieStore());
    JettyPools.install(getHttpClientTransport()); // a factory may have been set since
    if (http2 == null && HTTP2_THERE) {
      http2 = Http2Watch.over(this);
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
    served.clear();
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
    if (listening) {
      makeBlocking(); // another client over the same transport has set it to what it began with
    }
    Runnable sender = () -> runSender(((HttpDestination) destination)::send);
    super.newConnection(destination, gate(destination).attempt(promise, sender));
  }

  @Override
  public boolean removeDestination(Destination destination) {
    gates.remove(destination);
    return super.removeDestination(destination);
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
        && !(connection instanceof org.eclipse.jetty.io.Connection) // of HTTP/1.1
        && !served.contains(connection)) {
      watch.serves(connection);
    }
  }

  /**
   * A connection has ended some time ago: tells whoever still waits for it.
   *
   * @return whether there are calls on it that do not wait now
   */
  boolean endWaits(Connection connection) {
    boolean any = false;
    for (JettyExchange<?> each : live) {
      any |= each.isOn(connection) && !each.endWait();
    }
    return any;
  }

  void noteServed(Connection connection) {
    if (!served.contains(connection)) {
      served.add(connection);
    }
  }

  void forgetServed(Connection connection) {
    served.remove(connection);
  }

  /**
   * Whether the connection has served a request before, or was at least open: Jetty opens one for a
   * request that then finds another.
   *
   * @param queuedAt when the request was queued that has it now, in ms since the epoch
   */
  boolean wasThereBefore(@Nullable Connection connection, long queuedAt) {
    if (connection instanceof org.eclipse.jetty.io.Connection http1) {
      return http1.getMessagesIn() > 0 || http1.getCreatedTimeStamp() <= queuedAt;
    }
    return connection != null && served.contains(connection);
  }

  // ---- seeing inside ------------------------------------------------------------------------

  Set<JettyExchange<?>> live() {
    return live;
  }

  /** How many requests have a connection, or a stream of one; those with listeners too. */
  @Override
  public int inFlight() {
    int all = 0;
    for (Destination each : getDestinations()) {
      all += JettyPools.inUse(each.getConnectionPool());
    }
    return all;
  }

  /** How many requests wait for that, be it that a connection is being made for them. */
  @Override
  public int waiting() {
    return waitingInQueue() + gates.values().stream().mapToInt(QueueGate::waiting).sum();
  }

  private int waitingInQueue() {
    int all = 0;
    for (Destination each : getDestinations()) {
      all += each instanceof HttpDestination queue ? queue.getQueuedRequestCount() : 0;
    }
    return all;
  }

  /** Jetty's own, and what each blocking call waits for, see {@link CallReport}. */
  @Override
  public String toString() {
    if (!isRunning()) {
      return super.toString();
    }
    CallReport report = new CallReport(super.toString(), this);
    report.add(Step.PLACE, waiting() - waitingInQueue());
    live.forEach(each -> each.tell(report));
    return report.toString();
  }

  // ---- users' code --------------------------------------------------------------------------

  /** Takes note of code that Jetty will run on its threads; null is none. */
  final void noteCode(@Nullable Object code) {
    if (!listening && UserCode.mayBlock(code)) {
      runUserCode();
    }
  }

  /** From now on, connections that are made and those that are used may run code that blocks. */
  void runUserCode() {
    makeBlocking();
    listening = true; // after the line above: who sees it makes connections of that kind
  }

  private void makeBlocking() {
    if (getHttpClientTransport().getInvocationType() == InvocationType.NON_BLOCKING) {
      getHttpClientTransport().setInvocationType(InvocationType.BLOCKING);
    }
  }

  /** Whether a connection must not be used any more, as it runs on I/O threads what may block. */
  boolean isOutdated(Connection connection) {
    return listening && Invocable.getInvocationType(connection) == InvocationType.NON_BLOCKING;
  }

  /**
   * Runs what sends queued requests: here, or, if there is users' code (a cookie store, a request's
   * listeners), on a virtual thread, as this may be an I/O thread.
   */
  void runSender(Runnable sender) {
    Executor elsewhere = listening ? VirtualThreads.getVirtualThreadsExecutor(getExecutor()) : null;
    if (elsewhere == null) {
      sender.run();
    } else {
      elsewhere.execute(sender);
    }
  }
}
