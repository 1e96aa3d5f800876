package io.heddle.bench.contestants;

import io.heddle.jdk.BlockingJdkHttpClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The JDK's own client, by {@code send} and {@code sendAsync}, and through Heddle. Over TCP it asks
 * for HTTP/2 by an upgrade, since it knows no other way.
 */
final class JdkContestants {

  private JdkContestants() {}

  static List<Contestant> all() {
    List<Contestant> all = new ArrayList<>();
    for (Mode mode : List.of(Mode.STOCK_PLATFORM, Mode.STOCK_VIRTUAL, Mode.HEDDLE, Mode.ASYNC)) {
      for (Wire wire : Wire.values()) {
        all.add(new Jdk(mode, wire));
      }
    }
    return all;
  }

  private record Jdk(Mode mode, Wire wire) implements Contestant {

    @Override
    public Library library() {
      return Library.JDK;
    }

    @Override
    public Running open(Ask ask, int callers) {
      HttpClient.Builder builder =
          HttpClient.newBuilder()
              .version(
                  wire == Wire.HTTP_2 ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
              .connectTimeout(Duration.ofMinutes(1));
      if (ask.isTls()) {
        builder.sslContext(Certificate.clientContext());
      }
      if (ask.isThrough(Proxy.Type.HTTP)) {
        builder.proxy(ProxySelector.of(ask.proxyAddress()));
      }
      if (ask.tellsProxy()) {
        builder.authenticator(Ask.Via.authenticator());
      }
      HttpClient stock = builder.build();
      HttpClient client = mode == Mode.HEDDLE ? BlockingJdkHttpClient.wrap(stock) : stock;
      Ask.InTurn<HttpRequest> requests = ask.requests(uri -> request(uri, ask));
      return mode == Mode.ASYNC
          ? new AsyncCalls(requests, client)
          : new Calls(requests, ask.streamed(), client);
    }
  }

  private static HttpRequest request(URI uri, Ask ask) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(uri);
    if (!ask.isGet()) {
      builder.POST(BodyPublishers.ofByteArray(ask.body()));
    }
    return builder.build();
  }

  private record Calls(Ask.InTurn<HttpRequest> requests, boolean streamed, HttpClient client)
      implements Contestant.Blocking {

    @Override
    public void call() throws IOException, InterruptedException {
      if (streamed) {
        var response = client.send(requests.next(), BodyHandlers.ofInputStream());
        try (InputStream in = response.body()) {
          Drain.toEnd(in);
        }
        BadStatusException.check(response.statusCode());
      } else {
        BadStatusException.check(
            client.send(requests.next(), BodyHandlers.ofByteArray()).statusCode());
      }
    }

    @Override
    public void close() {
      client.shutdownNow();
    }
  }

  private record AsyncCalls(Ask.InTurn<HttpRequest> requests, HttpClient client)
      implements Contestant.Async {

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the outcome is told
    public void start(Contestant.Outcome outcome) {
      client
          .sendAsync(requests.next(), BodyHandlers.ofByteArray())
          .whenComplete(
              (response, failure) -> {
                if (failure != null) {
                  outcome.failed(failure);
                } else {
                  outcome.answered(response.statusCode());
                }
              });
    }

    @Override
    public void close() {
      client.shutdownNow();
    }
  }
}
