package io.heddle.jetty;

import io.heddle.core.HostResolver;
import java.net.InetSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;

/**
 * Calls a resolver on a few platform threads of its own, so that one that blocks, as the JDK's does
 * in native code, holds neither a carrier nor an I/O thread. Each look-up is made by itself, as the
 * resolver may tell the answer later.
 */
final class JettyResolver extends AbstractLifeCycle implements SocketAddressResolver {

  private static final int MAX = 32;

  private final SocketAddressResolver resolver;

  // Set at each start.
  private volatile @Nullable HostResolver<Boolean> threads;

  JettyResolver(SocketAddressResolver resolver) {
    this.resolver = resolver;
  }

  @Override
  protected void doStart() {
    threads = new HostResolver<>("heddle-jetty-lookup", MAX);
  }

  /** A look-up that cannot be interrupted ends when it ends, and its thread too. */
  @Override
  protected void doStop() {
    HostResolver<Boolean> running = threads;
    if (running != null) {
      running.close();
    }
  }

  @Override
  public void resolve(
      String host,
      int port,
      Map<String, Object> context,
      Promise<List<InetSocketAddress>> addresses) {
    ConnectAttempt.track(context);
    HostResolver<Boolean> running = threads;
    try {
      if (running == null) {
        throw new IllegalStateException("the client is not started");
      }
      running.resolve(
          new Object(),
          () -> {
            // Jetty goes on from here to connect, and looks for providers, as that of ALPN.
            Thread.currentThread().setContextClassLoader(HttpClient.class.getClassLoader());
            resolver.resolve(host, port, context, whileRunning(addresses));
            return true;
          },
          (called, failure) -> {
            if (failure != null) { // for whom it belongs to, and not for this thread
              addresses.failed(failure);
            }
          });
    } catch (IllegalStateException e) {
      addresses.failed(new RejectedExecutionException("the client is not running", e));
    }
  }

  /**
   * An answer that comes after the client was stopped must not open a connection. One that Jetty
   * cannot begin to open fails: resolvers, Jetty's too, take what is thrown here for theirs, which
   * nobody waits for any more.
   */
  private Promise<List<InetSocketAddress>> whileRunning(
      Promise<List<InetSocketAddress>> addresses) {
    return new Promise.Wrapper<>(addresses) {
      @Override
      public void succeeded(List<InetSocketAddress> result) {
        if (!isRunning()) {
          failed(new AsynchronousCloseException());
          return;
        }
        try {
          super.succeeded(result);
        } catch (Throwable t) {
          failed(t);
        }
      }
    };
  }
}
