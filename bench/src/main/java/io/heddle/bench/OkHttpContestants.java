package io.heddle.bench;

import io.heddle.okhttp.BlockingOkHttpClient;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
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

  /** Stock HTTP/2 on virtual threads pins its carriers before JDK 24, and may stall for good. */
  private static final boolean STOCK_HTTP2_ENDS = Runtime.version().feature() >= 24;

  static List<Contestant> all() {
    List<Contestant> all = new ArrayList<>();
    all.add(new OkHttp("OkHttp stock, HTTP/1.1", false, Protocol.HTTP_1_1));
    all.add(new OkHttp("OkHttp with Heddle, HTTP/1.1", true, Protocol.HTTP_1_1));
    if (STOCK_HTTP2_ENDS) {
      all.add(new OkHttp("OkHttp stock, HTTP/2", false, Protocol.H2_PRIOR_KNOWLEDGE));
    }
    all.add(new OkHttp("OkHttp with Heddle, HTTP/2", true, Protocol.H2_PRIOR_KNOWLEDGE));
    return all;
  }

  /** What is not run, and why; empty if there is nothing to say. */
  static String leftOut() {
    return STOCK_HTTP2_ENDS
        ? ""
        : "OkHttp stock, HTTP/2: left out, since on this JDK it can stall for good on virtual threads";
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
