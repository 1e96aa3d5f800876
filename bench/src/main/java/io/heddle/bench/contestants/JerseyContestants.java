package io.heddle.bench.contestants;

import io.heddle.jersey.HeddleConnectorProvider;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.Entity;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.net.Proxy;
import java.net.URI;
import java.util.List;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.core5.util.TimeValue;
import org.glassfish.jersey.apache5.connector.Apache5ClientProperties;
import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;

/**
 * Jersey's JAX-RS client: stock with Jersey's own connector for Apache HttpClient 5, which has no
 * HTTP/2, and with Heddle's. It is on the class path with Heddle's, so that both have the same
 * HttpClient below.
 */
final class JerseyContestants {

  private JerseyContestants() {}

  static List<Contestant> all() {
    return List.of(
        new Jersey(Mode.STOCK_PLATFORM, Wire.HTTP_1),
        new Jersey(Mode.STOCK_VIRTUAL, Wire.HTTP_1),
        new Jersey(Mode.HEDDLE, Wire.HTTP_1),
        new Jersey(Mode.HEDDLE, Wire.HTTP_2));
  }

  private record Jersey(Mode mode, Wire wire) implements Contestant {

    @Override
    public Library library() {
      return Library.JERSEY;
    }

    @Override
    public Running open(Ask ask, int callers) {
      ClientConfig config = isOurs() ? heddle(wire, ask, callers) : stock(ask, callers);
      config.property(Apache5ClientProperties.REQUEST_CONFIG, ApacheContestants.REQUESTS);
      if (!ask.retries()) {
        config.property(
            Apache5ClientProperties.RETRY_STRATEGY,
            new DefaultHttpRequestRetryStrategy(0, TimeValue.ZERO_MILLISECONDS));
      }
      if (ask.isThrough(Proxy.Type.HTTP)) {
        config.property(
            ClientProperties.PROXY_URI, "http://127.0.0.1:" + ask.proxyAddress().getPort());
      }
      if (ask.tellsProxy()) {
        config.property(ClientProperties.PROXY_USERNAME, Ask.Via.USER);
        config.property(ClientProperties.PROXY_PASSWORD, Ask.Via.PASSWORD);
      }
      ClientBuilder builder = ClientBuilder.newBuilder().withConfig(config);
      if (ask.isTls()) {
        builder.sslContext(Certificate.clientContext());
      }
      return new Calls(ask, builder.build());
    }
  }

  private static ClientConfig stock(Ask ask, int callers) {
    return new ClientConfig()
        .connectorProvider(new Apache5ConnectorProvider())
        .property(
            Apache5ClientProperties.CONNECTION_MANAGER, ApacheContestants.stock(ask, callers));
  }

  private static ClientConfig heddle(Wire wire, Ask ask, int callers) {
    return new ClientConfig()
        .connectorProvider(
            new HeddleConnectorProvider(
                manager -> manager.setDefaultSocketConfig(ApacheContestants.sockets(ask))))
        .property(HeddleConnectorProvider.MAX_CONNECTIONS, callers)
        .property(HeddleConnectorProvider.MAX_CONNECTIONS_PER_ROUTE, callers)
        .property(HeddleConnectorProvider.HTTP_VERSION_POLICY, ApacheContestants.policy(wire, ask));
  }

  private static final class Calls implements Contestant.Blocking {
    private final Ask ask;
    private final Ask.InTurn<URI> uris;
    private final byte[] body;
    private final Client client;

    Calls(Ask ask, Client client) {
      this.ask = ask;
      this.uris = ask.requests(uri -> uri);
      this.body = ask.body();
      this.client = client;
    }

    @Override
    public void call() throws IOException {
      var request = client.target(uris.next()).request();
      try (Response response =
          ask.isGet()
              ? request.get()
              : request.post(Entity.entity(body, MediaType.APPLICATION_OCTET_STREAM_TYPE))) {
        if (ask.streamed()) {
          try (InputStream in = response.readEntity(InputStream.class)) {
            Drain.toEnd(in);
          }
        } else {
          response.readEntity(byte[].class);
        }
        BadStatusException.check(response.getStatus());
      }
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
