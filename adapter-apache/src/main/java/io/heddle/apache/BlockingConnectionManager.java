package io.heddle.apache;

import io.heddle.CallsInFlight;
import io.heddle.IoThread;
import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import java.io.IOException;
import java.util.Comparator;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.client5.http.io.LeaseRequest;
import org.apache.hc.core5.function.Resolver;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.ConnPoolControl;
import org.apache.hc.core5.pool.ManagedConnPool;
import org.apache.hc.core5.pool.PoolStats;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A pool of connections of Apache's asynchronous I/O reactor, for the classic client. Callers park
 * where a {@code PoolingHttpClientConnectionManager} has them block on a socket.
 *
 * <pre>{@code
 * CloseableHttpClient client = HttpClients.custom()
 *     .setConnectionManager(BlockingConnectionManager.builder().setMaxConnPerRoute(500).build())
 *     .addExecInterceptorFirst("deadline", new CallDeadline())
 *     .build();
 * }</pre>
 *
 * <p>{@link BlockingHttpClients#custom()} is the same with the defaults.
 *
 * <p><b>HTTP/2.</b> Over TLS it is negotiated by default, without TLS it is spoken where the
 * version policy forces it. All calls to one route share a connection, from its very first request
 * on. When they have as many streams as the server allows, another connection is opened, up to the
 * limit per route; then callers wait. A limit per route of 1 makes them wait at once. A connection
 * that takes no further calls, say after GOAWAY, does not count any more: what is under way on it
 * comes to its end, and another may be opened beside it.
 *
 * <p><b>Limits.</b> By default {@value #DEFAULT_MAX_PER_ROUTE} connections per route and {@value
 * #DEFAULT_MAX_TOTAL} in all. Apache's own 5 and 25 suit a service with some dozen threads; with a
 * virtual thread per request they would be the bottleneck.
 *
 * <p><b>Threads.</b> All methods may be called from any thread but one of the reactor's own, where
 * those that wait throw {@link IllegalStateException}.
 */
public final class BlockingConnectionManager
    implements HttpClientConnectionManager, ConnPoolControl<HttpRoute>, CallsInFlight {

  static final int DEFAULT_MAX_PER_ROUTE = 1_000;
  static final int DEFAULT_MAX_TOTAL = 10_000;

  private static final AtomicLong ENDPOINTS = new AtomicLong();

  private final ManagedConnPool<HttpRoute, ReactorConnection> pool;
  private final ConnectionOpener opener;
  private final RouteSettings settings;
  private final ApacheLanes lanes;
  private final LeaseConnector connector;
  private final OpenWaits waits = new OpenWaits();
  private final Set<ApacheEndpoint> leased = ConcurrentHashMap.newKeySet();

  BlockingConnectionManager(
      ManagedConnPool<HttpRoute, ReactorConnection> pool, ConnectionOpener opener) {
    this.pool = pool;
    this.opener = opener;
    this.settings = new RouteSettings(opener.defaultSocketConfig());
    this.lanes = new ApacheLanes(pool, settings);
    this.connector = new LeaseConnector(opener, lanes, settings);
  }

  /** A builder with everything that the classic pool's builder carries. */
  public static BlockingConnectionManagerBuilder builder() {
    return new BlockingConnectionManagerBuilder();
  }

  // ---- HttpClientConnectionManager ----------------------------------------------------------

  /**
   * Asks for a connection to a route. Nothing is sent and nothing leased before {@link
   * LeaseRequest#get}, which waits.
   *
   * @throws IllegalStateException if the manager is closed, or on one of the reactor's threads
   */
  @Override
  public LeaseRequest lease(
      String id, HttpRoute route, @Nullable Timeout requestTimeout, @Nullable Object state) {
    Objects.requireNonNull(route, "HTTP route");
    IoThread.forbidWaiting();
    checkOpen();
    return new PendingLease(route, state);
  }

  /** What {@link #lease} gives out: the wait for a connection, which another thread may cancel. */
  private final class PendingLease extends CancellableWaits implements LeaseRequest {
    private final HttpRoute route;
    private final @Nullable Object state;

    PendingLease(HttpRoute route, @Nullable Object state) {
      super(waits, route.getTargetHost());
      this.route = route;
      this.state = state;
    }

    @Override
    public ConnectionEndpoint get(Timeout timeout)
        throws InterruptedException, ExecutionException, TimeoutException {
      IoThread.forbidWaiting();
      try {
        return leased(timeout);
      } catch (Throwable t) {
        failed(event(), t);
        throw t;
      }
    }

    private ConnectionEndpoint leased(Timeout timeout)
        throws InterruptedException, ExecutionException, TimeoutException {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted before the start");
      }
      Deadline deadline = CallDeadline.after(timeout).earlier(CallDeadline.ofThread());
      try {
        ApacheEndpoint endpoint =
            endpoint(route, lanes.acquire(route, state, deadline, this), event());
        if (isCancelled()) { // when the lease was there, or before there was a wait
          release(endpoint, null, TimeValue.NEG_ONE_MILLISECOND);
          throw new CancellationException("the lease was cancelled");
        }
        return endpoint;
      } catch (CancellationException e) {
        throw new ExecutionException(ApacheFailures.closed(e));
      } catch (TimeoutException e) {
        throw ApacheFailures.caused(
            new TimeoutException("no connection to " + route + " within " + timeout), e);
      }
    }
  }

  private ApacheEndpoint endpoint(HttpRoute route, Lease lease, CallEvent event) {
    ApacheEndpoint endpoint =
        new ApacheEndpoint(
            ENDPOINTS.incrementAndGet(),
            route,
            lease,
            settings.socketTimeout(route),
            new CancellableWaits(waits, route.getTargetHost(), event),
            connector);
    leased.add(endpoint);
    if (lanes.isClosed()) { // whoever closes may have missed it
      endpoint.fail(new ApacheFailures.ShutDown());
    }
    return endpoint;
  }

  /** Gives a lease back; what became of its exchange decides what becomes of the connection. */
  @Override
  public void release(
      ConnectionEndpoint endpoint, @Nullable Object newState, @Nullable TimeValue validDuration) {
    ApacheEndpoint of = cast(endpoint);
    Lease lease = of.detach();
    if (lease == null) {
      return;
    }
    leased.remove(of);
    of.waits().cancel(); // if it is another thread that releases
    of.classic().giveUp();
    of.waits().event().end(CallEvent.End.CLOSED); // if it is not over
    if (lease.shared() != null && of.isReuseRefused()) {
      lease.shared().retire();
    }
    lanes.giveBack(lease, newState, validDuration, of.classic().isConsistent() && !of.isClosed());
  }

  /**
   * Connects a leased endpoint, if it is not: looks the name up, connects, and over TLS negotiates
   * the protocol. Waits for as long as the timeouts and the call's deadline allow.
   *
   * @param connectTimeout for TCP, and, where TLS has no timeout of its own, once more for TLS;
   *     null for what the connection configuration says
   */
  @Override
  public void connect(
      ConnectionEndpoint endpoint, @Nullable TimeValue connectTimeout, HttpContext context)
      throws IOException {
    ApacheEndpoint of = cast(endpoint);
    try {
      connector.connect(of, connectTimeout, context);
    } catch (Throwable t) {
      failed(of.waits().event(), t);
      throw t;
    }
  }

  private void failed(CallEvent event, Throwable failure) {
    if (lanes.isClosed()) {
      event.cancels();
    }
    event.failed(failure);
  }

  /** Goes on over TLS: at the end of a tunnel, or after the server switched to it. */
  @Override
  public void upgrade(ConnectionEndpoint endpoint, HttpContext context) throws IOException {
    ApacheEndpoint of = cast(endpoint);
    IoThread.forbidWaiting();
    connector.upgrade(of, context);
  }

  /** As {@link #close(CloseMode)} with {@link CloseMode#GRACEFUL}. */
  @Override
  public void close() {
    close(CloseMode.GRACEFUL);
  }

  /**
   * Ends everything: calls that wait, for a lease, a connection, a response or a body, get an
   * {@link IOException} at once; connections and threads end. A graceful close takes up to a second
   * for what the peers have to say to it. Any number of times.
   *
   * <p>Apache's chain calls this too, when an {@code Error} of user code passes it. Then only the
   * call that it passes ends, the last whose connection this thread has leased.
   *
   * @throws IllegalStateException on one of the reactor's threads
   */
  @Override
  public void close(CloseMode closeMode) {
    IoThread.forbidWaiting();
    if (closeMode == CloseMode.IMMEDIATE && ApacheInternals.isErrorPassing(getClass())) {
      endCallOfThread();
      return;
    }
    if (!lanes.beginClose()) {
      return;
    }
    ApacheFailures.ShutDown why = new ApacheFailures.ShutDown();
    waits.close(why);
    for (ApacheEndpoint each : leased) {
      each.fail(why);
    }
    lanes.close(closeMode);
    opener.close(closeMode);
  }

  private void endCallOfThread() {
    leased.stream()
        .filter(each -> each.caller().equals(Thread.currentThread()))
        .max(Comparator.comparingLong(ApacheEndpoint::number))
        .ifPresent(
            each -> {
              each.close(CloseMode.IMMEDIATE);
              release(each, null, null);
            });
  }

  private void checkOpen() {
    if (lanes.isClosed()) {
      throw new IllegalStateException("Connection pool shut down");
    }
  }

  // ---- configuration of a route -------------------------------------------------------------

  /** Socket options, and the timeout of a wait for the peer; null for the defaults. */
  public void setDefaultSocketConfig(@Nullable SocketConfig config) {
    setSocketConfigResolver(config == null ? null : route -> config);
  }

  /** Socket options by route, see {@link BlockingConnectionManagerBuilder}. */
  public void setSocketConfigResolver(@Nullable Resolver<HttpRoute, SocketConfig> resolver) {
    settings.setSocketConfigs(resolver);
  }

  /** Timeouts, time to live, validation of connections; null for the defaults. */
  public void setDefaultConnectionConfig(@Nullable ConnectionConfig config) {
    setConnectionConfigResolver(config == null ? null : route -> config);
  }

  /** Timeouts, time to live, validation of connections, by route. */
  public void setConnectionConfigResolver(
      @Nullable Resolver<HttpRoute, ConnectionConfig> resolver) {
    settings.setConnectionConfigs(resolver);
  }

  /** TLS versions, ciphers, handshake timeout, and the HTTP version policy; null for defaults. */
  public void setDefaultTlsConfig(@Nullable TlsConfig config) {
    setTlsConfigResolver(config == null ? null : host -> config);
  }

  /** TLS and HTTP versions by host. */
  public void setTlsConfigResolver(@Nullable Resolver<HttpHost, TlsConfig> resolver) {
    settings.setTlsConfigs(resolver);
  }

  private static ApacheEndpoint cast(ConnectionEndpoint endpoint) {
    if (endpoint instanceof ApacheEndpoint ours) {
      return ours;
    }
    throw new IllegalArgumentException(
        "this endpoint is not a lease of a BlockingConnectionManager: " + endpoint);
  }

  /** How many endpoints are out: connections, and streams of shared ones. */
  int leases() {
    return leased.size();
  }

  /** About how many routes something is kept here, beside what the pool keeps. */
  int knownRoutes() {
    return lanes.knownRoutes();
  }

  // ---- ConnPoolControl ----------------------------------------------------------------------

  /**
   * What the pool holds. A shared HTTP/2 connection counts once, as leased, as long as one of its
   * streams is, and it takes further calls; the callers that wait for a stream count as pending.
   */
  @Override
  public PoolStats getTotalStats() {
    return lanes.totalStats();
  }

  /** As {@link #getTotalStats}, of one route. */
  @Override
  public PoolStats getStats(HttpRoute route) {
    return lanes.stats(route);
  }

  @Override
  public void setMaxTotal(int max) {
    pool.setMaxTotal(max);
  }

  @Override
  public int getMaxTotal() {
    return pool.getMaxTotal();
  }

  @Override
  public void setDefaultMaxPerRoute(int max) {
    pool.setDefaultMaxPerRoute(max);
  }

  @Override
  public int getDefaultMaxPerRoute() {
    return pool.getDefaultMaxPerRoute();
  }

  @Override
  public void setMaxPerRoute(HttpRoute route, int max) {
    pool.setMaxPerRoute(route, max);
  }

  @Override
  public int getMaxPerRoute(HttpRoute route) {
    return pool.getMaxPerRoute(route);
  }

  @Override
  public void closeIdle(TimeValue idleTime) {
    lanes.closeIdle(idleTime);
  }

  @Override
  public void closeExpired() {
    lanes.closeExpired();
  }

  @Override
  public Set<HttpRoute> getRoutes() {
    return pool.getRoutes();
  }

  // ---- seeing inside ------------------------------------------------------------------------

  /** How many leases are out: connections, and streams of shared ones. */
  @Override
  public int inFlight() {
    return leases();
  }

  @Override
  public int waiting() {
    return waits.count(Step.PLACE);
  }

  /** The pool's figures, and what each call waits for, see {@link CallReport}. */
  @Override
  public String toString() {
    CallReport report = new CallReport("BlockingConnectionManager" + getTotalStats(), this);
    waits.tell(report);
    leased.forEach(each -> each.classic().tell(report));
    return report.toString();
  }
}
