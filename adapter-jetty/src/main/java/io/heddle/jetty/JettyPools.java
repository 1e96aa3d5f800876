package io.heddle.jetty;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.AbstractConnectionPool;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.ConnectionPool;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.DuplexConnectionPool;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.MultiplexConnectionPool;
import org.eclipse.jetty.client.transport.HttpConnection;
import org.eclipse.jetty.util.Attachable;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.component.LifeCycle;
import org.jspecify.annotations.Nullable;

/**
 * Makes Jetty's pools of connections, with three differences.
 *
 * <p>Jetty sends what is queued on the thread that opened a connection; that is an I/O thread,
 * where users' code (a cookie store, a request's listeners) must not run. Where there is such code,
 * sending moves to a virtual thread. A connection that was made before there was such code is not
 * used again. And one of HTTP/2 that takes no further requests has no {@linkplain Multiplex place}.
 *
 * <p>A pool of any other class is left as it is, and so is one that its factory has started. Its
 * client then takes all code for code that may block.
 */
final class JettyPools implements ConnectionPool.Factory {

  private final ConnectionPool.Factory factory;

  private JettyPools(ConnectionPool.Factory factory) {
    this.factory = factory;
  }

  /** Has a transport make these pools, for clients of ours; any number of times. */
  static void install(HttpClientTransport transport) {
    ConnectionPool.Factory factory = transport.getConnectionPoolFactory();
    if (!(factory instanceof JettyPools)) {
      transport.setConnectionPoolFactory(new JettyPools(factory));
    }
  }

  /** Has a connection get no more requests, if its pool is one of these. */
  static void leave(Connection connection) {
    Multiplex pool = poolOf(connection);
    if (pool != null && pool.remove(connection)) {
      pool.proceed();
    }
  }

  /** There may be room on this connection for requests that are queued. */
  static void proceed(Connection connection) {
    Multiplex pool = poolOf(connection);
    if (pool != null) {
      pool.proceed();
    }
  }

  /**
   * Whether a connection has served a request before, or was at least being opened: Jetty opens one
   * for a request that then finds another, and the server may have left it by the time that TLS and
   * SETTINGS are through.
   *
   * @param queuedAt when the request was queued that has it now, by {@link System#nanoTime}
   */
  static boolean wasThereBefore(@Nullable Connection connection, long queuedAt) {
    if (connection instanceof org.eclipse.jetty.io.Connection http1) {
      if (http1.getMessagesIn() > 0) {
        return true;
      }
      ReadingEndPoint socket = ReadingEndPoint.under(http1.getEndPoint());
      return socket != null && socket.wasBegunBefore(queuedAt);
    }
    Multiplex pool = poolOf(connection);
    Streams streams = pool == null ? null : pool.connections.get(connection);
    return streams != null && (streams.served || streams.begunAt - queuedAt < 0);
  }

  /**
   * Says when the opening began of a connection that its pool is about to have.
   *
   * @param nanos by {@link System#nanoTime}
   */
  static void begun(Connection connection, long nanos) {
    if (connection instanceof org.eclipse.jetty.io.Connection http1) {
      ReadingEndPoint socket = ReadingEndPoint.under(http1.getEndPoint());
      if (socket != null) {
        socket.begunAt(nanos);
      }
      return;
    }
    Multiplex pool = poolOf(connection);
    if (pool != null) {
      pool.connections.put(connection, new Streams(nanos));
    }
  }

  private static @Nullable Multiplex poolOf(@Nullable Connection connection) {
    return connection instanceof HttpConnection http
            && http.getHttpDestination().getConnectionPool() instanceof Multiplex pool
        ? pool
        : null;
  }

  /** How many requests have a connection of this pool, or a stream of one. */
  static int inUse(ConnectionPool pool) {
    if (pool instanceof Multiplex multiplex) {
      return multiplex.connections.values().stream().mapToInt(Streams::inUse).sum();
    }
    return pool instanceof AbstractConnectionPool any ? any.getActiveConnectionCount() : 0;
  }

  @Override
  public ConnectionPool newConnectionPool(Destination destination) {
    ConnectionPool pool = factory.newConnectionPool(destination);
    if (!(destination.getHttpClient() instanceof BlockingJettyClient client)) {
      return pool;
    }
    if (pool instanceof AbstractConnectionPool made && made.isStopped()) {
      if (pool.getClass() == DuplexConnectionPool.class) {
        return likewise(made, new Duplex(client, destination, maxConnections(made)));
      }
      if (pool instanceof MultiplexConnectionPool multiplex
          && pool.getClass() == MultiplexConnectionPool.class) {
        int streams = multiplex.getInitialMaxMultiplex();
        return likewise(made, new Multiplex(client, destination, maxConnections(made), streams));
      }
    }
    client.userCode().expect();
    return pool;
  }

  /** What the factory has set; a pool says so only while it runs. */
  private static int maxConnections(AbstractConnectionPool made) {
    LifeCycle.start(made);
    int max = made.getMaxConnectionCount();
    LifeCycle.stop(made);
    return max;
  }

  /** With what else the factory has set. */
  private static ConnectionPool likewise(AbstractConnectionPool made, AbstractConnectionPool ours) {
    ours.setMaxUsage(made.getMaxUsage());
    ours.setMaxDuration(made.getMaxDuration());
    ours.setMaximizeConnections(made.isMaximizeConnections());
    return ours;
  }

  private static final class Duplex extends DuplexConnectionPool {

    private final BlockingJettyClient client;

    Duplex(BlockingJettyClient client, Destination destination, int maxConnections) {
      super(destination, maxConnections);
      this.client = client;
    }

    @Override
    protected @Nullable Connection activate() {
      Connection connection = super.activate();
      while (connection != null && client.userCode().isOutdated(connection)) {
        remove(connection);
        IO.close(connection);
        connection = super.activate();
      }
      return connection;
    }

    @Override
    protected void proceed() {
      client.userCode().send(super::proceed);
    }
  }

  /**
   * The streams of one connection that are in use.
   *
   * <pre>{@code
   * THERE ──leave─▶ LEAVING   it keeps the streams that it has, and gets no more
   *    │               └──end of the last, close─▶ GONE   it is closed
   *    └──leave, none in use, close──────────────▶ GONE   the same
   * }</pre>
   */
  private static final class Streams {

    private static final int LEAVING = Integer.MIN_VALUE;

    private final long begunAt; // by System.nanoTime
    private volatile boolean served;

    /** How many are in use, and whether it is leaving. */
    private final AtomicInteger state = new AtomicInteger();

    Streams(long begunAt) {
      this.begunAt = begunAt;
    }

    /** One more; false if it is leaving. */
    boolean begin() {
      return state.getAndUpdate(now -> now < 0 ? now : now + 1) >= 0;
    }

    /** One less; what is left, of which {@link #LEAVING} is the end. */
    int end() {
      served = true;
      return state.updateAndGet(now -> now == 0 || now == LEAVING ? now : now - 1);
    }

    /** Whether none is in use. */
    boolean leave() {
      return state.getAndUpdate(now -> now | LEAVING) == 0;
    }

    int inUse() {
      return state.get() & ~LEAVING;
    }
  }

  /**
   * Lets go at once of a connection that takes no further requests: it is closed, the server has
   * sent GOAWAY, or it is to {@linkplain JettyPools#leave leave}. Such a one has no place any more,
   * as its streams may be long, and be calls that wait for a call within them. Jetty's pool keeps
   * its place for it until its streams are over, and closes it under the last of them, as its count
   * is one short after GOAWAY.
   */
  static final class Multiplex extends MultiplexConnectionPool {

    private final BlockingJettyClient client;
    private final ConcurrentMap<Connection, Streams> connections = new ConcurrentHashMap<>();

    Multiplex(
        BlockingJettyClient client, Destination destination, int maxConnections, int streams) {
      super(destination, maxConnections, streams);
      this.client = client;
    }

    @Override
    protected void onCreated(Connection connection) {
      connections.computeIfAbsent(connection, made -> new Streams(System.nanoTime()));
    }

    @Override
    public @Nullable Connection acquire(boolean create) {
      Connection connection = super.acquire(create);
      while (connection != null && !begin(connection)) {
        connection = super.acquire(create); // that one has just left
      }
      return connection;
    }

    private boolean begin(Connection connection) {
      Streams streams = connections.get(connection);
      return streams != null && streams.begin();
    }

    @Override
    protected @Nullable Connection activate() {
      Connection connection = super.activate();
      while (connection != null && client.userCode().isOutdated(connection)) {
        remove(connection);
        connection = super.activate();
      }
      return connection;
    }

    @Override
    public boolean isActive(Connection connection) {
      Streams streams = connections.get(connection);
      return streams != null && streams.inUse() > 0;
    }

    /** Whether the connection is to be kept. */
    @Override
    public boolean release(Connection connection) {
      Streams streams = connections.get(connection);
      int left = streams == null ? 0 : streams.end();
      if (left == Streams.LEAVING) {
        connections.remove(connection);
        return false;
      }
      return left < 0 || super.release(connection) || left > 0;
    }

    /**
     * Has a connection leave; any thread, any number of times.
     *
     * @return whether it is closed by this, and its place is free; if it only has no place any
     *     more, the queue is looked at from here
     */
    @Override
    public boolean remove(Connection connection) {
      boolean removed = false;
      // Each call takes one stream off Jetty's count, and the last one the connection. A pool that
      // is being stopped takes it off by itself, and leaves the attachment.
      while (!removed && isRunning() && ((Attachable) connection).getAttachment() != null) {
        removed = super.remove(connection);
      }
      Streams streams = connections.get(connection);
      if (removed && streams != null && !connection.isClosed() && !streams.leave()) {
        proceed();
        return false;
      }
      if (removed || connection.isClosed()) {
        connections.remove(connection); // one that is closed is not always released
        IO.close(connection);
      }
      return removed;
    }

    @Override
    protected void proceed() {
      client.userCode().send(super::proceed);
    }
  }
}
