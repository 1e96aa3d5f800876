package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.HttpProxy;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.transport.HttpChannel;
import org.eclipse.jetty.client.transport.HttpConnection;
import org.eclipse.jetty.io.CyclicTimeouts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A total timeout that is over just as its request has ended: Jetty aborts what its connection has
 * then, which was seen to be the next call, that had no timeout at all.
 */
@Timeout(60)
class OthersTimeoutTest {

  private BlockingJettyClient client = new BlockingJettyClient();

  @AfterEach
  void stop() throws Exception {
    client.stop();
  }

  private void start(Wire wire) throws Exception {
    client = new BlockingJettyClient(JettyClient.transport(wire));
    client.start();
  }

  private Request begun(
      FaultServer server, URI uri, long seconds, BlockingResponseListener listener)
      throws Exception {
    Request request = client.newRequest(uri).timeout(seconds, TimeUnit.SECONDS);
    request.send(listener);
    while (server.seen(uri).isEmpty()) {
      Thread.sleep(5);
    }
    return request;
  }

  private static Object field(Class<?> of, Object in, String name) throws Exception {
    Field field = of.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(in);
  }

  private static Object call(Class<?> of, Object on, String name, Class<?>[] types, Object... args)
      throws Exception {
    Method method = of.getDeclaredMethod(name, types);
    method.setAccessible(true);
    return method.invoke(on, args);
  }

  /** What Jetty's timer does where it has seen that the exchange of this connection is to end. */
  private static void expire(Connection of) throws Exception {
    HttpConnection connection =
        of instanceof HttpConnection http2
            ? http2
            : (HttpConnection) field(of.getClass(), of, "delegate");
    Object timeouts = field(HttpConnection.class, connection, "requestTimeouts");
    Iterator<?> channels =
        (Iterator<?>) call(connection.getClass(), connection, "getHttpChannels", new Class<?>[0]);
    Class<?>[] types = {CyclicTimeouts.Expirable.class};
    call(timeouts.getClass(), timeouts, "onExpired", types, (HttpChannel) channels.next());
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1,0", "HTTP_1_1,30", "H2C,0", "H2C,30"})
  void aRequestThatHasTimeGoesOn(Wire wire, long seconds) throws Exception {
    start(wire);
    try (FaultServer server = FaultServer.start(wire)) {
      URI uri = server.uri(Script.ok().body(10).delay(Duration.ofMillis(500)));
      BlockingResponseListener listener = new BlockingResponseListener();
      expire(begun(server, uri, seconds, listener).getConnection());
      assertEquals(200, listener.get(10, TimeUnit.SECONDS).getStatus());
      assertEquals(10, listener.getInputStream().readAllBytes().length);
    }
  }

  /** Whoever has such a failure may end another request with it. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void anAbortOfTheUsersEnds(Wire wire) throws Exception {
    start(wire);
    try (FaultServer server = FaultServer.start(wire)) {
      client.GET(server.uri(Script.ok())); // there is a connection: else it is over in the queue
      URI uri = server.uri(Script.ok().delay(Duration.ofSeconds(20)));
      CompletableFuture<Result> ended = new CompletableFuture<>();
      client.newRequest(uri).timeout(1, TimeUnit.SECONDS).send(ended::complete);
      Throwable failure = ended.get(10, TimeUnit.SECONDS).getFailure();
      assertInstanceOf(TimeoutException.class, failure);
      assertTrue(JettyInternals.isTotalTimeout(failure), failure::toString);
      BlockingResponseListener listener = new BlockingResponseListener();
      URI other = server.uri(Script.ok().delay(Duration.ofSeconds(20)));
      assertTrue(begun(server, other, 0, listener).abort(failure).get(10, TimeUnit.SECONDS));
      assertThrows(ExecutionException.class, () -> listener.get(10, TimeUnit.SECONDS));
    }
  }

  /** The request to the proxy has a timeout, and ends those that wait for the tunnel. */
  @Test
  void aProxyThatIsSilentEndsWhatWaitsForIt() throws Exception {
    try (ServerSocket proxy = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      client.setConnectTimeout(500);
      client.getProxyConfiguration().addProxy(new HttpProxy("127.0.0.1", proxy.getLocalPort()));
      client.start();
      BlockingResponseListener listener = new BlockingResponseListener();
      client.newRequest("https://loom.heddle.test/").send(listener);
      ExecutionException thrown =
          assertThrows(ExecutionException.class, () -> listener.get(10, TimeUnit.SECONDS));
      assertInstanceOf(TimeoutException.class, thrown.getCause());
    }
  }
}
