package io.heddle.ahc;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RedirectSuite;
import io.heddle.conformance.Wire;
import java.net.URI;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.Dsl;

/** AsyncHttpClient drops all three. */
class AhcRedirectTest extends RedirectSuite {

  AhcRedirectTest() {
    super(new AhcDriver());
  }

  @Override
  protected int stock(URI uri, String field, String value) throws Exception {
    try (AsyncHttpClient client =
        Dsl.asyncHttpClient(
            Dsl.config()
                .setFollowRedirect(true)
                .setSslContext(AhcClient.tls(FaultServer.certificate(), false)))) {
      return client
          .prepareGet(uri.toString())
          .setHeader(field, value)
          .execute()
          .get()
          .getStatusCode();
    }
  }

  @Override
  protected End expected(String field, Wire from, Wire to) {
    return End.DROPPED;
  }
}
