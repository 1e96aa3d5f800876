package io.heddle.apache;

import io.heddle.Exchange;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.client5.http.HttpRoute;
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
 *       it, so that a burst of first requests makes one connection and not one each. If it cannot
 *       be opened, and there is no other, all who wait try for themselves, at once, as they would
 *       have without this class;
 *   <li>an <b>exclusive</b> connection, once the route turned out to speak HTTP/1.1.
 * </ul>
 *
 * <p>When all connections have as many streams as the server allows, another is opened, up to the
 * pool's limit per route; then callers wait.
 *
 * <p>A connection stays leased from the pool as long as a stream of it is. The lock guards this
 * class's own fields; it is held for a few steps, never while waiting, and no grant is handed out
 * and no pool called under it.
 */
final class SharedConnections {

  /** What the connections belong to: the connection manager. */
  interface Home {
    /** How many connections the route may have. */
    int maxConnections(HttpRoute route);

    /** Whether a connection is past its time to live, so that no exchange may begin on it. */
    boolean isOutlived(PoolEntry<HttpRoute, ReactorConnection> entry);

    /** Takes a connection of which no stream is leased any more. */
    void putBack(PoolEntry<HttpRoute, ReactorConnection> entry, TimeValue keepAlive);
  }

  /**
   * What a caller may do.
   *
   * @param shared a stream of this connection is leased to it; or null
   * @param opens it opens a connection, and must say how that went
   */
  record Grant(@Nullable Shared shared, boolean opens) {
    static final Grant EXCLUSIVE = new Grant(null, false);
    static final Grant OPEN = new Grant(null, true);
  }

  /** A connection with the number of its streams that are leased. */
  static final class Shared {
    final PoolEntry<HttpRoute, ReactorConnection> entry;
    final ReactorConnection connection;

    // Guarded by the lock.
    private int leased;
    private TimeValue keepAlive = TimeValue.ofMinutes(3); // the classic default, if none is told

    Shared(PoolEntry<HttpRoute, ReactorConnection> entry, ReactorConnection connection) {
      this.entry = entry;
      this.connection = connection;
    }
  }

  /** A grant on its way to the caller that waits for it. */
  private record Delivery(Exchange<Grant> to, Grant grant) {}

  private final HttpRoute route;
  private final Home home;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final List<Shared> connections = new ArrayList<>(1);
  private final Set<Exchange<Grant>> waiting = new LinkedHashSet<>();
  private int opening;

  /** Once a connection of the route turned out not to be HTTP/2; until one does. */
  private volatile boolean exclusive;

  SharedConnections(HttpRoute route, Home home) {
    this.route = route;
    this.home = home;
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Asks for a stream; the answer may be there at once. */
  Exchange<Grant> ask() {
    Exchange<Grant> asking = new Exchange<>(this::handBack);
    if (exclusive) {
      asking.complete(Grant.EXCLUSIVE);
      return asking;
    }
    asking.onAbandon(() -> withdraw(asking));
    List<Delivery> due;
    lock.lock();
    try {
      waiting.add(asking);
      due = serve();
    } finally {
      lock.unlock();
    }
    deliver(due);
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
   * The connection that was to be opened is there, speaks HTTP/2, and one stream is the opener's.
   */
  Shared opened(PoolEntry<HttpRoute, ReactorConnection> entry, ReactorConnection connection) {
    Shared shared = new Shared(entry, connection);
    shared.leased = 1;
    connection.onLimitChange(this::changed);
    List<Delivery> due;
    lock.lock();
    try {
      exclusive = false;
      opening--;
      connections.add(shared);
      due = serve();
    } finally {
      lock.unlock();
    }
    deliver(due);
    return shared;
  }

  /** The connection that was to be opened is there, and speaks HTTP/1.1. */
  void openedExclusive() {
    List<Delivery> due = new ArrayList<>();
    lock.lock();
    try {
      exclusive = true;
      opening--;
      grantAll(Grant.EXCLUSIVE, due);
    } finally {
      lock.unlock();
    }
    deliver(due);
  }

  /** The connection could not be opened. */
  void openFailed() {
    List<Delivery> due = new ArrayList<>();
    lock.lock();
    try {
      opening--;
      if (connections.isEmpty() && opening == 0) {
        opening += waiting.size();
        grantAll(Grant.OPEN, due);
      } else {
        due = serve();
      }
    } finally {
      lock.unlock();
    }
    deliver(due);
  }

  /**
   * Gives a stream back.
   *
   * @param keepAlive how long the connection may idle, if the response said so
   */
  void release(Shared shared, @Nullable TimeValue keepAlive) {
    boolean idle;
    List<Delivery> due;
    lock.lock();
    try {
      if (keepAlive != null) {
        shared.keepAlive = keepAlive;
      }
      shared.leased--;
      due = serve(); // which may lease the stream again at once
      idle = shared.leased == 0 && connections.remove(shared);
    } finally {
      lock.unlock();
    }
    deliver(due);
    if (idle) {
      shared.connection.onLimitChange(() -> {});
      home.putBack(shared.entry, shared.keepAlive);
      changed(); // the pool may have room for another now
    }
  }

  /** A caller left before its grant came: the next gets it. */
  private void handBack(Grant grant) {
    if (grant.shared() != null) {
      release(grant.shared(), null);
    } else if (grant.opens()) {
      openFailed();
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

  /** A connection has more streams to give, or closed. */
  void changed() {
    List<Delivery> due;
    lock.lock();
    try {
      due = serve();
    } finally {
      lock.unlock();
    }
    deliver(due);
  }

  /** Under the lock: decides on as many waiting callers as can be served now. */
  private List<Delivery> serve() {
    List<Delivery> due = new ArrayList<>(1);
    Iterator<Exchange<Grant>> callers = waiting.iterator();
    while (callers.hasNext()) {
      Shared free = connectionWithStream();
      if (free != null) {
        free.leased++;
        due.add(new Delivery(callers.next(), new Grant(free, false)));
      } else if (opening == 0 && connections.size() < home.maxConnections(route)) {
        opening++;
        due.add(new Delivery(callers.next(), Grant.OPEN));
      } else {
        break;
      }
      callers.remove();
    }
    return due;
  }

  private @Nullable Shared connectionWithStream() {
    for (Shared each : connections) {
      if (each.leased < each.connection.streamLimit()
          && each.connection.isOpen()
          && !home.isOutlived(each.entry)) {
        return each;
      }
    }
    return null;
  }

  private void grantAll(Grant grant, List<Delivery> due) {
    for (Exchange<Grant> each : waiting) {
      due.add(new Delivery(each, grant));
    }
    waiting.clear();
  }

  /** Not under the lock: a caller that has left hands its grant back. */
  private static void deliver(List<Delivery> due) {
    for (Delivery each : due) {
      each.to().complete(each.grant()); // wakes the caller that leases
    }
  }
}
