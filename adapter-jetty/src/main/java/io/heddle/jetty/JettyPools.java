package io.heddle.jetty;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.AbstractConnectionPool;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.ConnectionPool;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.DuplexConnectionPool;
import org.eclipse.jetty.client.MultiplexConnectionPool;
import org.eclipse.jetty.util.VirtualThreads;
import org.jspecify.annotations.Nullable;

/**
 * Makes Jetty's pools of connections, which send what is queued on the thread that opened a
 * connection; that is an I/O thread, where users' code (a cookie store, a request's listeners) must
 * not run. Where there is such code, sending moves to a virtual thread.
 *
 * <p>A pool of any other class is left as it is, and so is one that its factory has started.
 */
final class JettyPools implements ConnectionPool.Factory {

  private final BlockingJettyClient client;
  private final ConnectionPool.Factory factory;

  JettyPools(BlockingJettyClient client, ConnectionPool.Factory factory) {
    this.client = client;
    this.factory = factory;
  }

  @Override
  public ConnectionPool newConnectionPool(Destination destination) {
    ConnectionPool pool = factory.newConnectionPool(destination);
    if (!(pool instanceof AbstractConnectionPool made) || !made.isStopped()) {
      return pool;
    }
    int max = client.getMaxConnectionsPerDestination();
    if (pool.getClass() == DuplexConnectionPool.class) {
      return likewise(made, new Duplex(destination, max));
    }
    if (pool.getClass() == MultiplexConnectionPool.class) {
      int multiplex = ((MultiplexConnectionPool) pool).getInitialMaxMultiplex();
      return likewise(made, new Multiplex(destination, max, multiplex));
    }
    return pool;
  }

  /** With what the factory has set. */
  private static ConnectionPool likewise(AbstractConnectionPool made, AbstractConnectionPool ours) {
    ours.setMaxUsage(made.getMaxUsage());
    ours.setMaxDuration(made.getMaxDuration());
    ours.setMaximizeConnections(made.isMaximizeConnections());
    return ours;
  }

  private @Nullable Executor sender() {
    return client.mayRunUserCode()
        ? VirtualThreads.getVirtualThreadsExecutor(client.getExecutor())
        : null;
  }

  private final class Duplex extends DuplexConnectionPool {

    Duplex(Destination destination, int maxConnections) {
      super(destination, maxConnections);
    }

    @Override
    protected void proceed() {
      Executor sender = sender();
      if (sender == null) {
        super.proceed();
      } else {
        sender.execute(super::proceed);
      }
    }
  }

  /**
   * Counts the streams in use of each connection. Jetty's count is one short once the server has
   * sent GOAWAY: it would close the connection under the last of its streams.
   */
  private final class Multiplex extends MultiplexConnectionPool {

    private final ConcurrentMap<Connection, AtomicInteger> streams = new ConcurrentHashMap<>();

    Multiplex(Destination destination, int maxConnections, int initialMaxMultiplex) {
      super(destination, maxConnections, initialMaxMultiplex);
    }

    @Override
    public @Nullable Connection acquire(boolean create) {
      Connection connection = super.acquire(create);
      if (connection != null) {
        streams.computeIfAbsent(connection, first -> new AtomicInteger()).incrementAndGet();
      }
      return connection;
    }

    /** Whether the connection is to be kept. */
    @Override
    public boolean release(Connection connection) {
      client.noteServed(connection);
      AtomicInteger inUse = streams.get(connection);
      int others = inUse == null ? 0 : inUse.decrementAndGet();
      return super.release(connection) || others > 0;
    }

    @Override
    protected void onRemoved(@Nullable Connection connection) {
      super.onRemoved(connection);
      if (connection != null) { // null for one that was to be opened
        client.forgetServed(connection);
        streams.remove(connection); // it is not released any more
      }
    }

    @Override
    protected void proceed() {
      Executor sender = sender();
      if (sender == null) {
        super.proceed();
      } else {
        sender.execute(super::proceed);
      }
    }
  }
}
