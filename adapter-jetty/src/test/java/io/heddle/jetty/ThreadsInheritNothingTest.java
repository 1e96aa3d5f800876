package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.InputStreamRequestContent;
import org.eclipse.jetty.io.ByteBufferPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One caller's thread-locals and class loader were seen by code of another's calls, on threads that
 * the client had made in a call of the first.
 */
@Timeout(60)
class ThreadsInheritNothingTest {

  private static final InheritableThreadLocal<@Nullable String> CALLER =
      new InheritableThreadLocal<>();

  private final BlockingJettyClient client = new BlockingJettyClient();
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();
  private final Map<String, List<Object>> seen = new ConcurrentHashMap<>();
  private FaultServer server;

  @BeforeEach
  void start() {
    server = FaultServer.start(Wire.HTTP_1_1);
    CALLER.set("of this caller");
    Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0]));
  }

  @AfterEach
  void stop() throws Exception {
    CALLER.remove();
    Thread.currentThread().setContextClassLoader(before);
    client.stop();
    server.close();
  }

  private void look(String where) {
    seen.put(
        where,
        List.of(
            Objects.requireNonNullElse(CALLER.get(), "nothing"),
            Thread.currentThread().getContextClassLoader()));
  }

  @Test
  void neitherThreadLocalsNorTheClassLoader() throws Exception {
    client.setSocketAddressResolver(
        (host, port, context, addresses) -> {
          look("resolver");
          addresses.succeeded(
              List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
        });
    client.start();
    InputStream body =
        new InputStream() {
          @Override
          public int read() {
            look("body");
            return -1;
          }

          @Override
          public int read(byte[] b, int off, int len) {
            return read();
          }
        };
    client
        .POST(server.uri(Script.ok().body(100_000)))
        .onResponseHeaders(response -> look("listener"))
        .body(new InputStreamRequestContent("a/b", body, new ByteBufferPool.Sized(null)))
        .send();
    CountDownLatch ended = new CountDownLatch(2);
    client
        .newRequest(server.uri(Script.ok().fault(Fault.STALL)))
        .timeout(100, TimeUnit.MILLISECONDS)
        .send(
            result -> {
              look("scheduler");
              ended.countDown();
            });
    client
        .getExecutor()
        .execute(
            () -> {
              look("I/O thread");
              ended.countDown();
            });
    ended.await();
    assertEquals(5, seen.size(), seen::toString);
    seen.forEach(
        (where, what) -> {
          assertEquals("nothing", what.get(0), where);
          assertSame(ClassLoader.getSystemClassLoader(), what.get(1), where);
        });
  }
}
