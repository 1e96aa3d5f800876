package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import okhttp3.Connection;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.internal.connection.RealConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A call gets the connection of a response that was dropped unclosed, after OkHttp has found that,
 * and before it closes the connection. What is left of that response is not taken for its own.
 */
@Timeout(60)
class DroppedBeforeNextCallTest {

  private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";

  private static final Logger LOGGER = Logger.getLogger(OkHttpClient.class.getName());

  /** Where {@code /dropped} leads, the body comes with the next answer, but for a byte. */
  private static void serve(ServerSocket server) {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        Thread.startVirtualThread(() -> answer(socket));
      } catch (IOException e) {
        return; // the test is over
      }
    }
  }

  private static void answer(Socket accepted) {
    try (Socket socket = accepted;
        BufferedReader in = UnsoundConnectionTest.reader(socket)) {
      String rest = "";
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        boolean isDropped = line.startsWith("GET /dropped");
        UnsoundConnectionTest.readTo("", in);
        String answer = rest + HEAD + (isDropped ? "0" : "0123456789");
        rest = isDropped ? "123456789" : "";
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException e) {
      // the client has left
    }
  }

  /** Begins a call as soon as OkHttp's thread, looking through the pool, tells of a second one. */
  private static final class CallsInBetween extends Handler {
    private final String first;
    private final String second;
    private final Supplier<Caller> call;
    private final IntSupplier connections;
    private final CompletableFuture<Caller> next = new CompletableFuture<>();
    private boolean foundFirst;
    private volatile boolean inBetween;

    CallsInBetween(int first, int second, Supplier<Caller> call, IntSupplier connections) {
      this.first = ":" + first + "/";
      this.second = ":" + second + "/";
      this.call = call;
      this.connections = connections;
    }

    @Override
    public void publish(LogRecord entry) {
      if (entry.getMessage().contains(first)) {
        foundFirst = true;
      } else if (entry.getMessage().contains(second)) {
        inBetween = foundFirst && connections.getAsInt() == 3; // it is still in the pool
        Caller caller = call.get();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        while (!caller.isDone() && System.nanoTime() < end) { // it may wait for this thread, too
          LockSupport.parkNanos(1_000_000);
        }
        next.complete(caller);
      }
    }

    @Override
    public void flush() {
      // nothing is kept
    }

    @Override
    public void close() {
      // nothing is held
    }
  }

  private static Caller get(OkHttpClient client, ServerSocket server) {
    return new Caller(() -> AbandonedCallsTest.whole(client, URI.create(url(server, "whole"))));
  }

  private static String url(ServerSocket server, String path) {
    return "http://127.0.0.1:" + server.getLocalPort() + "/" + path;
  }

  private static void drop(OkHttpClient client, ServerSocket server) throws Exception {
    Request request = new Request.Builder().url(url(server, "dropped")).build();
    Caller caller = new Caller(() -> client.newCall(request).execute().body().source().request(1));
    assertEquals(true, caller.result());
  }

  private static ServerSocket start() throws IOException {
    ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(() -> serve(server));
    return server;
  }

  /**
   * Whether a call came in between: OkHttp may find the second response first.
   *
   * @param warm whether the connection has had a call before
   */
  private static boolean callsInBetween(boolean warm) throws Exception {
    try (ServerSocket first = start();
        ServerSocket second = start();
        ServerSocket last = start()) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              new OkHttpClient.Builder()
                  .connectionPool(new ConnectionPool(5, 500, TimeUnit.MILLISECONDS))
                  .build());
      if (warm) {
        assertEquals(10, get(client, first).result());
      }
      CallsInBetween handler =
          new CallsInBetween(
              first.getLocalPort(),
              second.getLocalPort(),
              () -> get(client, first),
              client.connectionPool()::connectionCount);
      LOGGER.addHandler(handler);
      try {
        drop(client, first);
        drop(client, second);
        // OkHttp's thread may hold the call for which it has opened a connection last
        assertEquals(10, get(client, last).result());
        ExecuteTest.await(
            () -> {
              System.gc();
              return handler.next.isDone();
            });
      } finally {
        LOGGER.removeHandler(handler);
      }
      assertEquals(10, handler.next.get().result());
      return handler.inBetween;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsLeftOfItIsNotTakenForAnAnswer(boolean warm) throws Exception {
    for (int i = 0; !callsInBetween(warm); i++) {
      assertTrue(i < 10);
    }
  }

  /** Though the connection has not been idle since before the pool's keep-alive time. */
  @Test
  void aCallThatIsRedirectedKeepsItsConnection() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              new OkHttpClient.Builder()
                  .retryOnConnectionFailure(false)
                  .connectionPool(new ConnectionPool(5, 100, TimeUnit.MILLISECONDS))
                  .build());
      String target = server.uri(Script.ok().body(7)).toString();
      URI uri =
          server.uri(Script.answer(302).header("Location", target).delay(Duration.ofMillis(300)));
      assertEquals(7, new Caller(() -> AbandonedCallsTest.whole(client, uri)).result());
      assertEquals(1, server.connectionsAccepted());
    }
  }

  /** OkHttp may not repeat it, and no interceptor of a rebuilt client's is in the way. */
  @Test
  void aRedirectThatMeetsSuchAConnectionIsRepeated() throws Exception {
    assumeTrue(ConversationTest.OKHTTP_5, "OkHttp 4 lets no call have it any more");
    try (FaultServer from = FaultServer.start(Wire.HTTP_1_1);
        FaultServer to = FaultServer.start(Wire.HTTP_1_1)) {
      Set<Connection> seen = ConcurrentHashMap.newKeySet();
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              new OkHttpClient.Builder()
                  .retryOnConnectionFailure(false)
                  .addNetworkInterceptor(
                      chain -> {
                        RealConnection connection =
                            (RealConnection) Objects.requireNonNull(chain.connection());
                        if (!seen.add(connection)) { // as OkHttp does with one that was dropped
                          connection.setIdleAtNs(System.nanoTime() - TimeUnit.MINUTES.toNanos(5));
                        }
                        return chain.proceed(chain.request());
                      })
                  .build());
      URI target = to.uri(Script.ok().body(7));
      assertEquals(7, new Caller(() -> AbandonedCallsTest.whole(client, target)).result());
      URI uri = from.uri(Script.answer(302).header("Location", target.toString()));
      assertEquals(7, new Caller(() -> AbandonedCallsTest.whole(client, uri)).result());
      assertEquals(2, to.connectionsAccepted());
      assertEquals(1, from.seen(uri).size());
    }
  }
}
