package io.heddle.okhttp;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RedirectSuite;
import io.heddle.conformance.Wire;
import java.net.URI;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Of the three fields, OkHttp drops {@code Authorization} alone. */
class OkHttpRedirectTest extends RedirectSuite {

  OkHttpRedirectTest() {
    super(new OkHttpDriver());
  }

  @Override
  protected int stock(URI uri, String field, String value) throws Exception {
    OkHttpClient.Builder settings = new OkHttpClient.Builder();
    KitClient.trust(settings, FaultServer.certificate());
    OkHttpClient client = settings.build();
    Request request = new Request.Builder().url(uri.toURL()).header(field, value).build();
    try (Response response = client.newCall(request).execute()) {
      return response.code();
    } finally {
      client.connectionPool().evictAll();
    }
  }

  @Override
  protected End expected(String field, Wire from, Wire to) {
    return field.equals("Authorization") ? End.DROPPED : End.SENT;
  }
}
