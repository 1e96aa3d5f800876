package io.heddle.bench.contestants;

import io.heddle.okhttp.BlockingOkHttpClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.ConnectionPool;
import okhttp3.Credentials;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.Route;
import org.jspecify.annotations.Nullable;

/**
 * OkHttp, stock, through Heddle and by {@code enqueue}: the same settings, and the same connection
 * pool's size.
 */
public final class OkHttpContestants {

  private OkHttpContestants() {}

  /** Stock HTTP/2 on virtual threads pins its carriers before JDK 24, and may stall for good. */
  public static final boolean STOCK_HTTP2_ENDS = Runtime.version().feature() >= 24;

  static List<Contestant> all() {
    List<Contestant> all = new ArrayList<>();
    for (Mode mode : List.of(Mode.STOCK_PLATFORM, Mode.STOCK_VIRTUAL, Mode.HEDDLE, Mode.ASYNC)) {
      for (Wire wire : Wire.values()) {
        all.add(new OkHttp(mode, wire));
      }
    }
    return all;
  }

  /** What the main job does not run, and why; empty if there is nothing to say. */
  public static String leftOut() {
    return STOCK_HTTP2_ENDS
        ? ""
        : "OkHttp stock, HTTP/2: left out, since on this JDK it can stall for good on virtual threads";
  }

  private record OkHttp(Mode mode, Wire wire) implements Contestant {

    @Override
    public Library library() {
      return Library.OKHTTP;
    }

    @Override
    public Running open(Ask ask, int callers) {
      OkHttpClient.Builder builder = settings(wire, ask, callers);
      if (mode == Mode.ASYNC) {
        Dispatcher dispatcher = new Dispatcher();
        dispatcher.setMaxRequests(callers);
        dispatcher.setMaxRequestsPerHost(callers);
        builder.dispatcher(dispatcher);
      }
      OkHttpClient stock = builder.build();
      return switch (mode) {
        case ASYNC -> new AsyncCalls(ask.requests(uri -> request(uri.toString(), ask)), stock);
        case HEDDLE -> blocking(ask, BlockingOkHttpClient.wrap(stock));
        default -> blocking(ask, stock);
      };
    }
  }

  /** What all have in common. */
  public static OkHttpClient.Builder settings(Wire wire, Ask ask, int callers) {
    OkHttpClient.Builder builder =
        new OkHttpClient.Builder()
            .protocols(protocols(wire, ask))
            .proxy(ask.via().proxy())
            .connectionPool(new ConnectionPool(callers, 10, TimeUnit.MINUTES))
            .connectTimeout(Duration.ofMinutes(1))
            .readTimeout(Duration.ZERO)
            .writeTimeout(Duration.ZERO)
            .retryOnConnectionFailure(ask.retries());
    if (ask.isTls()) {
      builder.sslSocketFactory(
          Certificate.clientContext().getSocketFactory(), Certificate.trustManager());
    }
    if (ask.tellsProxy()) {
      builder.proxyAuthenticator(OkHttpContestants::told);
    }
    return builder;
  }

  /** The request with the credentials; null if the proxy has seen them, and asks again. */
  private static @Nullable Request told(@Nullable Route route, Response response) {
    String field = "Proxy-Authorization";
    return response.request().header(field) != null
        ? null
        : response
            .request()
            .newBuilder()
            .header(field, Credentials.basic(Ask.Via.USER, Ask.Via.PASSWORD))
            .build();
  }

  /** Calls through a client, which closes with them. */
  public static Contestant.Blocking blocking(Ask ask, OkHttpClient client) {
    return new Calls(ask.requests(uri -> request(uri.toString(), ask)), ask.streamed(), client);
  }

  private static List<Protocol> protocols(Wire wire, Ask ask) {
    if (wire == Wire.HTTP_1) {
      return List.of(Protocol.HTTP_1_1);
    }
    return ask.isTls()
        ? List.of(Protocol.HTTP_2, Protocol.HTTP_1_1)
        : List.of(Protocol.H2_PRIOR_KNOWLEDGE);
  }

  private static Request request(String url, Ask ask) {
    Request.Builder builder = new Request.Builder().url(url);
    if (!ask.isGet()) {
      builder.post(RequestBody.create(ask.body(), null));
    }
    return builder.build();
  }

  private static void shutDown(OkHttpClient client) {
    client.dispatcher().cancelAll();
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
  }

  private record Calls(Ask.InTurn<Request> requests, boolean streamed, OkHttpClient client)
      implements Contestant.Blocking {

    @Override
    public void call() throws IOException {
      try (Response response = client.newCall(requests.next()).execute()) {
        if (streamed) {
          Drain.toEnd(response.body().byteStream());
        } else {
          response.body().bytes();
        }
        BadStatusException.check(response.code());
      }
    }

    @Override
    public void close() {
      if (client instanceof BlockingOkHttpClient ours) {
        ours.close();
      }
      shutDown(client);
    }
  }

  private record AsyncCalls(Ask.InTurn<Request> requests, OkHttpClient client)
      implements Contestant.Async {

    @Override
    public void start(Contestant.Outcome outcome) {
      client
          .newCall(requests.next())
          .enqueue(
              new Callback() {
                @Override
                public void onResponse(Call call, Response response) {
                  try (response) {
                    response.body().bytes();
                  } catch (IOException e) {
                    outcome.failed(e);
                    return;
                  }
                  outcome.answered(response.code());
                }

                @Override
                public void onFailure(Call call, IOException e) {
                  outcome.failed(e);
                }
              });
    }

    @Override
    public void close() {
      shutDown(client);
    }
  }
}
