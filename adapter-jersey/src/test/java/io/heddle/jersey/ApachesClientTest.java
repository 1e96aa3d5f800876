package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import java.net.URI;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Jersey hands out the client of Apache's that it uses. A request that is not Jersey's failed there
 * with a NullPointerException.
 */
@Timeout(60)
class ApachesClientTest {

  @Test
  void itMakesCallsOfItsOwn() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Client client = ClientBuilder.newClient()) {
      URI uri = server.uri(Script.ok().body(1000));
      client.target(uri).request().get().close();
      HttpClient apache = Apache5ConnectorProvider.getHttpClient(client);
      for (int i = 0; i < 3; i++) {
        byte[] body =
            apache.execute(
                new HttpGet(uri), response -> EntityUtils.toByteArray(response.getEntity()));
        assertEquals(1000, body.length);
      }
      assertEquals(1, server.connectionsAccepted(), "over Jersey's connection");
    }
  }
}
