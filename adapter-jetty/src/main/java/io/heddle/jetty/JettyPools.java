package io.heddle.jetty;

import java.util.Set;
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
 * Makes Jetty's pools of connections, with two differences.
 *
 * <p>Jetty sends what is queued on the thread that opened a connection; that is an I/O thread,
 * where users' code (a cookie store, a request's listeners) must not run. Where there is such code,
 * sending moves to a virtual thread. And a connection that was made before there was such code is
 * not used again.
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
    if (connection instanceof HttpConnection http
        && http.getHttpDestination().getConnectionPool() instanceof Multiplex pool) {
      pool.leave(connection);
    }
  }

  /** How many requests have a connection of this pool, or a stream of one. */
  static int inUse(ConnectionPool pool) {
    if (pool instanceof Multiplex multiplex) {
      return multiplex.streams.values().stream().mapToInt(each -> Math.max(0, each.get())).sum();
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
    client.runUserCode();
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
      while (connection != null && client.isOutdated(connection)) {
        remove(connection);
        IO.close(connection);
        connection = super.activate();
      }
      return connection;
    }

    @Override
    protected void proceed() {
      client.runSender(super::proceed);
    }
  }

  /**
   * Counts the streams in use of each connection. Jetty's count is one short once the server has
   * sent GOAWAY: it would close the connection under the last of its streams.
   *
   * <p>A connection that is to {@linkplain #leave leave} keeps the streams that it has, gets no
   * more, and is closed with the last of them. Like one that is closed it counts no longer: streams
   * may be long.
   */
  static final class Multiplex extends MultiplexConnectionPool {

    private final BlockingJettyClient client;
    private final ConcurrentMap<Connection, AtomicInteger> streams = new ConcurrentHashMap<>();
    private final Set<Connection> leaving = ConcurrentHashMap.newKeySet();

    Multiplex(
        BlockingJettyClient client, Destination destination, int maxConnections, int streams) {
      super(destination, maxConnections, streams);
      this.client = client;
    }

    @Override
    public @Nullable Connection acquire(boolean create) {
      Connection connection = super.acquire(create);
      if (connection != null) {
        streams.computeIfAbsent(connection, first -> new AtomicInteger()).incrementAndGet();
      }
      return connection;
    }

    @Override
    protected @Nullable Connection activate() {
      Connection connection = super.activate();
      while (connection != null && client.isOutdated(connection)) {
        leave(connection);
        connection = super.activate();
      }
      return connection;
    }

    /** Has a connection serve no request but those it has, and close then; any thread. */
    void leave(Connection connection) {
      leaving.add(connection);
      // Each call takes one stream off Jetty's count, and the last one the connection.
      while (((Attachable) connection).getAttachment() != null && !remove(connection)) {}
      AtomicInteger inUse = streams.get(connection);
      if (inUse == null || inUse.get() <= 0) {
        IO.close(connection);
        forget(connection);
      }
    }

    @Override
    public boolean isActive(Connection connection) {
      return leaving.contains(connection) || super.isActive(connection);
    }

    /** Whether the connection is to be kept. */
    @Override
    public boolean release(Connection connection) {
      client.noteServed(connection);
      AtomicInteger inUse = streams.get(connection);
      int others = inUse == null ? 0 : inUse.decrementAndGet();
      boolean kept = (!leaving.contains(connection) && super.release(connection)) || others > 0;
      if (others <= 0 && ((Attachable) connection).getAttachment() == null) {
        forget(connection); // it left, or was closed
      }
      return kept;
    }

    @Override
    protected void onRemoved(@Nullable Connection connection) {
      super.onRemoved(connection);
      if (connection != null && !leaving.contains(connection)) { // null for one not yet open
        forget(connection); // it is not released any more
      }
    }

    private void forget(Connection connection) {
      client.forgetServed(connection);
      streams.remove(connection);
      leaving.remove(connection);
    }

    @Override
    protected void proceed() {
      client.runSender(super::proceed);
    }
  }
}
