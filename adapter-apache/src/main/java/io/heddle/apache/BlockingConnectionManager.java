package io.heddle.apache;

import io.heddle.CallsInFlight;
import io.heddle.IoThread;
import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.CallSite;
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
 * A connection pool on Apache's asynchronous I/O reactor, for the classic client. Callers park
 * where they would block on a socket with a {@code PoolingHttpClientConnectionManager}.
 *
 * <pre>{@code
 * CloseableHttpClient client = HttpClients.custom()
 *     .setConnectionManager(BlockingConnectionManager.builder().setMaxConnPerRoute(500).build())
 *     .addExecInterceptorFirst("deadline", new CallDeadline())
 *     .build();
 * }</pre>
 *
 * <p>{@link BlockingHttpClients#custom()} does this with the defaults.
 *
 * <p><b>HTTP/2.</b> It is negotiated over TLS by default. Without TLS it is used only if the
 * version policy forces it. All calls to a route share a connection from its first request on. When
 * they use as many streams as the server allows, another connection is opened, up to the limit per
 * route; with a limit of 1, or beyond it, callers wait. A connection that takes no more calls, for
 * example after GOAWAY, no longer counts: its running calls complete, and another connection may be
 * opened.
 *
 * <p><b>Limits.</b> The defaults are {@value #DEFAULT_MAX_PER_ROUTE} connections per route and
 * {@value #DEFAULT_MAX_TOTAL} in total. Apache's defaults, 5 and 25, suit a service with a few
 * dozen threads, but would be the bottleneck with a virtual thread per request.
 *
 * <p><b>Threads.</b> Any thread may call all methods, except that those which wait throw {@link
 * IllegalStateException} on the reactor's own threads.
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

  /** Returns a builder with the setters of the classic pool's builder. */
  public static BlockingConnectionManagerBuilder builder() {
    return new BlockingConnectionManagerBuilder();
  }

  // ---- HttpClientConnectionManager ----------------------------------------------------------

  /**
   * Requests a connection to a route. Nothing is sent or leased until {@link LeaseRequest#get},
   * which waits.
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
        throw CallSite.caused(
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

  /** Returns a lease. The connection is kept if its last exchange ended cleanly. */
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
    boolean consistent = of.classic().isConsistent() && !of.isClosed();
    Runnable back = () -> lanes.giveBack(lease, newState, validDuration, consistent);
    ApacheExchange left = lease.shared() == null ? null : of.classic().leftToServer();
    if (left != null) {
      lease.connection().afterReset(left, back);
    } else {
      back.run();
    }
  }

  /**
   * Connects a leased endpoint unless it is connected: looks the name up, connects, and over TLS
   * negotiates the protocol. Waits as long as the timeouts and the call's deadline allow.
   *
   * @param connectTimeout for TCP, and again for TLS unless TLS has a timeout of its own; null for
   *     that of the connection configuration
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

  /** Continues over TLS: at the end of a tunnel, or after the server has switched to it. */
  @Override
  public void upgrade(ConnectionEndpoint endpoint, HttpContext context) throws IOException {
    ApacheEndpoint of = cast(endpoint);
    IoThread.forbidWaiting();
    connector.upgrade(of, context);
  }

  /** Same as {@link #close(CloseMode)} with {@link CloseMode#GRACEFUL}. */
  @Override
  public void close() {
    close(CloseMode.GRACEFUL);
  }

  /**
   * Closes the manager. Calls that wait for a lease, a connection, a response or a body throw
   * {@link IOException} at once. Connections and threads end. A graceful close takes up to one
   * second, for what peers still send. Closing again does nothing.
   *
   * <p>Apache's execution chain also calls this method, with {@link CloseMode#IMMEDIATE}, when user
   * code throws an {@code Error}. Then only that call ends, and the manager stays open.
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

  /**
   * Sets the socket options and the default timeout of a wait for the peer; null for the defaults.
   */
  public void setDefaultSocketConfig(@Nullable SocketConfig config) {
    setSocketConfigResolver(config == null ? null : route -> config);
  }

  /**
   * Sets the socket options by route, see {@link
   * BlockingConnectionManagerBuilder#setSocketConfigResolver}.
   */
  public void setSocketConfigResolver(@Nullable Resolver<HttpRoute, SocketConfig> resolver) {
    settings.setSocketConfigs(resolver);
  }

  /** Sets timeouts, time to live and validation of connections; null for the defaults. */
  public void setDefaultConnectionConfig(@Nullable ConnectionConfig config) {
    setConnectionConfigResolver(config == null ? null : route -> config);
  }

  /** Sets timeouts, time to live and validation of connections by route. */
  public void setConnectionConfigResolver(
      @Nullable Resolver<HttpRoute, ConnectionConfig> resolver) {
    settings.setConnectionConfigs(resolver);
  }

  /**
   * Sets TLS versions, ciphers, the handshake timeout and the HTTP version policy; null for the
   * defaults.
   */
  public void setDefaultTlsConfig(@Nullable TlsConfig config) {
    setTlsConfigResolver(config == null ? null : host -> config);
  }

  /** Sets TLS versions, ciphers, the handshake timeout and the HTTP version policy by host. */
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
   * Returns the pool's statistics. A shared HTTP/2 connection counts once, as leased, while one of
   * its streams is leased, or was given up and the server is still to confirm that, and it takes
   * more calls. Callers that wait for a stream count as pending.
   */
  @Override
  public PoolStats getTotalStats() {
    return lanes.totalStats();
  }

  /** Returns the statistics of one route, counted as in {@link #getTotalStats}. */
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

  /** Returns the number of leases: connections, and streams of shared connections. */
  @Override
  public int inFlight() {
    return leases();
  }

  @Override
  public int waiting() {
    return waits.count(Step.PLACE);
  }

  /** Returns the pool's statistics, and what each call waits for. */
  @Override
  public String toString() {
    CallReport report = new CallReport("BlockingConnectionManager" + getTotalStats(), this);
    waits.tell(report);
    leased.forEach(each -> each.classic().tell(report));
    return report.toString();
  }
}
