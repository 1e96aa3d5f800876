package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.core5.util.TimeValue;
import org.glassfish.jersey.apache5.connector.Apache5ClientProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that says 503, and when to come again. */
@Timeout(60)
class UnavailableTest {

  private final FaultServer server = FaultServer.start(Wire.HTTP_1_1);

  @AfterEach
  void stop() {
    server.close();
  }

  private int requests(ClientBuilder builder, String accept, int retryAfterSeconds) {
    URI uri = server.uri(Script.answer(503).header("Retry-After", "" + retryAfterSeconds));
    try (Client client = builder.build();
        Response response = client.target(uri).request(accept).get()) {
      assertEquals(503, response.getStatus());
    }
    return server.seen(uri).size();
  }

  /** An event source was held up in its {@code open()} for that long. */
  @Test
  void anEventSourceIsToldAtOnce() {
    assertEquals(1, requests(ClientBuilder.newBuilder(), MediaType.SERVER_SENT_EVENTS, 3));
  }

  @Test
  void otherRequestsGoAgainAsApacheHasIt() {
    assertEquals(2, requests(ClientBuilder.newBuilder(), MediaType.TEXT_PLAIN, 1));
  }

  @Test
  void aStrategyOfTheUsersCounts() {
    ClientBuilder builder =
        ClientBuilder.newBuilder()
            .property(
                Apache5ClientProperties.RETRY_STRATEGY,
                new DefaultHttpRequestRetryStrategy(2, TimeValue.ofMilliseconds(1)));
    assertEquals(3, requests(builder, MediaType.SERVER_SENT_EVENTS, 0));
  }
}
