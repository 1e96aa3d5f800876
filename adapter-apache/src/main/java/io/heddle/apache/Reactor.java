package io.heddle.apache;

import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.ConnectionInitiator;
import org.apache.hc.core5.reactor.DefaultConnectingIOReactor;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.reactor.IOReactorShutdownException;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ssl.SSLIOSession;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * The I/O reactor of a manager, with its threads.
 *
 * <pre>{@code
 * NONE ──first connection──▶ RUNNING ──a thread has ended, next connection──▶ RUNNING, another one
 *   └─────────close─────────────┴──▶ CLOSED
 * }</pre>
 *
 * <p>A reactor of which a thread has ended takes no connection any more. What is under way in it
 * may come to its end, until {@link #close}.
 */
final class Reactor {

  /** How long a graceful close waits for what the peers have to say to it. */
  private static final TimeValue GRACE = TimeValue.ofSeconds(1);

  private static final AtomicInteger REACTORS = new AtomicInteger();

  private final ProtocolStarter protocols;
  private final SocketConfig socketConfig;
  private final int threads;
  private final @Nullable PasswordAuthentication socksUser;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock. The last takes connections; none is added once it is closed.
  private final List<DefaultConnectingIOReactor> reactors = new ArrayList<>(1);
  private boolean closed;

  Reactor(ProtocolStarter protocols, SocketConfig socketConfig, int threads) {
    this.protocols = protocols;
    this.socketConfig = socketConfig;
    this.threads = threads;
    this.socksUser = askForSocksUser(socketConfig);
  }

  /** Asks the JVM's {@link Authenticator}, as a {@link java.net.Socket} does. */
  private static @Nullable PasswordAuthentication askForSocksUser(SocketConfig config) {
    return config.getSocksProxyAddress() instanceof InetSocketAddress proxy
        ? Authenticator.requestPasswordAuthentication(
            proxy.getHostString(),
            proxy.getAddress(),
            proxy.getPort(),
            "SOCKS5",
            "SOCKS authentication",
            null)
        : null;
  }

  /**
   * Has a connection made; does not wait for it.
   *
   * @throws IllegalStateException after {@link #close}
   */
  Future<IOSession> connect(Function<ConnectionInitiator, Future<IOSession>> connect) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("Connection pool shut down");
      }
      if (reactors.isEmpty()) {
        reactors.add(started());
      }
      try {
        return connect.apply(reactors.getLast());
      } catch (IOReactorShutdownException gone) {
        reactors.add(started());
        return connect.apply(reactors.getLast());
      }
    } finally {
      lock.unlock();
    }
  }

  private DefaultConnectingIOReactor started() {
    String name = "heddle-apache-" + REACTORS.incrementAndGet() + "-io-";
    AtomicInteger count = new AtomicInteger();
    DefaultConnectingIOReactor reactor =
        new DefaultConnectingIOReactor(
            protocols,
            config(),
            work -> new ApacheIoThread(work, name + count.incrementAndGet()),
            Reactor::decorated,
            null,
            null,
            session -> session.close(CloseMode.GRACEFUL));
    reactor.start();
    return reactor;
  }

  private static IOSession decorated(IOSession session) {
    return session instanceof SSLIOSession tls
        ? new GuardedSession(tls)
        : new PlainSession(session);
  }

  private IOReactorConfig config() {
    PasswordAuthentication user = socksUser;
    return IOReactorConfig.custom()
        .setIoThreadCount(threads)
        // It would end a connection, with all that share it. A caller's timed park ends its own
        // exchange.
        .setSoTimeout(Timeout.DISABLED)
        .setTcpNoDelay(socketConfig.isTcpNoDelay())
        .setSoKeepAlive(socketConfig.isSoKeepAlive())
        .setSoReuseAddress(socketConfig.isSoReuseAddress())
        .setSoLinger(socketConfig.getSoLinger())
        .setSndBufSize(socketConfig.getSndBufSize())
        .setRcvBufSize(socketConfig.getRcvBufSize())
        .setTcpKeepIdle(socketConfig.getTcpKeepIdle())
        .setTcpKeepInterval(socketConfig.getTcpKeepInterval())
        .setTcpKeepCount(socketConfig.getTcpKeepCount())
        .setSocksProxyAddress(socketConfig.getSocksProxyAddress())
        .setSocksProxyUsername(user == null ? null : user.getUserName())
        .setSocksProxyPassword(user == null ? null : String.valueOf(user.getPassword()))
        .build();
  }

  /** Ends all connections and threads. A graceful close gives connections a moment to end. */
  void close(CloseMode closeMode) {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    if (closeMode == CloseMode.GRACEFUL && !reactors.isEmpty()) {
      reactors.getLast().initiateShutdown();
      try {
        reactors.getLast().awaitShutdown(GRACE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // then without grace
      }
    }
    reactors.forEach(each -> each.close(CloseMode.IMMEDIATE));
  }
}
