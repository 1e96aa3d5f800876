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
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.cookie.StandardCookieSpec;
import org.glassfish.jersey.apache5.connector.Apache5ClientProperties;
import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;
import org.glassfish.jersey.client.RequestEntityProcessing;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** Jersey's default connector ignores it, Apache refuses the call. */
  @Test
  void aLengthOfTheUsersDoesNotCount() {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Client client = ClientBuilder.newClient()) {
      URI uri = server.uri(Script.ok());
      client
          .target(uri)
          .request()
          .header("Content-Length", 3)
          .post(Entity.text("0123456789"))
          .close();
      assertEquals(10, server.seen(uri).get(0).bodyBytes());
    }
  }

  @Test
  void norDoesItWhenTheCallGoesAgain() {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Client client = ClientBuilder.newClient()) {
      URI uri = server.uri(Script.ok());
      URI redirect = server.uri(Script.answer(307).header("Location", uri.toString()));
      try (Response response =
          client
              .target(redirect)
              .request()
              .property(
                  ClientProperties.REQUEST_ENTITY_PROCESSING, RequestEntityProcessing.BUFFERED)
              .header("Content-Length", 10)
              .post(Entity.text("0123456789"))) {
        assertEquals(200, response.getStatus());
      }
      assertEquals(10, server.seen(uri).get(0).bodyBytes());
    }
  }

  /** Jersey would make another one with each question. */
  @Test
  void theManagerIsThatOfTheCalls() {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Client client = ClientBuilder.newClient();
        Response response =
            client.target(server.uri(Script.ok().body(1_000_000))).request().get()) {
      assertEquals(200, response.getStatus());
      BlockingConnectionManager manager = HeddleConnectorProvider.getConnectionManager(client);
      assertEquals(1, manager.inFlight());
      assertSame(manager, HeddleConnectorProvider.getConnectionManager(client));
    }
  }

  /** All callers of a client would share them, and Jersey's default connector keeps none. */
  @Test
  void cookiesAreKeptIfAskedFor() {
    RequestConfig strict = RequestConfig.custom().setCookieSpec(StandardCookieSpec.STRICT).build();
    assertNull(secondCallsCookie(ClientBuilder.newBuilder()));
    assertEquals(
        "a=1",
        secondCallsCookie(
            ClientBuilder.newBuilder().property(Apache5ClientProperties.DISABLE_COOKIES, false)));
    assertEquals(
        "a=1",
        secondCallsCookie(
            ClientBuilder.newBuilder().property(Apache5ClientProperties.REQUEST_CONFIG, strict)));
  }

  private static @Nullable String secondCallsCookie(ClientBuilder builder) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Client client = builder.build()) {
      URI uri = server.uri(Script.ok().header("Set-Cookie", "a=1; Path=/"));
      status(client, uri);
      status(client, uri);
      return server.seen(uri).get(1).header("Cookie");
    }
  }

  @Test
  void limitsAreOfTheSystemPropertiesIfAskedFor() throws Exception {
    System.setProperty("http.maxConnections", "7");
    try (Client client =
        ClientBuilder.newBuilder()
            .property(Apache5ClientProperties.USE_SYSTEM_PROPERTIES, true)
            .build()) {
      assertEquals(7, HeddleConnectorProvider.getConnectionManager(client).getDefaultMaxPerRoute());
    } finally {
      System.clearProperty("http.maxConnections");
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
      assertEquals(7, HeddleConnectorProvider.getConnectionManager(client).getMaxTotal());
      assertEquals(3, HeddleConnectorProvider.getConnectionManager(client).getDefaultMaxPerRoute());
    }
  }

  @Test
  void aManagerOfTheUsersIsUsedAsItIs() throws Exception {
    try (BlockingConnectionManager manager = BlockingConnectionManager.builder().build();
        Client client =
            ClientBuilder.newBuilder()
                .property(Apache5ClientProperties.CONNECTION_MANAGER, manager)
                .build()) {
      assertSame(manager, HeddleConnectorProvider.getConnectionManager(client));
    }
  }

  @Test
  void aClientOfAnotherConnectorHasNoManagerOfOurs() {
    try (Client stock =
        ClientBuilder.newClient(
            new ClientConfig().connectorProvider(new Apache5ConnectorProvider()))) {
      IllegalArgumentException refusal =
          assertThrows(
              IllegalArgumentException.class,
              () -> HeddleConnectorProvider.getConnectionManager(stock));
      assertTrue(String.valueOf(refusal.getMessage()).contains("uses HeddleConnectorProvider"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    HeddleConnectorProvider.DEADLINE + ",soon",
    HeddleConnectorProvider.HTTP_VERSION_POLICY + ",soon",
    HeddleConnectorProvider.MAX_CONNECTIONS + ",soon",
    HeddleConnectorProvider.MAX_CONNECTIONS + ",0",
    HeddleConnectorProvider.MAX_CONNECTIONS_PER_ROUTE + ",soon",
    HeddleConnectorProvider.MAX_CONNECTIONS_PER_ROUTE + ",-1"
  })
  void aValueThatCannotBeIsRefusedByName(String property, String value) {
    refuses(property, value);
  }

  /** It would be 0, which is over at once. */
  @Test
  void aFractionOfAMillisecondIsRefused() {
    refuses(HeddleConnectorProvider.DEADLINE, 0.5);
  }

  private static void refuses(String property, Object value) {
    try (Client client = ClientBuilder.newBuilder().property(property, value).build()) {
      IllegalArgumentException refusal =
          assertThrows(
              IllegalArgumentException.class,
              () -> client.target("http://127.0.0.1:1").request().get());
      assertTrue(String.valueOf(refusal.getMessage()).contains(property), refusal::getMessage);
      assertTrue(
          String.valueOf(refusal.getMessage()).contains(value.toString()), refusal::getMessage);
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
