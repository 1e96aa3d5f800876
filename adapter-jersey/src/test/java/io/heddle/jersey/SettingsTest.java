package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.apache.BlockingConnectionManager;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.Entity;
import jakarta.ws.rs.core.Response;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.glassfish.jersey.apache5.connector.Apache5ClientProperties;
import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;
import org.glassfish.jersey.client.RequestEntityProcessing;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client is told reaches its connections. (The kit has timeouts, limits and redirects.) */
@Timeout(60)
class SettingsTest {

  private static int status(Client client, URI uri) {
    try (Response response = client.target(uri).request().get()) {
      return response.getStatus();
    }
  }

  private static @Nullable Throwable failure(Client client, URI uri) {
    return assertThrows(ProcessingException.class, () -> status(client, uri)).getCause();
  }

  private static ClientBuilder trusting() {
    return ClientBuilder.newBuilder().sslContext(JaxRsClient.trusting(FaultServer.certificate()));
  }

  /** Jersey's own connector forgets the context when it is given a connection manager. */
  @Test
  void theSslContextCounts() {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        Client ours = trusting().build();
        BlockingConnectionManager manager = BlockingConnectionManager.builder().build();
        Client stock =
            trusting()
                .withConfig(new ClientConfig().connectorProvider(new Apache5ConnectorProvider()))
                .property(Apache5ClientProperties.CONNECTION_MANAGER, manager)
                .build()) {
      assertEquals(200, status(ours, server.uri(Script.ok())));
      assertInstanceOf(SSLException.class, failure(stock, server.uri(Script.ok())));
    }
  }

  /** The server's certificate is for localhost; the name is one that a resolver of ours knows. */
  @Test
  void theHostnameVerifierDecidesAlone() {
    AtomicInteger asked = new AtomicInteger();
    ClientConfig resolving =
        new ClientConfig()
            .connectorProvider(
                new HeddleConnectorProvider(
                    manager ->
                        manager.setDnsResolver(
                            new JaxRsClient.Lookup(
                                host -> List.of(InetAddress.getLoopbackAddress())))));
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1_TLS);
        Client lenient =
            trusting()
                .withConfig(resolving)
                .hostnameVerifier((host, session) -> asked.incrementAndGet() > 0)
                .build();
        Client strict = trusting().hostnameVerifier((host, session) -> false).build();
        Client silent = trusting().withConfig(resolving).build()) {
      URI other = server.uri("other.example", Script.ok());
      assertEquals(200, status(lenient, other));
      assertEquals(1, asked.get(), "times that it was asked");
      assertInstanceOf(SSLException.class, failure(strict, server.uri(Script.ok())));
      assertInstanceOf(SSLException.class, failure(silent, other));
    }
  }

  @Test
  void callsGoThroughTheProxy() {
    try (FaultServer proxy = FaultServer.start(Wire.HTTP_1_1);
        Client client =
            ClientBuilder.newBuilder()
                .property(ClientProperties.PROXY_URI, "http://127.0.0.1:" + proxy.port())
                .build()) {
      URI script = proxy.uri(Script.ok());
      assertEquals(200, status(client, URI.create("http://nowhere.invalid" + script.getRawPath())));
    }
  }

  @Test
  void anEntityIsSentInChunksOrBufferedAsToldFor() {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Client client =
            ClientBuilder.newBuilder()
                .property(ClientProperties.CHUNKED_ENCODING_SIZE, 7)
                .build()) {
      URI chunked = server.uri(Script.ok());
      client.target(chunked).request().post(Entity.text("0123456789")).close();
      assertEquals("chunked", server.seen(chunked).get(0).header("Transfer-Encoding"));
      URI buffered = server.uri(Script.ok());
      client
          .target(buffered)
          .request()
          .property(ClientProperties.REQUEST_ENTITY_PROCESSING, RequestEntityProcessing.BUFFERED)
          .post(Entity.text("0123456789"))
          .close();
      assertEquals("10", server.seen(buffered).get(0).header("Content-Length"));
      assertNull(server.seen(buffered).get(0).header("Transfer-Encoding"));
    }
  }

  /** Strings too: such a property may come from a file. */
  @Test
  void limitsAndVersionAreTakenFromProperties() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        Client client =
            ClientBuilder.newBuilder()
                .property(HeddleConnectorProvider.MAX_CONNECTIONS, "7")
                .property(HeddleConnectorProvider.MAX_CONNECTIONS_PER_ROUTE, 3)
                .property(HeddleConnectorProvider.HTTP_VERSION_POLICY, "FORCE_HTTP_2")
                .build()) {
      assertEquals(200, status(client, server.uri(Script.ok())));
      assertEquals(7, JaxRsClient.managerOf(client).getMaxTotal());
      assertEquals(3, JaxRsClient.managerOf(client).getDefaultMaxPerRoute());
    }
  }

  @Test
  void aManagerOfTheUsersIsUsedAsItIs() throws Exception {
    try (BlockingConnectionManager manager = BlockingConnectionManager.builder().build();
        Client client =
            ClientBuilder.newBuilder()
                .property(Apache5ClientProperties.CONNECTION_MANAGER, manager)
                .build()) {
      assertSame(manager, JaxRsClient.managerOf(client));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        HeddleConnectorProvider.DEADLINE,
        HeddleConnectorProvider.HTTP_VERSION_POLICY,
        HeddleConnectorProvider.MAX_CONNECTIONS,
        HeddleConnectorProvider.MAX_CONNECTIONS_PER_ROUTE
      })
  void aValueThatCannotBeIsRefusedByName(String property) {
    try (Client client = ClientBuilder.newBuilder().property(property, "soon").build()) {
      IllegalArgumentException refusal =
          assertThrows(
              IllegalArgumentException.class,
              () -> client.target("http://127.0.0.1:1").request().get());
      assertTrue(String.valueOf(refusal.getMessage()).contains(property), refusal::getMessage);
      assertTrue(String.valueOf(refusal.getMessage()).contains("soon"), refusal::getMessage);
    }
  }

  @Test
  void aDeadlineOfARequestCountsInsteadOfTheClients() {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Client client =
            ClientBuilder.newBuilder()
                .property(HeddleConnectorProvider.DEADLINE, "PT0.3S")
                .build()) {
      URI mute = server.uri(Script.ok().fault(Script.Fault.STALL));
      assertInstanceOf(DeadlineExceededException.class, failure(client, mute));
      URI slow = server.uri(Script.ok().delay(Duration.ofMillis(600)));
      for (Object deadline : new Object[] {"60000", 60_000, Duration.ofMinutes(1)}) {
        Response response =
            client
                .target(slow)
                .request()
                .property(HeddleConnectorProvider.DEADLINE, deadline)
                .get();
        assertEquals(200, response.getStatus());
        response.close();
      }
    }
  }
}
