package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The target of a redirect refuses a POST, whose origin has taken it: it got it again. */
@Timeout(60)
class RedirectedPostTest {

  static List<BodyPublisher> bodies() {
    return List.of(BodyPublishers.noBody(), BodyPublishers.ofString("body"));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void itsOriginGetsItOnce(BodyPublisher body) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        BlockingJdkHttpClient client =
            BlockingJdkHttpClient.wrap(
                stock(Wire.H2_TLS).followRedirects(HttpClient.Redirect.ALWAYS).build())) {
      URI target = server.uri(Script.ok().fault(Fault.STREAM_REFUSED));
      URI first = server.uri(Script.answer(307).header("Location", target.toString()));
      IOException refused =
          assertThrows(
              IOException.class,
              () -> client.send(request(first).POST(body).build(), BodyHandlers.discarding()));
      assertTrue(JdkInternals.wasNotProcessed(refused), refused::toString);
      assertEquals(1, server.seen(first).size(), "times sent");
    }
  }
}
