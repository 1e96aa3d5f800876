package io.heddle.jetty;

import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;

/**
 * Calls a resolver on a few platform threads of its own, so that one that blocks, as the JDK's does
 * in native code, holds neither a carrier nor an I/O thread. The threads are daemons and end after
 * {@value #IDLE_SECONDS} s without work.
 */
final class LookupThreads extends AbstractLifeCycle implements SocketAddressResolver {

  private static final int IDLE_SECONDS = 10;
  private static final int MAX = 32;

  private final SocketAddressResolver resolver;

  // Set at each start.
  private volatile @Nullable ThreadPoolExecutor threads;

  LookupThreads(SocketAddressResolver resolver) {
    this.resolver = resolver;
  }

  @Override
  protected void doStart() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            MAX,
            MAX,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform()
                .name("heddle-jetty-lookup-", 1)
                .daemon()
                .inheritInheritableThreadLocals(false)
                .factory());
    pool.allowCoreThreadTimeOut(true);
    threads = pool;
  }

  /**
   * A look-up that is under way and cannot be interrupted ends when it ends, and its thread too.
   */
  @Override
  protected void doStop() {
    ThreadPoolExecutor pool = threads;
    if (pool != null) {
      pool.shutdownNow();
    }
  }

  @Override
  public void resolve(
      String host,
      int port,
      Map<String, Object> context,
      Promise<List<InetSocketAddress>> addresses) {
    ConnectAttempt.track(context);
    ThreadPoolExecutor pool = threads;
    try {
      if (pool == null) {
        throw new RejectedExecutionException("the client is not started");
      }
      pool.execute(
          () -> {
            try {
              resolver.resolve(host, port, context, new WhileRunning(addresses));
            } catch (Throwable t) { // for whom it belongs to, and not for this thread
              addresses.failed(t);
            }
          });
    } catch (RejectedExecutionException e) {
      addresses.failed(e);
    }
  }

  /** An answer that comes after the client was stopped must not open a connection. */
  private final class WhileRunning implements Promise<List<InetSocketAddress>> {
    private final Promise<List<InetSocketAddress>> addresses;

    WhileRunning(Promise<List<InetSocketAddress>> addresses) {
      this.addresses = addresses;
    }

    @Override
    public void succeeded(List<InetSocketAddress> result) {
      if (isRunning()) {
        addresses.succeeded(result);
      } else {
        addresses.failed(new AsynchronousCloseException());
      }
    }

    @Override
    public void failed(Throwable failure) {
      addresses.failed(failure);
    }
  }
}
