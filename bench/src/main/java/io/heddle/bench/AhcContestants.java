package io.heddle.bench;

import io.heddle.ahc.BlockingAhcClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.DefaultAsyncHttpClient;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;

/** AsyncHttpClient, stock with callers that block on its futures, and through Heddle. */
final class AhcContestants {

  private AhcContestants() {}

  static List<Contestant> all() {
    return List.of(
        new Ahc("AHC stock, HTTP/1.1", false, false),
        new Ahc("AHC with Heddle, HTTP/1.1", true, false),
        new Ahc("AHC with Heddle, HTTP/2", true, true));
  }

  private record Ahc(String name, boolean isOurs, boolean http2) implements Contestant {

    @Override
    public Running open(URI uri, int callers) {
      AsyncHttpClientConfig config =
          Dsl.config()
              .setHttp2CleartextEnabled(http2)
              .setMaxRequestRetry(0) // an error is an error here
              .setShutdownQuietPeriod(Duration.ZERO)
              .build();
      Request request = Dsl.get(uri.toString()).build();
      return isOurs
          ? new Ours(request, new BlockingAhcClient(config))
          : new Stock(request, new DefaultAsyncHttpClient(config));
    }
  }

  private static void check(Response response) throws IOException {
    response.getResponseBodyAsBytes();
    if (response.getStatusCode() / 100 != 2) {
      throw new IOException("status " + response.getStatusCode());
    }
  }

  private record Ours(Request request, BlockingAhcClient client) implements Contestant.Running {

    @Override
    public void call() throws IOException {
      try {
        check(client.execute(request));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private record Stock(Request request, DefaultAsyncHttpClient client)
      implements Contestant.Running {

    @Override
    public void call() throws IOException {
      try {
        check(client.executeRequest(request).get());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      } catch (ExecutionException e) {
        throw new IOException(e);
      }
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
