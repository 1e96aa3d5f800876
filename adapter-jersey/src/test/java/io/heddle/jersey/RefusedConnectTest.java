package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.RawServer;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.core.Response;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A proxy's refusal of a CONNECT was a {@code NullPointerException}: no request had been sent. */
@Timeout(60)
class RefusedConnectTest {

  @Test
  void theProxysAnswerReachesTheCaller() throws Exception {
    String refusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    try (RawServer proxy = RawServer.answering(refusal)) {
      ClientConfig config =
          new ClientConfig()
              .connectorProvider(new HeddleConnectorProvider())
              .property(ClientProperties.PROXY_URI, proxy.uri());
      Client client = ClientBuilder.newClient(config);
      try (Response response = client.target("https://127.0.0.1:1/").request().get()) {
        assertEquals(403, response.getStatus());
      } finally {
        client.close();
      }
    }
  }
}
