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
 * no grant is handed out and no pool called under it.
 */
final class SharedConnections {

  /** What the connections belong to: the connection manager. */
  interface Home {
    /** How many connections the route may have. */
    int maxConnections(HttpRoute route);

    /** Whether a connection is past its time to live, so that no exchange may begin on it. */
    boolean isOutlived(PoolEntry<HttpRoute, ReactorConnection> entry);

    /**
     * Takes a connection of which no stream is leased any more, or that {@linkplain
     * ReactorConnection#leavePool leaves}.
     *
     * @param keepAlive how long it may idle; null if it must not be used again
     */
    void putBack(PoolEntry<HttpRoute, ReactorConnection> entry, @Nullable TimeValue keepAlive);
  }

  /** What a caller may do. */
  sealed interface Grant {}

  /** A stream of this connection is leased to the caller. */
  record Stream(Shared of) implements Grant {}

  /** The connection that the caller waited for could not be made. */
  record Failed(IOException why) implements Grant {}

  /** The caller takes a connection of its own from the pool. */
  enum Own implements Grant {
    /** Others wait for what becomes of it, and must be told. */
    OPENING,
    /** Nobody waits for it. */
    EXCLUSIVE
  }

  /** A connection with the number of its streams that are leased. */
  final class Shared {
    final PoolEntry<HttpRoute, ReactorConnection> entry;
    final ReactorConnection connection;

    // Guarded by the lock.
    private int leased = 1; // by the caller that brings the connection
    private boolean retired;
    private boolean left;
    private TimeValue keepAlive = TimeValue.ofMinutes(3); // the classic default, if none is told

    private Shared(PoolEntry<HttpRoute, ReactorConnection> entry, ReactorConnection connection) {
      this.entry = entry;
      this.connection = connection;
    }

    /** See {@link SharedConnections#release}. */
    void release(@Nullable TimeValue keepAlive) {
      SharedConnections.this.release(this, keepAlive);
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
  private final Home home;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final List<Shared> connections = new ArrayList<>(1);
  private final Set<Exchange<Grant>> waiting = new LinkedHashSet<>();
  private int opening;
  private boolean forgotten;

  // Written under the lock: a connection of the route turned out not to be HTTP/2, and none is.
  private volatile boolean exclusive;

  SharedConnections(HttpRoute route, Home home) {
    this.route = route;
    this.home = home;
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Asks for a stream; the answer may be there at once.
   *
   * @return null if this object was {@linkplain #forget forgotten}: then it is to ask another
   */
  @Nullable Exchange<Grant> ask() {
    Exchange<Grant> asking = new Exchange<>(this::handBack);
    if (exclusive) {
      asking.complete(Own.EXCLUSIVE);
      return asking;
    }
    asking.onAbandon(() -> withdraw(asking));
    List<Runnable> due = new ArrayList<>(1);
    lock.lock();
    try {
      if (forgotten) {
        return null;
      }
      waiting.add(asking);
      serve(due);
    } finally {
      lock.unlock();
    }
    due.forEach(Runnable::run);
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

  /** A connection that speaks HTTP/2, to be {@link #opened}; one stream of it is the caller's. */
  Shared sharing(PoolEntry<HttpRoute, ReactorConnection> entry, ReactorConnection connection) {
    return new Shared(entry, connection);
  }

  /**
   * A connection is there and speaks HTTP/2. Its own stream may have been released meanwhile.
   *
   * @param awaited whether it was granted as {@link Own#OPENING}
   */
  void opened(Shared shared, boolean awaited) {
    shared.connection.onLimitChange(this::changed);
    List<Runnable> due = new ArrayList<>(2);
    lock.lock();
    try {
      exclusive = false;
      opening -= awaited ? 1 : 0;
      connections.add(shared);
      leave(due); // it may have closed before it could say so here
      serve(due);
      endIfIdle(shared, due);
    } finally {
      lock.unlock();
    }
    due.forEach(Runnable::run);
  }

  /** The connection that was to be opened is there, and speaks HTTP/1.1. */
  void openedExclusive() {
    List<Runnable> due = new ArrayList<>();
    lock.lock();
    try {
      exclusive = connections.isEmpty();
      opening--;
      grantAll(Own.EXCLUSIVE, due);
    } finally {
      lock.unlock();
    }
    due.forEach(Runnable::run);
  }

  /**
   * The connection could not be made. Who waits for it, and for no other, is told so: another
   * attempt would meet the same.
   */
  void openFailed(IOException why) {
    List<Runnable> due = new ArrayList<>();
    lock.lock();
    try {
      opening--;
      if (opening == 0 && !hasOpenConnection()) {
        grantAll(new Failed(why), due);
      } else {
        serve(due);
      }
    } finally {
      lock.unlock();
    }
    due.forEach(Runnable::run);
  }

  /** Whoever was to open a connection does not, which says nothing of the route: the next does. */
  void openGivenUp() {
    List<Runnable> due = new ArrayList<>(1);
    lock.lock();
    try {
      opening--;
      serve(due);
    } finally {
      lock.unlock();
    }
    due.forEach(Runnable::run);
  }

  /**
   * Gives a stream back.
   *
   * @param keepAlive how long the connection may idle, if the response said so
   */
  private void release(Shared shared, @Nullable TimeValue keepAlive) {
    List<Runnable> due = new ArrayList<>(2);
    lock.lock();
    try {
      if (keepAlive != null) {
        shared.keepAlive = keepAlive;
      }
      shared.leased--;
      serve(due); // which may lease the stream again at once
      endIfIdle(shared, due);
    } finally {
      lock.unlock();
    }
    due.forEach(Runnable::run);
  }

  /** Under the lock. Does nothing to one that is still to be added, see {@link #opened}. */
  private void endIfIdle(Shared shared, List<Runnable> due) {
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
  private boolean leave(List<Runnable> due) {
    return connections.removeIf(
        each -> {
          if (each.connection.isOpen() && !each.retired && !home.isOutlived(each.entry)) {
            return false;
          }
          each.left = true;
          due.add(
              () -> {
                each.connection.leavePool();
                home.putBack(each.entry, null);
              });
          return true;
        });
  }

  private void putBack(Shared shared) {
    shared.connection.onLimitChange(() -> {});
    home.putBack(shared.entry, shared.retired ? null : shared.keepAlive);
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
  private void handBack(Grant grant) {
    if (grant instanceof Stream stream) {
      stream.of().release(null);
    } else if (grant == Own.OPENING) {
      openGivenUp();
    }
  }

  private void withdraw(Exchange<Grant> asking) {
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
    List<Runnable> due = new ArrayList<>(1);
    lock.lock();
    try {
      leave(due);
      serve(due);
    } finally {
      lock.unlock();
    }
    due.forEach(Runnable::run);
  }

  /**
   * Under the lock: decides on as many waiting callers as can be served now.
   *
   * @param due what is to be done once the lock is released; a caller that has left hands its grant
   *     back
   */
  private void serve(List<Runnable> due) {
    Iterator<Exchange<Grant>> callers = waiting.iterator();
    while (callers.hasNext()) {
      Shared free = connectionWithStream();
      if (free != null) {
        free.leased++;
        grant(callers.next(), new Stream(free), due);
      } else if (opening == 0 && hasPlace(due)) {
        opening++;
        grant(callers.next(), Own.OPENING, due);
      } else {
        break;
      }
      callers.remove();
    }
  }

  private boolean hasPlace(List<Runnable> due) {
    int most = home.maxConnections(route);
    return connections.size() < most || (leave(due) && connections.size() < most);
  }

  private @Nullable Shared connectionWithStream() {
    for (Shared each : connections) {
      if (each.leased < each.connection.streamLimit()
          && !each.retired
          && each.connection.isUsable()
          && !home.isOutlived(each.entry)) {
        return each;
      }
    }
    return null;
  }

  private boolean hasOpenConnection() {
    for (Shared each : connections) {
      if (each.connection.isOpen()) {
        return true;
      }
    }
    return false;
  }

  private void grantAll(Grant grant, List<Runnable> due) {
    for (Exchange<Grant> each : waiting) {
      grant(each, grant, due);
    }
    waiting.clear();
  }

  private static void grant(Exchange<Grant> to, Grant grant, List<Runnable> due) {
    due.add(() -> to.complete(grant)); // wakes the caller that leases
  }
}
