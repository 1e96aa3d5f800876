package io.heddle.apache;

import io.heddle.core.Exchange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolEntry;
import org.apache.hc.core5.util.TimeValue;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP/2 connections of one route, and the callers that wait for a stream of one.
 *
 * <p>A caller is granted, in the order of asking, one of
 *
 * <ul>
 *   <li>a <b>stream</b> of a connection that is open and has one to spare;
 *   <li>to <b>open</b> a connection, if there is none such and none on its way: the others wait for
 *       it, so that a burst of first requests makes one connection and not one each;
 *   <li>the <b>failure</b>, if that connection could not be made and there is no other: each gets
 *       it, as each would have met it by itself, and nobody waits for one attempt after the other;
 *   <li>an <b>exclusive</b> connection, as long as the route speaks HTTP/1.1. One that turns out to
 *       speak HTTP/2 is shared from then on.
 * </ul>
 *
 * <p>When all connections have as many streams as the server allows, another is opened, up to the
 * pool's limit per route; then callers wait.
 *
 * <p>A connection stays leased from the pool as long as a stream of it is, and it can take another.
 * One that cannot any more, since it has closed, the server has said GOAWAY, or its time to live is
 * over, <b>leaves</b>: it gives its place back at once, and ends with its last stream. Else a few
 * long responses on such connections would have all places, and who needs another call to go on
 * would wait for itself.
 *
 * <pre>{@code
 * SHARED ──its last stream is released──▶ in the pool, idle
 *    └──takes no further stream──▶ LEFT ──its last stream is released──▶ closed
 * }</pre>
 *
 * <p>The lock guards this class's own fields; it is held for a few steps, never while waiting, and
 * no grant is handed out under it, and the pool is asked for its limit only.
 */
final class SharedConnections {

  /** A connection with the number of its streams that are leased. */
  final class Shared {
    final PoolEntry<HttpRoute, ReactorConnection> entry;
    final ReactorConnection connection;

    // Guarded by the lock.
    private int leased = 1; // by the caller that brings the connection
    private boolean retired;
    private boolean left;
    private TimeValue keepAlive = TimeValue.ofMinutes(3); // the classic default, if none is told

    /** One that speaks HTTP/2, to be {@link #opened}; one stream of it is the caller's. */
    Shared(PoolEntry<HttpRoute, ReactorConnection> entry, ReactorConnection connection) {
      this.entry = entry;
      this.connection = connection;
    }

    /**
     * Gives a stream back.
     *
     * @param keepAlive how long the connection may idle, if the response said so
     */
    void release(@Nullable TimeValue keepAlive) {
      lock.lock();
      try {
        if (keepAlive != null) {
          this.keepAlive = keepAlive;
        }
        leased--;
        serve(); // which may lease the stream again at once
        endIfIdle(this);
      } finally {
        unlock();
      }
    }

    /** Under the lock: whether further streams may be leased of it. */
    private boolean stays() {
      return connection.isOpen() && !retired && !lanes.isOutlived(entry);
    }

    /** No further stream is leased of it, and it is closed after the last. */
    void retire() {
      lock.lock();
      try {
        retired = true;
      } finally {
        lock.unlock();
      }
    }
  }

  private final HttpRoute route;
  private final ApacheLanes lanes;
  private final Lease toOpen = Lease.opening(this);
  private final Lease own = Lease.exclusive(this);
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final List<Shared> connections = new ArrayList<>(1);
  private final Set<Exchange<Lease>> waiting = new LinkedHashSet<>();
  private List<Runnable> due = new ArrayList<>(2); // what is to be done once it is released
  private int opening;
  private boolean forgotten;

  // Written under the lock: a connection of the route turned out not to be HTTP/2, and none is.
  private volatile boolean exclusive;

  SharedConnections(HttpRoute route, ApacheLanes lanes) {
    this.route = route;
    this.lanes = lanes;
  }

  /** Releases the lock, and does what came due under it. */
  private void unlock() {
    List<Runnable> now = List.of();
    if (!due.isEmpty()) {
      now = due;
      due = new ArrayList<>(2);
    }
    lock.unlock();
    now.forEach(Runnable::run);
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Asks for a stream; the answer may be there at once.
   *
   * @return null if this object was {@linkplain #forget forgotten}: then it is to ask another
   */
  @Nullable Exchange<Lease> ask() {
    Exchange<Lease> asking = new Exchange<>(this::handBack);
    if (exclusive) {
      asking.complete(own);
      return asking;
    }
    asking.onAbandon(() -> withdraw(asking));
    lock.lock();
    try {
      if (forgotten) {
        return null;
      }
      waiting.add(asking);
      serve();
    } finally {
      unlock();
    }
    return asking;
  }

  /** How many callers wait. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * A connection is there and speaks HTTP/2. Its own stream may have been released meanwhile.
   *
   * @param awaited whether others wait for it
   */
  void opened(Shared shared, boolean awaited) {
    shared.connection.onLimitChange(this::changed);
    lock.lock();
    try {
      exclusive = false;
      opening -= awaited ? 1 : 0;
      connections.add(shared);
      leave(); // it may have closed before it could say so here
      serve();
      endIfIdle(shared);
    } finally {
      unlock();
    }
  }

  /** The connection that was to be opened is there, and speaks HTTP/1.1. */
  void openedExclusive() {
    lock.lock();
    try {
      exclusive = connections.isEmpty();
      opening--;
      grantAll(own);
    } finally {
      unlock();
    }
  }

  /**
   * The connection could not be made. Who waits for it, and for no other, is told so: another
   * attempt would meet the same.
   */
  void openFailed(IOException why) {
    lock.lock();
    try {
      opening--;
      if (opening == 0 && connections.stream().noneMatch(each -> each.connection.isOpen())) {
        grantAll(Lease.failed(why));
      } else {
        serve();
      }
    } finally {
      unlock();
    }
  }

  /** Whoever was to open a connection does not, which says nothing of the route: the next does. */
  void openGivenUp() {
    lock.lock();
    try {
      opening--;
      serve();
    } finally {
      unlock();
    }
  }

  /** Under the lock. Does nothing to one that is still to be added, see {@link #opened}. */
  private void endIfIdle(Shared shared) {
    if (shared.leased > 0) {
      return;
    }
    if (connections.remove(shared)) {
      due.add(() -> putBack(shared));
    } else if (shared.left) {
      due.add(() -> shared.connection.close(CloseMode.GRACEFUL));
    }
  }

  /**
   * Under the lock: those that take no further stream leave.
   *
   * @return whether there was one
   */
  private boolean leave() {
    return connections.removeIf(
        each -> {
          if (each.stays()) {
            return false;
          }
          each.left = true;
          due.add(
              () -> {
                each.connection.leavePool();
                lanes.putBack(each.entry, null);
              });
          return true;
        });
  }

  private void putBack(Shared shared) {
    shared.connection.onLimitChange(() -> {});
    lanes.putBack(shared.entry, shared.retired ? null : shared.keepAlive);
    changed(); // the pool may have room for another now
  }

  /**
   * Whether nothing is under way here, so that this object may be dropped: from then on {@link
   * #ask} answers null.
   */
  boolean forget() {
    lock.lock();
    try {
      forgotten = opening == 0 && connections.isEmpty() && waiting.isEmpty();
      return forgotten;
    } finally {
      lock.unlock();
    }
  }

  /** A caller left before its grant came: the next gets it. */
  private void handBack(Lease grant) {
    Shared stream = grant.shared();
    if (stream != null) {
      stream.release(null);
    } else {
      grant.openGivenUp();
    }
  }

  private void withdraw(Exchange<Lease> asking) {
    lock.lock();
    try {
      waiting.remove(asking);
    } finally {
      lock.unlock();
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** A connection has more streams to give, or none any more. */
  void changed() {
    lock.lock();
    try {
      leave();
      serve();
    } finally {
      unlock();
    }
  }

  /**
   * Under the lock: decides on as many waiting callers as can be served now. One that has left
   * hands its grant back.
   */
  private void serve() {
    Iterator<Exchange<Lease>> callers = waiting.iterator();
    while (callers.hasNext()) {
      Shared free = connectionWithStream();
      if (free != null) {
        free.leased++;
        grant(callers.next(), Lease.stream(free));
      } else if (opening == 0 && hasPlace()) {
        opening++;
        grant(callers.next(), toOpen);
      } else {
        break;
      }
      callers.remove();
    }
  }

  private boolean hasPlace() {
    int most = lanes.maxConnections(route);
    return connections.size() < most || (leave() && connections.size() < most);
  }

  private @Nullable Shared connectionWithStream() {
    for (Shared each : connections) {
      if (each.leased < each.connection.streamLimit()
          && !each.connection.isSuspected()
          && each.stays()) {
        return each;
      }
    }
    return null;
  }

  private void grantAll(Lease grant) {
    for (Exchange<Lease> each : waiting) {
      grant(each, grant);
    }
    waiting.clear();
  }

  private void grant(Exchange<Lease> to, Lease grant) {
    due.add(() -> to.complete(grant)); // wakes the caller that leases
  }
}
