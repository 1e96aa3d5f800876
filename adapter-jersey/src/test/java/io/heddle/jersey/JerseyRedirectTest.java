package io.heddle.jersey;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RedirectSuite;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
import org.glassfish.jersey.client.ClientConfig;

/** Jersey leaves redirects to Apache; stock is Jersey's own connector for that. */
class JerseyRedirectTest extends RedirectSuite {

  JerseyRedirectTest() {
    super(new JerseyDriver());
  }

  @Override
  protected int stock(URI uri, String field, String value) {
    try (Client client =
            ClientBuilder.newBuilder()
                .withConfig(new ClientConfig().connectorProvider(new Apache5ConnectorProvider()))
                .sslContext(JaxRsClient.trusting(FaultServer.certificate()))
                .build();
        Response response = client.target(uri).request().header(field, value).get()) {
      return response.getStatus();
    }
  }

  @Override
  protected End expected(String field, Wire from, Wire to) {
    return field.equals("Proxy-Authorization") ? End.SENT : End.NOT_FOLLOWED;
  }
}
