package io.heddle.apache;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RedirectSuite;
import io.heddle.conformance.Wire;
import java.net.URI;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;

/** Apache follows no such redirect with {@code Authorization} or {@code Cookie}. */
class ApacheRedirectTest extends RedirectSuite {

  ApacheRedirectTest() {
    super(new ApacheDriver());
  }

  @Override
  protected int stock(URI uri, String field, String value) throws Exception {
    try (CloseableHttpClient client =
        HttpClients.custom()
            .setConnectionManager(ApacheClient.stock(FaultServer.certificate()).build())
            .build()) {
      HttpGet request = new HttpGet(uri);
      request.setHeader(field, value);
      return client.execute(request, response -> response.getCode());
    }
  }

  @Override
  protected End expected(String field, Wire from, Wire to) {
    return field.equals("Proxy-Authorization") ? End.SENT : End.NOT_FOLLOWED;
  }
}
