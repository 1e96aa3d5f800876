package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A call times out over a connection of HTTP/2 from which nothing comes. The JDK keeps the
 * connection; calls leave it if it is the first, or was opened since that one has ended.
 */
@Timeout(120)
class SilentPathTest {

  private final FaultServer server = FaultServer.start(Wire.H2_TLS);
  private final HttpClient wrapped = stock(Wire.H2_TLS).build();
  private final HttpClient client = BlockingJdkHttpClient.wrap(wrapped);

  @AfterEach
  void stop() {
    client.shutdownNow();
    server.close();
  }

  private static CompletableFuture<Integer> send(HttpClient client, HttpRequest request) {
    return start(() -> client.send(request, BodyHandlers.discarding()).statusCode());
  }

  private void assertAnswered(HttpClient client) throws Exception {
    HttpRequest get = request(server.uri(Script.ok())).timeout(Duration.ofSeconds(20)).build();
    assertEquals(200, send(client, get).get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
  }

  private void assertTimesOut(HttpClient client, URI uri, int millis) throws Exception {
    HttpRequest get = request(uri).timeout(Duration.ofMillis(millis)).build();
    assertInstanceOf(HttpTimeoutException.class, Clients.failure(send(client, get)));
  }

  @Test
  void stockStaysOnIt() throws Exception {
    assertAnswered(wrapped);
    server.killPaths();
    assertTimesOut(wrapped, server.uri(Script.ok()), 1_000);
    assertTimesOut(wrapped, server.uri(Script.ok()), 1_000);
    assertEquals(1, server.connectionsAccepted());
  }

  @Test
  void isLeftAndSoIsALaterOne() throws Exception {
    for (int connections = 1; connections <= 5; connections += 2) {
      assertAnswered(client);
      server.killPaths();
      assertTimesOut(client, server.uri(Script.ok()), 1_000);
      assertAnswered(client);
      assertEquals(connections + 1, server.connectionsAccepted());
      server.readOn();
      server.closeConnections(); // else it is one that the next call would stay on
      Clients.await("its end", () -> server.connectionsOpen() == 0);
    }
  }

  @Test
  void oneOverWhichAnotherCallIsAnsweredIsKept() throws Exception {
    assertAnswered(client);
    HttpRequest silent =
        request(server.uri(Script.ok().fault(Fault.STALL))).timeout(Duration.ofSeconds(2)).build();
    CompletableFuture<Integer> stalled = send(client, silent);
    Thread.sleep(500);
    assertAnswered(client);
    assertInstanceOf(HttpTimeoutException.class, Clients.failure(stalled));
    assertAnswered(client);
    assertEquals(1, server.connectionsAccepted());
  }

  /** The server has had no time to answer. */
  @Test
  void oneOfACallThatSoonGaveUpIsKept() throws Exception {
    assertAnswered(client);
    assertTimesOut(client, server.uri(Script.ok().fault(Fault.STALL)), 20);
    assertAnswered(client);
    assertEquals(1, server.connectionsAccepted());
  }
}
