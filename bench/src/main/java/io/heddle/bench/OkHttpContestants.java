package io.heddle.bench;

import io.heddle.okhttp.BlockingOkHttpClient;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

/** OkHttp, stock and through Heddle: the same settings, and the same connection pool's size. */
final class OkHttpContestants {

  private OkHttpContestants() {}

  static List<Contestant> all() {
    return List.of(
        new OkHttp("stock OkHttp, HTTP/1.1", false, Protocol.HTTP_1_1),
        new OkHttp("Heddle OkHttp, HTTP/1.1", true, Protocol.HTTP_1_1),
        new OkHttp("stock OkHttp, HTTP/2", false, Protocol.H2_PRIOR_KNOWLEDGE),
        new OkHttp("Heddle OkHttp, HTTP/2", true, Protocol.H2_PRIOR_KNOWLEDGE));
  }

  private record OkHttp(String name, boolean isOurs, Protocol protocol) implements Contestant {

    @Override
    public Running open(URI uri, int callers) {
      OkHttpClient stock =
          new OkHttpClient.Builder()
              .protocols(List.of(protocol))
              .connectionPool(new ConnectionPool(callers, 1, TimeUnit.MINUTES))
              .retryOnConnectionFailure(false) // an error is an error here
              .build();
      return new Calls(
          new Request.Builder().url(uri.toString()).build(),
          isOurs ? BlockingOkHttpClient.wrap(stock) : stock);
    }
  }

  private record Calls(Request request, OkHttpClient client) implements Contestant.Running {

    @Override
    public void call() throws IOException {
      try (Response response = client.newCall(request).execute()) {
        response.body().bytes();
        if (!response.isSuccessful()) {
          throw new IOException("status " + response.code());
        }
      }
    }

    @Override
    public void close() {
      if (client instanceof BlockingOkHttpClient ours) {
        ours.close();
      }
      client.dispatcher().cancelAll();
      client.dispatcher().executorService().shutdown();
      client.connectionPool().evictAll();
    }
  }
}
