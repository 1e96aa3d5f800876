package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A connection that has served a call is reset before the next has its response: the server may
 * have processed that one.
 */
@Timeout(60)
class LostConnectionTest {

  /** Twice: over HTTP/1.1 the JDK itself sends it once more. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void aGetGoesAgain(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      BlockingJdkHttpClient client = used(server, wire);
      URI uri = server.uri(Script.ok().fault(Fault.RESET).times(2));
      assertEquals(200, status(client, uri));
      assertEquals(3, server.seen(uri).size(), "times sent");
      client.shutdownNow();
    }
  }

  /** It has no body either, but it changes something: twice, if it goes again. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void aDeleteDoesNot(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      BlockingJdkHttpClient client = used(server, wire);
      URI uri = server.uri(Script.ok().fault(Fault.RESET).once());
      HttpRequest delete = request(uri).DELETE().build();
      assertTrue(delete.bodyPublisher().isEmpty());
      assertInstanceOf(
          IOException.class,
          Clients.failure(start(() -> client.send(delete, BodyHandlers.discarding()))));
      assertEquals(1, server.seen(uri).size(), "times sent");
      client.shutdownNow();
    }
  }

  /** A client that has a connection to the server. */
  private static BlockingJdkHttpClient used(FaultServer server, Wire wire) throws Exception {
    BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(wire).build());
    assertEquals(200, status(client, server.uri(Script.ok())));
    return client;
  }

  private static int status(BlockingJdkHttpClient client, URI uri) throws Exception {
    HttpRequest get = request(uri).GET().build();
    return start(() -> client.send(get, BodyHandlers.discarding()).statusCode())
        .get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
  }
}
