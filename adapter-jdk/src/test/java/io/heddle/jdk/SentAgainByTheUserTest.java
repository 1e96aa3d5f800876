package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A response's request is one that can be sent: it hung, or went without its body, as that was the
 * one of the call that was over.
 */
@Timeout(60)
class SentAgainByTheUserTest {

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2_TLS"})
  void aResponsesRequestCanBeSent(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(wire).build())) {
      URI uri = server.uri(Script.ok());
      HttpRequest post = request(uri).POST(BodyPublishers.ofString("body")).build();
      HttpRequest its = client.send(post, BodyHandlers.discarding()).request();
      HttpRequest copy = HttpRequest.newBuilder(its, (name, value) -> true).build();
      HttpClient other = stock(wire).build();
      assertEquals(200, client.send(its, BodyHandlers.discarding()).statusCode());
      assertEquals(200, client.send(copy, BodyHandlers.discarding()).statusCode());
      assertEquals(200, client.sendAsync(its, BodyHandlers.discarding()).get().statusCode());
      assertEquals(200, other.send(its, BodyHandlers.discarding()).statusCode());
      assertEquals(5, server.seen(uri).size());
      server.seen(uri).forEach(each -> assertEquals(4, each.bodyBytes()));
      other.shutdownNow();
    }
  }
}
