package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.heddle.conformance.FaultServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Apache keeps a connection that a client certificate has opened for the contexts which know its
 * principal, here as in the stock client: docs/apache.md tells what that costs, and the mend.
 */
@Timeout(60)
class ClientCertificateTest {
  private static final int CALLS = 5;

  private final SSLContext tls = FaultServer.sslContext();
  private final Set<Integer> clientPorts = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpsServer server;

  @BeforeEach
  void startServer() throws IOException {
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(tls) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters asking = tls.getDefaultSSLParameters();
            asking.setNeedClientAuth(true);
            parameters.setSSLParameters(asking);
          }
        });
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          clientPorts.add(exchange.getRemoteAddress().getPort());
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stopServer() {
    server.stop(0);
    threads.shutdownNow();
  }

  private HttpClientBuilder stock() {
    return HttpClients.custom()
        .setConnectionManager(
            PoolingHttpClientConnectionManagerBuilder.create()
                .setTlsSocketStrategy(new DefaultClientTlsStrategy(tls))
                .build());
  }

  private HttpClientBuilder heddle() {
    return BlockingHttpClients.custom()
        .setConnectionManager(
            BlockingConnectionManager.builder()
                .setTlsStrategy(new DefaultClientTlsStrategy(tls))
                .build());
  }

  @Test
  void aContextOfItsOwnTakesAConnectionOfItsOwn() throws Exception {
    assertEquals(CALLS, connections(stock(), HttpClientContext::create));
    assertEquals(CALLS, connections(heddle(), HttpClientContext::create));
  }

  @Test
  void callsWithOneContextShareIt() throws Exception {
    HttpClientContext context = HttpClientContext.create();
    assertEquals(1, connections(heddle(), () -> context));
  }

  @Test
  void withoutConnectionStateAllShareIt() throws Exception {
    assertEquals(1, connections(heddle().disableConnectionState(), HttpClientContext::create));
  }

  /** How many connections the server had from calls in turn. */
  private int connections(HttpClientBuilder builder, Supplier<HttpClientContext> contexts)
      throws Exception {
    clientPorts.clear();
    String uri = "https://localhost:" + server.getAddress().getPort() + "/";
    try (CloseableHttpClient client = builder.build()) {
      for (int i = 0; i < CALLS; i++) {
        int status = client.execute(new HttpGet(uri), contexts.get(), each -> each.getCode());
        assertEquals(204, status);
      }
    }
    return clientPorts.size();
  }
}
