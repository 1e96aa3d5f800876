package io.heddle.ahc;

import io.heddle.core.HostResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.resolver.InetSocketAddressResolver;
import io.netty.resolver.NameResolver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilderBase;

/**
 * Looks names up on threads of its own. AHC asks a request's {@link NameResolver} on the thread
 * that happens to be there, which for a redirect is an event loop; the JDK's resolver, which is the
 * default, holds that thread until the name server has answered.
 */
final class AhcResolver extends AddressResolverGroup<InetSocketAddress> {

  private static final int MAX_THREADS = 32;

  /** Whom the request that is being resolved wants to be asked; from one callback to the next. */
  private static final ThreadLocal<NameResolver<InetAddress>> ASKED = new ThreadLocal<>();

  private record Key(NameResolver<InetAddress> resolver, String host) {}

  private final HostResolver<List<InetAddress>> threads;

  AhcResolver(String threadName) {
    threads = new HostResolver<>(threadName, MAX_THREADS);
  }

  /**
   * AHC is about to resolve a name for this request, on this thread. It hands over no request, so
   * it is remembered from here to there.
   */
  static void resolvingFor(Request request) {
    NameResolver<InetAddress> own = request.getNameResolver();
    if (!own.equals(RequestBuilderBase.DEFAULT_NAME_RESOLVER)) {
      ASKED.set(own);
    }
  }

  private static NameResolver<InetAddress> takeAsked() {
    NameResolver<InetAddress> asked = ASKED.get();
    if (asked == null) {
      return RequestBuilderBase.DEFAULT_NAME_RESOLVER;
    }
    ASKED.remove();
    return asked;
  }

  @Override
  protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
    return new InetSocketAddressResolver(executor, new Names(executor));
  }

  @Override
  public void close() {
    super.close();
    threads.close();
  }

  private final class Names extends InetNameResolver {

    Names(EventExecutor executor) {
      super(executor);
    }

    @Override
    protected void doResolve(String host, Promise<InetAddress> promise) {
      lookUp(host, promise, found -> found.get(0));
    }

    @Override
    protected void doResolveAll(String host, Promise<List<InetAddress>> promise) {
      lookUp(host, promise, found -> found);
    }

    private <T> void lookUp(String host, Promise<T> promise, Function<List<InetAddress>, T> of) {
      NameResolver<InetAddress> asked = takeAsked();
      byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
      try {
        if (literal != null && asked.equals(RequestBuilderBase.DEFAULT_NAME_RESOLVER)) {
          promise.trySuccess(of.apply(List.of(InetAddress.getByAddress(host, literal))));
          return;
        }
        threads.resolve(
            new Key(asked, host),
            () -> ask(asked, host),
            (found, failure) -> {
              if (found != null && !found.isEmpty()) {
                promise.trySuccess(of.apply(found));
              } else {
                promise.tryFailure(failure != null ? failure : new UnknownHostException(host));
              }
            });
      } catch (UnknownHostException | IllegalStateException e) { // the latter: it is closed
        promise.tryFailure(e);
      }
    }
  }

  /** On a thread of the resolver, which may be held. */
  private static List<InetAddress> ask(NameResolver<InetAddress> resolver, String host)
      throws Exception {
    try {
      return resolver.resolveAll(host).get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
