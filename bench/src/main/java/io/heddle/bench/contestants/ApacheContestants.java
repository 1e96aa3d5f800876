package io.heddle.bench.contestants;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.apache.BlockingConnectionManagerBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.net.Proxy;
import java.net.URI;
import java.util.List;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.async.methods.SimpleRequestProducer;
import org.apache.hc.client5.http.async.methods.SimpleResponseConsumer;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.H2AsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.HttpClientResponseHandler;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Apache HttpClient 5, stock and through Heddle, which are the same client over other connection
 * managers; its asynchronous client; and its own bridge from the classic interface to that.
 */
final class ApacheContestants {

  private static final Timeout PATIENCE = Timeout.ofMinutes(10);

  /** Redirects and the like are not asked for; a call that waits long is meant to. */
  static final RequestConfig REQUESTS =
      RequestConfig.custom()
          .setConnectionRequestTimeout(PATIENCE)
          .setResponseTimeout(PATIENCE)
          .setProtocolUpgradeEnabled(false)
          .build();

  private ApacheContestants() {}

  static List<Contestant> all() {
    return List.of(
        new Apache(Mode.STOCK_PLATFORM, Wire.HTTP_1),
        new Apache(Mode.STOCK_VIRTUAL, Wire.HTTP_1),
        new Apache(Mode.HEDDLE, Wire.HTTP_1),
        new Apache(Mode.HEDDLE, Wire.HTTP_2),
        new Apache(Mode.PEER, Wire.HTTP_1),
        new Apache(Mode.PEER, Wire.HTTP_2),
        new Apache(Mode.ASYNC, Wire.HTTP_1),
        new Apache(Mode.ASYNC, Wire.HTTP_2));
  }

  private record Apache(Mode mode, Wire wire) implements Contestant {

    @Override
    public Library library() {
      return Library.APACHE;
    }

    @Override
    public Running open(Ask ask, int callers) {
      return switch (mode) {
        case STOCK_PLATFORM, STOCK_VIRTUAL -> new Calls(ask, classic(ask, stock(ask, callers)));
        case HEDDLE -> new Calls(ask, classic(ask, heddle(wire, ask, callers)));
        case PEER -> new Calls(ask, HttpAsyncClients.classic(async(wire, ask, callers), PATIENCE));
        case ASYNC -> new AsyncCalls(ask, async(wire, ask, callers));
      };
    }
  }

  private static CloseableHttpClient classic(Ask ask, HttpClientConnectionManager connections) {
    HttpClientBuilder builder =
        HttpClients.custom().setConnectionManager(connections).setDefaultRequestConfig(REQUESTS);
    if (!ask.retries()) {
      builder.disableAutomaticRetries();
    }
    if (ask.isThrough(Proxy.Type.HTTP)) {
      builder.setProxy(new HttpHost(ask.proxyAddress().getAddress(), ask.proxyAddress().getPort()));
    }
    if (ask.isThrough(Proxy.Type.HTTP) && ask.tellsProxy()) {
      BasicCredentialsProvider credentials = new BasicCredentialsProvider();
      credentials.setCredentials(
          new AuthScope(null, ask.proxyAddress().getPort()),
          new UsernamePasswordCredentials(Ask.Via.USER, Ask.Via.PASSWORD.toCharArray()));
      builder.setDefaultCredentialsProvider(credentials);
    }
    return builder.build();
  }

  static HttpClientConnectionManager stock(Ask ask, int callers) {
    PoolingHttpClientConnectionManagerBuilder builder =
        PoolingHttpClientConnectionManagerBuilder.create()
            .setMaxConnPerRoute(callers)
            .setMaxConnTotal(callers)
            .setDefaultSocketConfig(sockets(ask));
    if (ask.isTls()) {
      builder.setTlsSocketStrategy(tls().buildClassic());
    }
    return builder.build();
  }

  private static HttpClientConnectionManager heddle(Wire wire, Ask ask, int callers) {
    BlockingConnectionManagerBuilder builder =
        BlockingConnectionManager.builder()
            .setMaxConnPerRoute(callers)
            .setMaxConnTotal(callers)
            .setDefaultSocketConfig(sockets(ask))
            .setVersionPolicy(policy(wire, ask));
    if (ask.isTls()) {
      builder.setTlsStrategy(tls().buildAsync());
    }
    return builder.build();
  }

  static SocketConfig sockets(Ask ask) {
    return ask.isThrough(Proxy.Type.SOCKS)
        ? SocketConfig.custom().setSocksProxyAddress(ask.proxyAddress()).build()
        : SocketConfig.DEFAULT;
  }

  static HttpVersionPolicy policy(Wire wire, Ask ask) {
    if (wire == Wire.HTTP_1) {
      return HttpVersionPolicy.FORCE_HTTP_1;
    }
    return ask.isTls() ? HttpVersionPolicy.NEGOTIATE : HttpVersionPolicy.FORCE_HTTP_2;
  }

  /** Over HTTP/2 the client that Apache has for it, with one connection for each address. */
  private static CloseableHttpAsyncClient async(Wire wire, Ask ask, int callers) {
    CloseableHttpAsyncClient client;
    if (wire == Wire.HTTP_2) {
      H2AsyncClientBuilder builder =
          HttpAsyncClients.customHttp2()
              .setDefaultRequestConfig(REQUESTS)
              .disableAutomaticRetries();
      if (ask.isTls()) {
        builder.setTlsStrategy(tls().buildAsync());
      }
      client = builder.build();
    } else {
      PoolingAsyncClientConnectionManagerBuilder connections =
          PoolingAsyncClientConnectionManagerBuilder.create()
              .setMaxConnPerRoute(callers)
              .setMaxConnTotal(callers)
              .setDefaultTlsConfig(
                  TlsConfig.custom().setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1).build());
      if (ask.isTls()) {
        connections.setTlsStrategy(tls().buildAsync());
      }
      client =
          HttpAsyncClients.custom()
              .setConnectionManager(connections.build())
              .setDefaultRequestConfig(REQUESTS)
              .disableAutomaticRetries()
              .build();
    }
    client.start();
    return client;
  }

  private static ClientTlsStrategyBuilder tls() {
    return ClientTlsStrategyBuilder.create().setSslContext(Certificate.clientContext());
  }

  private static final class Calls implements Contestant.Blocking {
    private final Ask.InTurn<URI> uris;
    private final @Nullable HttpEntity body;
    private final CloseableHttpClient client;
    private final HttpClientResponseHandler<@Nullable Void> reader;

    Calls(Ask ask, CloseableHttpClient client) {
      this.uris = ask.requests(uri -> uri);
      this.body =
          ask.isGet()
              ? null
              : new ByteArrayEntity(ask.body(), ContentType.APPLICATION_OCTET_STREAM);
      this.client = client;
      this.reader = ask.streamed() ? Calls::readPieces : Calls::readAll;
    }

    @Override
    public void call() throws IOException {
      HttpUriRequestBase request;
      if (body == null) {
        request = new HttpGet(uris.next());
      } else {
        request = new HttpPost(uris.next());
        request.setEntity(body);
      }
      client.execute(request, reader);
    }

    private static @Nullable Void readAll(ClassicHttpResponse response) throws IOException {
      HttpEntity entity = response.getEntity();
      if (entity != null) {
        EntityUtils.toByteArray(entity);
      }
      BadStatusException.check(response.getCode());
      return null;
    }

    private static @Nullable Void readPieces(ClassicHttpResponse response) throws IOException {
      try (InputStream in = response.getEntity().getContent()) {
        Drain.toEnd(in);
      }
      BadStatusException.check(response.getCode());
      return null;
    }

    @Override
    public void close() {
      client.close(CloseMode.IMMEDIATE);
    }
  }

  private static final class AsyncCalls implements Contestant.Async {
    private final Ask ask;
    private final Ask.InTurn<URI> uris;
    private final byte[] body;
    private final CloseableHttpAsyncClient client;

    AsyncCalls(Ask ask, CloseableHttpAsyncClient client) {
      this.ask = ask;
      this.uris = ask.requests(uri -> uri);
      this.body = ask.body();
      this.client = client;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the outcome is told
    public void start(Contestant.Outcome outcome) {
      SimpleHttpRequest request =
          ask.isGet()
              ? SimpleRequestBuilder.get(uris.next()).build()
              : SimpleRequestBuilder.post(uris.next())
                  .setBody(body, ContentType.APPLICATION_OCTET_STREAM)
                  .build();
      client.execute(
          SimpleRequestProducer.create(request),
          SimpleResponseConsumer.create(),
          new FutureCallback<>() {
            @Override
            public void completed(SimpleHttpResponse response) {
              outcome.answered(response.getCode());
            }

            @Override
            public void failed(Exception e) {
              outcome.failed(e);
            }

            @Override
            public void cancelled() {
              outcome.failed(new IOException("cancelled"));
            }
          });
    }

    @Override
    public void close() {
      client.close(CloseMode.IMMEDIATE);
    }
  }
}
