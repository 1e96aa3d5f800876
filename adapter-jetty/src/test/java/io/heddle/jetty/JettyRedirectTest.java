package io.heddle.jetty;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RedirectSuite;
import io.heddle.conformance.Wire;
import java.net.URI;
import org.eclipse.jetty.client.HttpClient;

/** Jetty drops all three. */
class JettyRedirectTest extends RedirectSuite {

  JettyRedirectTest() {
    super(new JettyDriver());
  }

  @Override
  protected int stock(URI uri, String field, String value) throws Exception {
    HttpClient client = new HttpClient();
    client.setSslContextFactory(JettyClient.tls(FaultServer.certificate()));
    client.start();
    try {
      return client
          .newRequest(uri)
          .headers(headers -> headers.put(field, value))
          .send()
          .getStatus();
    } finally {
      client.stop();
    }
  }

  @Override
  protected End expected(String field, Wire from, Wire to) {
    return End.DROPPED;
  }
}
