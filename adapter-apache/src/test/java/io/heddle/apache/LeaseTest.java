package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.DefaultSchemePortResolver;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.config.H2Config;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.ManagedConnPool;
import org.apache.hc.core5.pool.PoolEntry;
import org.apache.hc.core5.pool.StrictConnPool;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What becomes of a lease whose holder, unlike Apache's chain, does not close its endpoint before
 * it gives it back, or has gone when it comes.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class LeaseTest {

  private static final org.apache.hc.core5.util.Timeout PATIENCE =
      org.apache.hc.core5.util.Timeout.ofSeconds(10);

  private static HttpRoute route(URI uri) {
    return new HttpRoute(new HttpHost("http", "127.0.0.1", uri.getPort()));
  }

  private static ConnectionEndpoint lease(BlockingConnectionManager manager, HttpRoute route)
      throws Exception {
    return manager.lease("test", route, PATIENCE, null).get(PATIENCE);
  }

  private static ClassicHttpResponse get(ConnectionEndpoint endpoint, URI uri) throws Exception {
    HttpGet request = new HttpGet(uri);
    request.setHeader("Host", uri.getAuthority());
    HttpRequestExecutor executor = new HttpRequestExecutor();
    return endpoint.execute("test", request, executor::execute, HttpClientContext.create());
  }

  private static Seen seen(FaultServer server, URI uri) throws InterruptedException {
    Threads.await("the server sees the request", () -> server.seen(uri).size() == 1);
    return server.seen(uri).get(0);
  }

  /** Before it is given back. */
  @Test
  void oneWhoseReaderIsInterruptedIsAborted() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingConnectionManager manager = BlockingConnectionManager.builder().build()) {
      URI uri = server.uri(Script.ok().body(10_000).fault(Script.Fault.STALL, 1000));
      ConnectionEndpoint endpoint = lease(manager, route(uri));
      manager.connect(endpoint, null, HttpClientContext.create());
      InputStream body = get(endpoint, uri).getEntity().getContent();
      assertEquals(1000, body.readNBytes(1000).length);
      Thread.currentThread().interrupt();
      assertThrows(InterruptedIOException.class, body::read);
      assertTrue(Thread.interrupted(), "the flag is kept");
      Threads.await("the server sees the abort", seen(server, uri)::isAborted);
      assertEquals(1, manager.getTotalStats().getLeased());
      manager.release(endpoint, null, TimeValue.ofMinutes(1));
      assertEquals(0, manager.getTotalStats().getLeased());
      assertEquals(0, manager.getTotalStats().getAvailable());
    }
  }

  /** As in Apache's own manager, where null says that the connection is not to be kept. */
  @Test
  void oneThatIsNotToBeKeptIsClosed() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingConnectionManager manager = BlockingConnectionManager.builder().build()) {
      URI first = server.uri(Script.ok().body(100));
      ConnectionEndpoint endpoint = lease(manager, route(first));
      manager.connect(endpoint, null, HttpClientContext.create());
      EntityUtils.consume(get(endpoint, first).getEntity());
      manager.release(endpoint, null, null);
      assertEquals(0, manager.getTotalStats().getAvailable());
      Threads.await("the server sees its end", () -> server.connectionsOpen() == 0);

      ConnectionEndpoint next = lease(manager, route(first));
      assertFalse(next.isConnected());
      manager.connect(next, null, HttpClientContext.create());
      URI second = server.uri(Script.ok().body(100));
      EntityUtils.consume(get(next, second).getEntity());
      manager.release(next, null, TimeValue.ofMinutes(1));
      assertNotEquals(seen(server, first).connection(), seen(server, second).connection());
    }
  }

  /** Another thread closes its endpoint as it connects: the connection may be others' by then. */
  @Test
  void oneThatIsClosedAsItConnectsEndsNoOther() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingConnectionManager manager =
            BlockingConnectionManager.builder()
                .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
                .build()) {
      URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
      ApacheEndpoint closed = (ApacheEndpoint) lease(manager, route(uri));
      CompletableFuture<Integer> other = new CompletableFuture<>();
      Exchange<Integer> wait = new Exchange<>();
      wait.onAbandon(
          () -> { // once it has looked whether the connection is shared
            try {
              manager.connect(closed, null, HttpClientContext.create());
              ConnectionEndpoint endpoint = lease(manager, route(uri));
              assertTrue(endpoint.isConnected(), "it is shared");
              other.completeAsync(() -> status(endpoint, uri), Thread::startVirtualThread);
              seen(server, uri);
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
      Thread waiter = Thread.startVirtualThread(() -> await(closed, wait));
      Threads.await("it waits", () -> waiter.getState() == Thread.State.WAITING);
      closed.close(CloseMode.IMMEDIATE);
      waiter.join();
      seen(server, uri).release();
      assertEquals(200, other.get());
    }
  }

  private static int status(ConnectionEndpoint endpoint, URI uri) {
    try {
      return get(endpoint, uri).getCode();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void await(ApacheEndpoint endpoint, Exchange<Integer> wait) {
    assertThrows(
        CancellationException.class,
        () -> endpoint.waits().await(CallEvent.Step.CONNECTION, wait, Deadline.none()));
  }

  /** The pool has lent the connection at the moment at which the caller gave up. */
  @Test
  void oneThatComesTooLateGoesBack() throws Exception {
    StrictConnPool<HttpRoute, ReactorConnection> pool = new StrictConnPool<>(1, 1);
    CompletableFuture<Runnable> telling = new CompletableFuture<>();
    HttpRoute route = new HttpRoute(new HttpHost("http", "127.0.0.1", 1));
    try (BlockingConnectionManager manager =
        new BlockingConnectionManager(tellingLater(pool, telling), opener())) {
      CompletableFuture<Throwable> failure = new CompletableFuture<>();
      Thread caller =
          Thread.startVirtualThread(
              () -> {
                try {
                  lease(manager, route);
                } catch (Throwable t) {
                  failure.complete(t);
                }
              });
      Runnable tell = telling.get(10, TimeUnit.SECONDS);
      caller.interrupt();
      assertInstanceOf(InterruptedException.class, failure.get(10, TimeUnit.SECONDS));
      assertEquals(1, pool.getTotalStats().getLeased());
      tell.run();
      assertEquals(0, pool.getTotalStats().getLeased());
    }
  }

  /**
   * The pool was not closed when it looked, and no longer knows the entry when it takes it back.
   */
  @Test
  void oneThatIsGivenBackWhileTheManagerClosesIsNoError() throws Exception {
    StrictConnPool<HttpRoute, ReactorConnection> pool = new StrictConnPool<>(1, 1);
    CompletableFuture<Runnable> closing = new CompletableFuture<>();
    BlockingConnectionManager manager =
        new BlockingConnectionManager(forgetting(pool, closing), opener());
    closing.complete(() -> manager.close(CloseMode.IMMEDIATE));
    HttpRoute route = new HttpRoute(new HttpHost("http", "127.0.0.1", 1));
    ConnectionEndpoint endpoint = lease(manager, route);
    assertEquals(1, pool.getTotalStats().getLeased());
    assertDoesNotThrow(() -> manager.release(endpoint, null, null));
    pool.close();
  }

  /** The pool, but it is about to be closed when an entry is given back, which it has forgotten. */
  @SuppressWarnings("unchecked")
  private static ManagedConnPool<HttpRoute, ReactorConnection> forgetting(
      ManagedConnPool<HttpRoute, ReactorConnection> pool, CompletableFuture<Runnable> closing) {
    return (ManagedConnPool<HttpRoute, ReactorConnection>)
        Proxy.newProxyInstance(
            LeaseTest.class.getClassLoader(),
            new Class<?>[] {ManagedConnPool.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                return null; // later
              }
              if (method.getName().equals("release")) {
                method.invoke(pool, arguments);
                closing.join().run();
              }
              try {
                return method.invoke(pool, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static ConnectionOpener opener() {
    return new ConnectionOpener(
        new ProtocolStarter(Http1Config.DEFAULT, H2Config.DEFAULT, CharCodingConfig.DEFAULT),
        ClientTlsStrategyBuilder.create().buildAsync(),
        DefaultSchemePortResolver.INSTANCE,
        SystemDefaultDnsResolver.INSTANCE,
        SocketConfig.DEFAULT,
        1,
        1);
  }

  /** The pool, but it tells of what it has lent when it is told to. */
  @SuppressWarnings("unchecked")
  private static ManagedConnPool<HttpRoute, ReactorConnection> tellingLater(
      ManagedConnPool<HttpRoute, ReactorConnection> pool, CompletableFuture<Runnable> telling) {
    return (ManagedConnPool<HttpRoute, ReactorConnection>)
        Proxy.newProxyInstance(
            LeaseTest.class.getClassLoader(),
            new Class<?>[] {ManagedConnPool.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("lease") && arguments.length == 4) {
                arguments[3] =
                    later(
                        (FutureCallback<PoolEntry<HttpRoute, ReactorConnection>>) arguments[3],
                        telling);
              }
              return method.invoke(pool, arguments);
            });
  }

  private static <T> FutureCallback<T> later(
      FutureCallback<T> callback, CompletableFuture<Runnable> telling) {
    return new FutureCallback<>() {
      @Override
      public void completed(T lent) {
        telling.complete(() -> callback.completed(lent));
      }

      @Override
      public void failed(Exception cause) {
        callback.failed(cause);
      }

      @Override
      public void cancelled() {
        callback.cancelled();
      }
    };
  }
}
