package io.heddle.apache;

import io.heddle.core.CallEvent.Step;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.ManagedConnPool;
import org.apache.hc.core5.pool.PoolEntry;
import org.apache.hc.core5.pool.PoolStats;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a manager: which of them a call gets, whether it is still good, and what
 * becomes of it afterwards. One of the pool's is a call's alone; one that speaks HTTP/2 is its
 * route's {@link SharedConnections}'.
 *
 * <pre>{@code
 * acquire ── may be HTTP/2 ──▶ SharedConnections ──▶ a stream, or the failure of who opened
 *    │                               └ nobody has one ──▶┐
 *    └──── HTTP/1.1, or with a state ───────────────────▶ the pool ──▶ a connection that is
 *                                                                      fit, or an entry for one
 * giveBack ──▶ the stream's connection, after its last stream, or the call's own ──▶ the pool
 * }</pre>
 */
final class ApacheLanes {

  /** As the classic pool has it: a connection that idled longer is looked at before it is used. */
  private static final TimeValue VALIDATE_AFTER = TimeValue.ofSeconds(2);

  private final ManagedConnPool<HttpRoute, ReactorConnection> pool;
  private final RouteSettings settings;
  private final ConcurrentMap<HttpRoute, SharedConnections> shared = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  ApacheLanes(ManagedConnPool<HttpRoute, ReactorConnection> pool, RouteSettings settings) {
    this.pool = pool;
    this.settings = settings;
  }

  /** Waits for what a call may use: its connection may be yet to be made, see {@link Lease}. */
  Lease acquire(
      HttpRoute route, @Nullable Object state, Deadline deadline, CancellableWaits pending)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (state != null || !settings.mayShare(route)) {
      return Lease.ALONE.with(fromPool(route, state, deadline, pending));
    }
    Exchange<Lease> asking = null;
    while (asking == null) {
      SharedConnections of = sharedOf(route);
      asking = of.ask();
      if (asking == null) {
        shared.remove(route, of); // which is being done at this moment
      }
    }
    Lease granted = pending.await(Step.PLACE, asking, deadline);
    if (!granted.needsEntry()) { // a stream, or a failure
      return granted;
    }
    Lease lease = granted;
    try {
      lease = granted.with(fromPool(route, null, deadline, pending));
    } finally {
      if (lease.needsEntry()) {
        granted.openGivenUp();
      }
    }
    Lease then = lease.connected(); // the pool may have had a connection
    lease.tell(then);
    return then;
  }

  /** A connection of the pool, or an entry for one that is still to be made. */
  private PoolEntry<HttpRoute, ReactorConnection> fromPool(
      HttpRoute route, @Nullable Object state, Deadline deadline, CancellableWaits pending)
      throws InterruptedException, ExecutionException, TimeoutException {
    Exchange<PoolEntry<HttpRoute, ReactorConnection>> leasing =
        new Exchange<>(late -> release(late, isReusable(late)));
    Future<?> future =
        pool.lease(
            route,
            state,
            Timeout.DISABLED, // the exchange has the deadline
            new FutureCallback<PoolEntry<HttpRoute, ReactorConnection>>() {
              @Override
              public void completed(PoolEntry<HttpRoute, ReactorConnection> entry) {
                leasing.complete(entry); // wakes the caller in await
              }

              @Override
              public void failed(Exception cause) {
                leasing.fail(cause);
              }

              @Override
              public void cancelled() {
                leasing.cancel();
              }
            });
    leasing.onAbandon(() -> future.cancel(true));
    PoolEntry<HttpRoute, ReactorConnection> entry = pending.await(Step.PLACE, leasing, deadline);
    boolean usable = false;
    try {
      discardIfUnfit(entry, deadline, pending);
      usable = true;
      return entry;
    } finally {
      if (!usable) {
        release(entry, false);
      }
    }
  }

  /** Old, idle for too long, or found dead: what the classic pool looks at, in that order. */
  private void discardIfUnfit(
      PoolEntry<HttpRoute, ReactorConnection> entry, Deadline deadline, CancellableWaits pending)
      throws InterruptedException, ExecutionException, TimeoutException {
    ReactorConnection connection = entry.getConnection();
    if (connection == null) {
      return;
    }
    if (!connection.isOpen()) {
      entry.discardConnection(CloseMode.IMMEDIATE);
      return;
    }
    ConnectionConfig config = settings.connectionConfig(entry.getRoute());
    long idleMillis = System.currentTimeMillis() - entry.getUpdated();
    TimeValue idleTimeout = config.getIdleTimeout();
    if (settings.isOutlived(entry)
        || (TimeValue.isPositive(idleTimeout) && idleMillis >= idleTimeout.toMilliseconds())) {
      entry.discardConnection(CloseMode.GRACEFUL);
      return;
    }
    TimeValue after = config.getValidateAfterInactivity();
    after = after == null ? VALIDATE_AFTER : after;
    if (connection.isSuspected()
        || (TimeValue.isNonNegative(after) && idleMillis >= after.toMilliseconds())) {
      Exchange<Boolean> alive = new Exchange<>();
      connection.checkAlive(alive);
      if (!isAnswered(alive, deadline, pending)) {
        entry.discardConnection(CloseMode.IMMEDIATE);
      }
    }
  }

  /** A path that is dead does not answer at all: no answer in time says that. */
  private static boolean isAnswered(
      Exchange<Boolean> alive, Deadline deadline, CancellableWaits pending)
      throws InterruptedException, ExecutionException, TimeoutException {
    try {
      return pending.await(Step.CONNECTION, alive, CallDeadline.ofProof().earlier(deadline));
    } catch (TimeoutException e) {
      if (deadline.isExpired()) {
        throw e;
      }
      return false;
    }
  }

  /**
   * Takes a lease back.
   *
   * @param state of the connection, for who may have it next
   * @param keepAlive how long it may idle; null if it must not be used again
   * @param consistent whether its last exchange has ended as it should
   */
  void giveBack(
      Lease lease, @Nullable Object state, @Nullable TimeValue keepAlive, boolean consistent) {
    SharedConnections.Shared stream = lease.shared();
    if (stream != null) {
      stream.release(TimeValue.isPositive(keepAlive) ? keepAlive : null);
    } else if (!lease.holdsNothing()) {
      ReactorConnection connection = lease.connection();
      // Connected at this moment by the caller, which will find that it has come too late.
      boolean late = lease.sharing() != null && connection.isMultiplexed();
      putBack(lease.entry(), state, keepAlive, consistent && !late);
      lease.openGivenUp();
    }
  }

  private void putBack(
      PoolEntry<HttpRoute, ReactorConnection> entry,
      @Nullable Object state,
      @Nullable TimeValue keepAlive,
      boolean consistent) {
    if (closed.get()) {
      entry.discardConnection(CloseMode.IMMEDIATE);
    }
    boolean reusable = consistent && keepAlive != null && isReusable(entry);
    if (reusable) {
      entry.updateState(state);
      entry.updateExpiry(settings.withinLife(entry, Objects.requireNonNull(keepAlive)));
    }
    release(entry, reusable);
  }

  /** Any thread, beside one that closes the pool. */
  private void release(PoolEntry<HttpRoute, ReactorConnection> entry, boolean reusable) {
    try {
      pool.release(entry, reusable);
    } catch (IllegalStateException e) { // it knows no such entry
      if (!closed.get()) {
        throw e;
      } // else it was closed since it looked whether it is, and so were all its connections
    }
  }

  private static boolean isReusable(PoolEntry<HttpRoute, ReactorConnection> entry) {
    ReactorConnection connection = entry.getConnection();
    return connection != null && connection.isOpen();
  }

  /** Waits for a place for a connection that is the call's alone until it is at its target. */
  Lease acquireForTunnel(HttpRoute route, Deadline deadline, CancellableWaits pending)
      throws InterruptedException, ExecutionException, TimeoutException {
    PoolEntry<HttpRoute, ReactorConnection> entry = fromPool(route, null, deadline, pending);
    entry.discardConnection(CloseMode.GRACEFUL);
    return Lease.exclusive(sharedOf(route)).with(entry);
  }

  private SharedConnections sharedOf(HttpRoute route) {
    SharedConnections known = shared.get(route);
    return known != null
        ? known
        : shared.computeIfAbsent(route, r -> new SharedConnections(r, this));
  }

  // ---- for shared connections ---------------------------------------------------------------

  /** How many connections the route may have. */
  int maxConnections(HttpRoute route) {
    return pool.getMaxPerRoute(route);
  }

  /** Whether a connection is past its time to live, so that no exchange may begin on it. */
  boolean isOutlived(PoolEntry<HttpRoute, ReactorConnection> entry) {
    return settings.isOutlived(entry);
  }

  /**
   * Takes a connection of which no stream is leased any more, or that {@linkplain
   * ReactorConnection#leavePool leaves}.
   *
   * @param keepAlive how long it may idle; null if it must not be used again
   */
  void putBack(PoolEntry<HttpRoute, ReactorConnection> entry, @Nullable TimeValue keepAlive) {
    putBack(entry, null, keepAlive, true);
  }

  // ---- all of them --------------------------------------------------------------------------

  /** What the pool holds; the callers that wait for a stream count as pending. */
  PoolStats totalStats() {
    int waiting = shared.values().stream().mapToInt(SharedConnections::waiting).sum();
    return withWaiting(pool.getTotalStats(), waiting);
  }

  /** As {@link #totalStats}, of one route. */
  PoolStats stats(HttpRoute route) {
    SharedConnections of = shared.get(route);
    return withWaiting(pool.getStats(route), of == null ? 0 : of.waiting());
  }

  private PoolStats withWaiting(PoolStats stats, int more) {
    // Apache's pools lend an entry to whoever was in `lease` when they were closed, and take none
    // back any more. Nothing can be connected after that.
    return closed.get()
        ? new PoolStats(0, 0, 0, stats.getMax())
        : new PoolStats(
            stats.getLeased(), stats.getPending() + more, stats.getAvailable(), stats.getMax());
  }

  void closeIdle(TimeValue idleTime) {
    if (!closed.get()) {
      pool.closeIdle(idleTime);
      forgetRoutes();
    }
  }

  void closeExpired() {
    if (!closed.get()) {
      pool.closeExpired();
      forgetRoutes();
    }
  }

  /** Those that the pool has forgotten as well: it does so when it closes connections. */
  private void forgetRoutes() {
    Set<HttpRoute> pooled = pool.getRoutes();
    for (HttpRoute each : shared.keySet()) {
      if (!pooled.contains(each)) {
        shared.computeIfPresent(each, (route, of) -> of.forget() ? null : of);
      }
    }
  }

  /** About how many routes something is kept here, beside what the pool keeps. */
  int knownRoutes() {
    return shared.size();
  }

  boolean isClosed() {
    return closed.get();
  }

  /** From now on nothing that is given back is kept; {@link #close} does the rest. */
  boolean beginClose() {
    return closed.compareAndSet(false, true);
  }

  void close(CloseMode mode) {
    pool.close(mode);
  }
}
