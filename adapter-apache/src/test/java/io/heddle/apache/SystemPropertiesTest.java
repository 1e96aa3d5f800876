package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.security.KeyStore;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.ssl.SSLContexts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code custom().useSystemProperties()} lost what system properties say of TLS. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class SystemPropertiesTest {

  private static final String PROTOCOLS = "https.protocols";
  private static final String MAX_CONNECTIONS = "http.maxConnections";

  private SSLContext before;
  private FaultServer server;
  private URI uri;

  /** The JDK reads its properties into a default context, once; so that is what is set here. */
  @BeforeEach
  void trustTheServer() throws Exception {
    before = SSLContext.getDefault();
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setCertificateEntry("server", FaultServer.certificate());
    SSLContext.setDefault(SSLContexts.custom().loadTrustMaterial(store, null).build());
    System.setProperty(PROTOCOLS, "TLSv1.2");
    server = FaultServer.start(Wire.HTTP_1_1_TLS);
    uri = server.uri(Script.ok());
  }

  @AfterEach
  void restore() {
    server.close();
    System.clearProperty(PROTOCOLS);
    SSLContext.setDefault(before);
  }

  private String protocol(CloseableHttpClient client) throws Exception {
    HttpClientContext context = HttpClientContext.create();
    client.execute(new HttpGet(uri), context, response -> null);
    SSLSession session = context.getSSLSession();
    return session == null ? "none" : session.getProtocol();
  }

  @Test
  void aClientThatHeedsThemTrustsAndSpeaksAsTheySay() throws Exception {
    Map<String, HttpClientBuilder> builders = new TreeMap<>();
    builders.put("at once", BlockingHttpClients.custom().useSystemProperties());
    builders.put("later", BlockingHttpClients.custom().setUserAgent("a").useSystemProperties());
    for (Map.Entry<String, HttpClientBuilder> each : builders.entrySet()) {
      try (CloseableHttpClient client = each.getValue().build()) {
        assertEquals("TLSv1.2", protocol(client), each.getKey());
      }
    }
    try (CloseableHttpClient client = BlockingHttpClients.createSystem()) {
      assertEquals("TLSv1.2", protocol(client));
    }
  }

  @Test
  void aClientThatDoesNotHeedThemDoesNot() throws Exception {
    try (CloseableHttpClient client = BlockingHttpClients.createDefault()) {
      assertThrows(SSLException.class, () -> protocol(client));
    }
  }

  @Test
  void theNumberOfConnectionsIsThatOfThePropertyWhereNoneIsSet() {
    System.setProperty(MAX_CONNECTIONS, "7");
    try (BlockingConnectionManager system =
            BlockingConnectionManager.builder().useSystemProperties().build();
        BlockingConnectionManager set =
            BlockingConnectionManager.builder()
                .useSystemProperties()
                .setMaxConnPerRoute(3)
                .setMaxConnTotal(4)
                .build();
        BlockingConnectionManager not = BlockingConnectionManager.builder().build()) {
      assertEquals(7, system.getDefaultMaxPerRoute());
      assertEquals(14, system.getMaxTotal());
      assertEquals(3, set.getDefaultMaxPerRoute());
      assertEquals(4, set.getMaxTotal());
      assertEquals(1_000, not.getDefaultMaxPerRoute());
    } finally {
      System.clearProperty(MAX_CONNECTIONS);
    }
  }

  /** The canary: Apache's builder still tells. */
  @Test
  void theBuilderTells() {
    assertFalse(ApacheInternals.usesSystemProperties(HttpClientBuilder.create()));
    assertTrue(
        ApacheInternals.usesSystemProperties(HttpClientBuilder.create().useSystemProperties()));
  }
}
