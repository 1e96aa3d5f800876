package io.heddle.bench;

import io.heddle.jetty.BlockingJettyClient;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.function.Supplier;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.ClientConnectionFactoryOverHTTP2;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.component.LifeCycle;

/** Jetty's client, stock and through Heddle, by {@code Request.send()}. */
final class JettyContestants {

  private JettyContestants() {}

  static List<Contestant> all() {
    return List.of(
        new Jetty("Jetty stock, HTTP/1.1", false, HttpClient::new),
        new Jetty("Jetty with Heddle, HTTP/1.1", true, BlockingJettyClient::new),
        new Jetty("Jetty with Heddle, HTTP/2", true, JettyContestants::http2));
  }

  private static HttpClient http2() {
    ClientConnector connector = new ClientConnector();
    HttpClient client =
        new BlockingJettyClient(
            new HttpClientTransportDynamic(
                connector, new ClientConnectionFactoryOverHTTP2.HTTP2(new HTTP2Client(connector))));
    client.setMaxConnectionsPerDestination(1);
    return client;
  }

  private record Jetty(String name, boolean isOurs, Supplier<HttpClient> clients)
      implements Contestant {

    @Override
    public Running open(URI uri, int callers) {
      HttpClient client = clients.get();
      if (client.getMaxConnectionsPerDestination() > 1) {
        client.setMaxConnectionsPerDestination(callers);
      }
      client.setMaxRequestsQueuedPerDestination(callers);
      LifeCycle.start(client);
      return new Calls(uri, client);
    }
  }

  private record Calls(URI uri, HttpClient client) implements Contestant.Running {

    @Override
    public void call() throws Exception {
      ContentResponse response = client.GET(uri);
      if (response.getStatus() / 100 != 2) {
        throw new IOException("status " + response.getStatus());
      }
    }

    @Override
    public void close() {
      LifeCycle.stop(client);
    }
  }
}
