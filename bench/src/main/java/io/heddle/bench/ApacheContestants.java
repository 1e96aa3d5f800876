package io.heddle.bench;

import io.heddle.apache.BlockingConnectionManager;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.HttpClientResponseHandler;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.jspecify.annotations.Nullable;

/**
 * Apache HttpClient 5, stock and through Heddle: the same client over other connection managers.
 */
final class ApacheContestants {

  private ApacheContestants() {}

  static List<Contestant> all() {
    return List.of(
        new Apache("Apache stock, HTTP/1.1", false, ApacheContestants::stock),
        new Apache(
            "Apache with Heddle, HTTP/1.1", true, n -> heddle(n, HttpVersionPolicy.FORCE_HTTP_1)),
        new Apache(
            "Apache with Heddle, HTTP/2", true, n -> heddle(n, HttpVersionPolicy.FORCE_HTTP_2)));
  }

  private static HttpClientConnectionManager stock(int callers) {
    return PoolingHttpClientConnectionManagerBuilder.create()
        .setMaxConnPerRoute(callers)
        .setMaxConnTotal(callers)
        .build();
  }

  private static HttpClientConnectionManager heddle(int callers, HttpVersionPolicy policy) {
    return BlockingConnectionManager.builder()
        .setMaxConnPerRoute(callers)
        .setMaxConnTotal(callers)
        .setVersionPolicy(policy)
        .build();
  }

  private record Apache(
      String name, boolean isOurs, IntFunction<HttpClientConnectionManager> managers)
      implements Contestant {

    @Override
    public Running open(URI uri, int callers) {
      return new Calls(
          uri,
          HttpClients.custom()
              .setConnectionManager(managers.apply(callers))
              .disableAutomaticRetries() // an error is an error here
              .build());
    }
  }

  private record Calls(URI uri, CloseableHttpClient client) implements Contestant.Running {
    private static final HttpClientResponseHandler<@Nullable Void> READ_ALL = Calls::readAll;

    @Override
    public void call() throws IOException {
      client.execute(new HttpGet(uri), READ_ALL);
    }

    private static @Nullable Void readAll(ClassicHttpResponse response) throws IOException {
      HttpEntity entity = response.getEntity();
      if (entity != null) {
        EntityUtils.toByteArray(entity);
      }
      if (response.getCode() / 100 != 2) {
        throw new IOException("status " + response.getCode());
      }
      return null;
    }

    @Override
    public void close() {
      client.close(CloseMode.IMMEDIATE);
    }
  }
}
