package io.heddle.bench.contestants;

import io.heddle.jetty.BlockingJettyClient;
import io.heddle.jetty.BlockingResponseListener;
import java.io.InputStream;
import java.net.Proxy;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.Authentication;
import org.eclipse.jetty.client.BasicAuthentication;
import org.eclipse.jetty.client.BufferingResponseListener;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.HttpProxy;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.Socks5;
import org.eclipse.jetty.client.Socks5Proxy;
import org.eclipse.jetty.client.transport.HttpClientConnectionFactory;
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.ClientConnectionFactoryOverHTTP2;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Jetty's client: {@code Request.send()}, stock and through Heddle, and its callbacks. */
final class JettyContestants {

  private static final long PATIENCE_MILLIS = TimeUnit.MINUTES.toMillis(10);

  private JettyContestants() {}

  static List<Contestant> all() {
    List<Contestant> all = new ArrayList<>();
    for (Mode mode : List.of(Mode.STOCK_PLATFORM, Mode.STOCK_VIRTUAL, Mode.HEDDLE, Mode.ASYNC)) {
      for (Wire wire : Wire.values()) {
        all.add(new Jetty(mode, wire));
      }
    }
    return all;
  }

  private static HttpClientTransport transport(Wire wire, Ask ask) {
    ClientConnector connector = new ClientConnector();
    if (wire == Wire.HTTP_1) {
      return new HttpClientTransportDynamic(connector, HttpClientConnectionFactory.HTTP11);
    }
    ClientConnectionFactoryOverHTTP2.HTTP2 http2 =
        new ClientConnectionFactoryOverHTTP2.HTTP2(new HTTP2Client(connector));
    return ask.isTls()
        ? new HttpClientTransportDynamic(connector, http2, HttpClientConnectionFactory.HTTP11)
        : new HttpClientTransportDynamic(connector, http2);
  }

  private record Jetty(Mode mode, Wire wire) implements Contestant {

    @Override
    public Library library() {
      return Library.JETTY;
    }

    @Override
    public Running open(Ask ask, int callers) {
      HttpClientTransport transport = transport(wire, ask);
      HttpClient client = isOurs() ? new BlockingJettyClient(transport) : new HttpClient(transport);
      client.setMaxConnectionsPerDestination(wire == Wire.HTTP_2 ? 1 : callers);
      client.setMaxRequestsQueuedPerDestination(callers);
      client.setIdleTimeout(PATIENCE_MILLIS);
      client.setConnectTimeout(TimeUnit.MINUTES.toMillis(1));
      if (ask.isTls()) {
        SslContextFactory.Client tls = new SslContextFactory.Client();
        tls.setTrustStore(Certificate.trustStore());
        tls.setKeyStore(Certificate.clientStore());
        tls.setKeyStorePassword(Certificate.clientPassword());
        client.setSslContextFactory(tls);
      }
      if (!ask.isThrough(Proxy.Type.DIRECT)) {
        addProxy(client, ask);
      }
      LifeCycle.start(client);
      return mode == Mode.ASYNC ? new AsyncCalls(ask, client) : new Calls(ask, client, isOurs());
    }
  }

  private static void addProxy(HttpClient client, Ask ask) {
    String host = ask.proxyAddress().getHostString();
    int port = ask.proxyAddress().getPort();
    if (ask.isThrough(Proxy.Type.SOCKS)) {
      Socks5Proxy proxy = new Socks5Proxy(host, port);
      if (ask.tellsProxy()) {
        proxy.putAuthenticationFactory(
            new Socks5.UsernamePasswordAuthenticationFactory(Ask.Via.USER, Ask.Via.PASSWORD));
      }
      client.getProxyConfiguration().addProxy(proxy);
      return;
    }
    HttpProxy proxy = new HttpProxy(host, port);
    if (ask.tellsProxy()) {
      client
          .getAuthenticationStore()
          .addAuthentication(
              new BasicAuthentication(
                  proxy.getURI(), Authentication.ANY_REALM, Ask.Via.USER, Ask.Via.PASSWORD));
    }
    client.getProxyConfiguration().addProxy(proxy);
  }

  private static Request request(HttpClient client, URI uri, Ask ask, byte[] body) {
    Request request = client.newRequest(uri);
    return ask.isGet()
        ? request
        : request.method(HttpMethod.POST).body(new BytesRequestContent(body));
  }

  private static final class Calls implements Contestant.Blocking {
    private final Ask ask;
    private final Ask.InTurn<URI> uris;
    private final byte[] body;
    private final HttpClient client;
    private final boolean isOurs;

    Calls(Ask ask, HttpClient client, boolean isOurs) {
      this.ask = ask;
      this.uris = ask.requests(uri -> uri);
      this.body = ask.body();
      this.client = client;
      this.isOurs = isOurs;
    }

    @Override
    public void call() throws Exception {
      Request request = request(client, uris.next(), ask, body);
      if (ask.streamed()) {
        readPieces(request);
      } else {
        BadStatusException.check(request.send().getStatus());
      }
    }

    private void readPieces(Request request) throws Exception {
      try (InputStreamResponseListener listener =
          isOurs ? new BlockingResponseListener() : new InputStreamResponseListener()) {
        request.send(listener);
        BadStatusException.check(listener.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).getStatus());
        try (InputStream in = listener.getInputStream()) {
          Drain.toEnd(in);
        }
      }
    }

    @Override
    public void close() {
      LifeCycle.stop(client);
    }
  }

  private static final class AsyncCalls implements Contestant.Async {
    private final Ask ask;
    private final Ask.InTurn<URI> uris;
    private final byte[] body;
    private final HttpClient client;

    AsyncCalls(Ask ask, HttpClient client) {
      this.ask = ask;
      this.uris = ask.requests(uri -> uri);
      this.body = ask.body();
      this.client = client;
    }

    @Override
    public void start(Contestant.Outcome outcome) {
      request(client, uris.next(), ask, body)
          .send(
              new BufferingResponseListener() {
                @Override
                public void onComplete(Result result) {
                  if (result.isFailed()) {
                    outcome.failed(result.getFailure());
                  } else {
                    outcome.answered(result.getResponse().getStatus());
                  }
                }
              });
    }

    @Override
    public void close() {
      LifeCycle.stop(client);
    }
  }
}
