package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the target of a redirect speaks was taken for what its own origin speaks. */
@Timeout(60)
class RedirectToAnotherOriginTest {

  private static final Script SLOW = Script.ok().delay(Duration.ofMillis(200));

  private static BlockingJdkHttpClient client() {
    return BlockingJdkHttpClient.builder(
            stock(Wire.H2_TLS).followRedirects(HttpClient.Redirect.ALWAYS).build())
        .maxConnectionsPerOrigin(2)
        .build();
  }

  private static HttpRequest redirected(FaultServer from, FaultServer to, boolean post) {
    URI uri = from.uri(Script.answer(307).header("Location", to.uri(Script.ok()).toString()));
    HttpRequest.Builder builder = request(uri);
    return (post ? builder.POST(BodyPublishers.ofString("x")) : builder).build();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneOfHttp11KeepsItsLimit(boolean post) throws Exception {
    try (FaultServer one = FaultServer.start(Wire.HTTP_1_1_TLS);
        FaultServer other = FaultServer.start(Wire.H2_TLS);
        BlockingJdkHttpClient client = client()) {
      assertEquals(
          200, client.send(redirected(one, other, post), BodyHandlers.discarding()).statusCode());
      HttpRequest slow = request(one.uri(SLOW)).build();
      assertEquals(
          List.of(), Clients.together(12, () -> client.send(slow, BodyHandlers.discarding())));
      assertTrue(
          one.connectionsAccepted() <= 3, one.connectionsAccepted() + " connections"); // and ALPN's
    }
  }

  @Test
  void oneOfHttp2HasNone() throws Exception {
    try (FaultServer one = FaultServer.start(Wire.H2_TLS);
        FaultServer other = FaultServer.start(Wire.HTTP_1_1_TLS);
        BlockingJdkHttpClient client = client()) {
      client.send(request(one.uri(Script.ok())).build(), BodyHandlers.discarding());
      assertEquals(
          200, client.send(redirected(one, other, false), BodyHandlers.discarding()).statusCode());
      URI stalled = one.uri(Script.ok().fault(Script.Fault.STALL));
      for (int i = 0; i < 3; i++) {
        var unused = client.sendAsync(request(stalled).build(), BodyHandlers.discarding());
      }
      Clients.await("more than the limit of connections", () -> one.seen(stalled).size() == 3);
      client.shutdownNow();
    }
  }
}
