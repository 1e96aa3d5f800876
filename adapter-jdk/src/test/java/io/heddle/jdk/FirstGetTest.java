package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The first GET to an origin tells when its connection stands, by a body of no bytes: over HTTP/1.1
 * the server sees its length.
 */
@Timeout(60)
class FirstGetTest {

  private static @Nullable String lengthOfGet(HttpClient client, FaultServer server)
      throws Exception {
    URI uri = server.uri(Script.ok());
    client.send(request(uri).build(), BodyHandlers.discarding());
    return server.seen(uri).getFirst().header("Content-Length");
  }

  @Test
  void hasALengthIfItsServerTurnsOutToSpeakHttp11() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1_TLS);
        HttpClient stock = stock(Wire.H2_TLS).build();
        HttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build())) {
      assertNull(lengthOfGet(stock, server), "stock");
      boolean onlyWithPost = Runtime.version().feature() >= 26; // or with PUT
      assertEquals(onlyWithPost ? null : "0", lengthOfGet(client, server), "first");
      assertNull(lengthOfGet(client, server), "second");
    }
  }

  @Test
  void hasNoneIfTheClientSpeaksOnlyHttp11() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1_TLS);
        HttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.HTTP_1_1_TLS).build())) {
      assertNull(lengthOfGet(client, server));
    }
  }
}
