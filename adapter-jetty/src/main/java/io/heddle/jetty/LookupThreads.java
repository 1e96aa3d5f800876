package io.heddle.jetty;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;

/**
 * Calls a resolver on a few platform threads of its own, so that one that blocks, as the JDK's does
 * in native code, holds neither a carrier nor an I/O thread. The threads are daemons and end after
 * {@value #IDLE_SECONDS} s without work.
 */
final class LookupThreads implements SocketAddressResolver {

  private static final int IDLE_SECONDS = 10;
  private static final int MAX = 32;

  private final SocketAddressResolver resolver;
  private final ThreadPoolExecutor threads;

  LookupThreads(SocketAddressResolver resolver) {
    this.resolver = resolver;
    AtomicInteger count = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            MAX,
            MAX,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, "heddle-jetty-lookup-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public void resolve(
      String host,
      int port,
      Map<String, Object> context,
      Promise<List<InetSocketAddress>> addresses) {
    try {
      threads.execute(
          () -> {
            try {
              resolver.resolve(host, port, context, addresses);
            } catch (Throwable t) { // to whom it belongs, and not to this thread
              addresses.failed(t);
            }
          });
    } catch (RejectedExecutionException e) {
      addresses.failed(e);
    }
  }

  /** Refuses further look-ups; those that are under way end when they end, with no thread after. */
  void close() {
    threads.shutdown();
  }
}
