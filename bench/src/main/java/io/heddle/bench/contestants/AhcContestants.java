package io.heddle.bench.contestants;

import io.heddle.ahc.BlockingAhcClient;
import io.heddle.ahc.StreamingResponse;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLException;
import org.asynchttpclient.AsyncCompletionHandler;
import org.asynchttpclient.AsyncHandler;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.DefaultAsyncHttpClient;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.HttpResponseBodyPart;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilder;
import org.asynchttpclient.Response;
import org.asynchttpclient.proxy.ProxyServer;
import org.asynchttpclient.proxy.ProxyType;

/**
 * AsyncHttpClient: stock with callers that block on its futures, through Heddle, and by its
 * callbacks.
 */
final class AhcContestants {

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private AhcContestants() {}

  static List<Contestant> all() {
    List<Contestant> all = new ArrayList<>();
    for (Mode mode : List.of(Mode.STOCK_PLATFORM, Mode.STOCK_VIRTUAL, Mode.HEDDLE, Mode.ASYNC)) {
      for (Wire wire : Wire.values()) {
        all.add(new Ahc(mode, wire));
      }
    }
    return all;
  }

  private record Ahc(Mode mode, Wire wire) implements Contestant {

    @Override
    public Library library() {
      return Library.AHC;
    }

    @Override
    public Running open(Ask ask, int callers) {
      AsyncHttpClientConfig config = config(wire, ask);
      Ask.InTurn<Request> requests = ask.requests(uri -> request(uri.toString(), ask));
      return switch (mode) {
        case HEDDLE -> new Ours(requests, ask.streamed(), new BlockingAhcClient(config));
        case ASYNC -> new AsyncCalls(requests, new DefaultAsyncHttpClient(config));
        default -> new Stock(requests, ask.streamed(), new DefaultAsyncHttpClient(config));
      };
    }
  }

  private static AsyncHttpClientConfig config(Wire wire, Ask ask) {
    DefaultAsyncHttpClientConfig.Builder builder =
        Dsl.config()
            .setHttp2Enabled(wire == Wire.HTTP_2)
            .setHttp2CleartextEnabled(wire == Wire.HTTP_2 && !ask.isTls())
            .setConnectTimeout(Duration.ofMinutes(1))
            .setPooledConnectionIdleTimeout(PATIENCE)
            .setReadTimeout(PATIENCE)
            .setRequestTimeout(PATIENCE)
            .setShutdownQuietPeriod(Duration.ZERO);
    if (!ask.retries()) {
      builder.setMaxRequestRetry(0);
    }
    if (ask.isTls()) {
      builder.setSslContext(tls(wire));
    }
    if (!ask.isThrough(Proxy.Type.DIRECT)) {
      builder.setProxyServer(proxy(ask));
    }
    return builder.build();
  }

  private static ProxyServer proxy(Ask ask) {
    InetSocketAddress address = ask.proxyAddress();
    ProxyServer.Builder builder =
        Dsl.proxyServer(address.getHostString(), address.getPort())
            .setProxyType(ask.isThrough(Proxy.Type.SOCKS) ? ProxyType.SOCKS_V5 : ProxyType.HTTP);
    if (ask.tellsProxy()) {
      builder.setRealm(Dsl.basicAuthRealm(Ask.Via.USER, Ask.Via.PASSWORD));
    }
    return builder.build();
  }

  private static SslContext tls(Wire wire) {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .trustManager(Certificate.certificate())
            .keyManager(Certificate.keys())
            .endpointIdentificationAlgorithm("HTTPS");
    if (wire == Wire.HTTP_2) {
      builder.applicationProtocolConfig(
          new ApplicationProtocolConfig(
              ApplicationProtocolConfig.Protocol.ALPN,
              ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
              ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
              ApplicationProtocolNames.HTTP_2,
              ApplicationProtocolNames.HTTP_1_1));
    }
    try {
      return builder.build();
    } catch (SSLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Request request(String url, Ask ask) {
    RequestBuilder builder = new RequestBuilder(ask.isGet() ? "GET" : "POST").setUrl(url);
    if (!ask.isGet()) {
      builder.setBody(ask.body());
    }
    return builder.build();
  }

  private static void check(Response response) throws IOException {
    response.getResponseBodyAsBytes();
    BadStatusException.check(response.getStatusCode());
  }

  private record Ours(Ask.InTurn<Request> requests, boolean streamed, BlockingAhcClient client)
      implements Contestant.Blocking {

    @Override
    public void call() throws IOException, InterruptedException {
      if (!streamed) {
        check(client.execute(requests.next()));
        return;
      }
      try (StreamingResponse response = client.stream(requests.next())) {
        Drain.toEnd(response.getBodyAsStream());
        BadStatusException.check(response.getStatusCode());
      }
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private record Stock(
      Ask.InTurn<Request> requests, boolean streamed, DefaultAsyncHttpClient client)
      implements Contestant.Blocking {

    @Override
    public void call() throws InterruptedException, IOException {
      try {
        if (streamed) {
          BadStatusException.check(client.executeRequest(requests.next(), new DroppedBody()).get());
        } else {
          check(client.executeRequest(requests.next()).get());
        }
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      }
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** Drops a body piece by piece, on the event loop; stock AHC has no stream to read. */
  private static final class DroppedBody implements AsyncHandler<Integer> {
    private int status;

    @Override
    public State onStatusReceived(HttpResponseStatus received) {
      status = received.getStatusCode();
      return State.CONTINUE;
    }

    @Override
    public State onHeadersReceived(io.netty.handler.codec.http.HttpHeaders headers) {
      return State.CONTINUE;
    }

    @Override
    public State onBodyPartReceived(HttpResponseBodyPart part) {
      return State.CONTINUE;
    }

    @Override
    public void onThrowable(Throwable failure) {
      // get() throws it
    }

    @Override
    public Integer onCompleted() {
      return status;
    }
  }

  private record AsyncCalls(Ask.InTurn<Request> requests, DefaultAsyncHttpClient client)
      implements Contestant.Async {

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the outcome is told
    public void start(Contestant.Outcome outcome) {
      client.executeRequest(
          requests.next(),
          new AsyncCompletionHandler<Response>() {
            @Override
            public Response onCompleted(Response response) {
              response.getResponseBodyAsBytes();
              outcome.answered(response.getStatusCode());
              return response;
            }

            @Override
            public void onThrowable(Throwable failure) {
              outcome.failed(failure);
            }
          });
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
