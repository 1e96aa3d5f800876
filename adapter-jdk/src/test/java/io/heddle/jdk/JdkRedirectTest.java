package io.heddle.jdk;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RedirectSuite;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** The JDK drops what it sends at all, and follows no redirect from https to http. */
class JdkRedirectTest extends RedirectSuite {

  JdkRedirectTest() {
    super(new JdkDriver());
  }

  @Override
  protected int stock(URI uri, String field, String value) throws Exception {
    try (HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .sslContext(KitClient.trusting(FaultServer.certificate()))
            .build()) {
      HttpRequest request = HttpRequest.newBuilder(uri).header(field, value).build();
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }
  }

  @Override
  protected End expected(String field, Wire from, Wire to) {
    if (field.equals("Proxy-Authorization")) {
      return End.NEVER_SENT; // there is no proxy
    }
    return from.isTls() && !to.isTls() ? End.NOT_FOLLOWED : End.DROPPED;
  }
}
