package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code expectContinue(true)} of a request that has nothing to send: a server that took more than
 * a second got it twice, and each time whole.
 */
@Timeout(60)
class ExpectOfNothingTest {

  private static final Script SLOW = Script.ok().delay(Duration.ofMillis(1800));

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void anEmptyPostIsSentOnce(Wire wire) throws Exception {
    Seen only = sentOnce(wire, request -> request.POST(BodyPublishers.noBody()));
    assertNull(only.header("Expect"), "RFC 9110, 10.1.1");
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void soIsAGet(Wire wire) throws Exception {
    sentOnce(wire, HttpRequest.Builder::GET);
  }

  private static Seen sentOnce(Wire wire, UnaryOperator<HttpRequest.Builder> method)
      throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(wire).build())) {
      URI uri = server.uri(SLOW);
      HttpRequest request = method.apply(request(uri).expectContinue(true)).build();
      assertEquals(200, client.send(request, BodyHandlers.discarding()).statusCode());
      assertEquals(1, server.seen(uri).size(), "times sent");
      return server.seen(uri).getFirst();
    }
  }
}
