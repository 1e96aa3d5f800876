package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.util.List;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.apache.hc.core5.util.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a builder takes, what a manager refuses, and that neither costs anything before its use. */
class BuilderTest {

  private static final HttpRoute ROUTE = new HttpRoute(new HttpHost("http", "localhost", 1));

  private static String refused(Runnable setter) {
    return String.valueOf(assertThrows(IllegalArgumentException.class, setter::run).getMessage());
  }

  @Test
  void limitsMustBePositive() {
    BlockingConnectionManagerBuilder builder = BlockingConnectionManager.builder();
    assertEquals("maxConnTotal must be positive: 0", refused(() -> builder.setMaxConnTotal(0)));
    assertEquals(
        "maxConnPerRoute must be positive: -1", refused(() -> builder.setMaxConnPerRoute(-1)));
    assertEquals("ioThreads must be positive: 0", refused(() -> builder.setIoThreadCount(0)));
    assertEquals(
        "resolverThreads must be positive: 0", refused(() -> builder.setResolverThreadCount(0)));
  }

  @Test
  void librariesThatAreTooOldAreNamed() {
    assertNull(ApacheInternals.tooOld("5.6", "5.4"));
    assertNull(ApacheInternals.tooOld("5.10.1", "5.5-beta1"));
    assertNull(ApacheInternals.tooOld("5.6-SNAPSHOT", "5.4.0-patched.1"));
    assertNull(ApacheInternals.tooOld("UNAVAILABLE", "v5.3"));
    assertNotNull(ApacheInternals.tooOld("5.6.5", "5.3.6"));
    assertEquals(
        "heddle-apache needs httpclient5 5.6 or later, and httpcore5 and httpcore5-h2 5.4 or later, and"
            + " found httpclient5 5.5.1 and httpcore5 5.4.4: another dependency brings them, so set their"
            + " versions in your build",
        ApacheInternals.tooOld("5.5.1", "5.4.4"));
  }

  /** The canary: they tell, so that the check does something. */
  @Test
  void theLibrariesTellTheirReleases() {
    for (String each : List.of("org.apache.hc.client5", "org.apache.hc.core5")) {
      VersionInfo version = VersionInfo.loadVersionInfo(each, getClass().getClassLoader());
      assertTrue(version != null && version.getRelease().startsWith("5."), each);
    }
  }

  @Test
  void theDefaultsSuitVirtualThreads() {
    try (BlockingConnectionManager manager = BlockingConnectionManager.builder().build()) {
      assertEquals(1_000, manager.getDefaultMaxPerRoute());
      assertEquals(10_000, manager.getMaxTotal());
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachPoolOfApacheServes(PoolConcurrencyPolicy policy) throws Exception {
    try (BlockingConnectionManager manager =
        BlockingConnectionManager.builder()
            .setPoolConcurrencyPolicy(policy)
            .setMaxConnPerRoute(2)
            .build()) {
      ConnectionEndpoint endpoint =
          manager.lease("id", ROUTE, Timeout.DISABLED, null).get(Timeout.ofSeconds(5));
      assertFalse(endpoint.isConnected());
      assertEquals(1, manager.getTotalStats().getLeased());
      manager.release(endpoint, null, TimeValue.ZERO_MILLISECONDS);
      assertEquals(0, manager.getTotalStats().getLeased());
      assertEquals(2, manager.getMaxPerRoute(ROUTE));
    }
  }

  @Test
  void aManagerThatIsNotUsedHasNoThread() {
    try (BlockingConnectionManager manager = BlockingConnectionManager.builder().build()) {
      assertEquals(0, manager.getTotalStats().getLeased());
      assertFalse(
          Thread.getAllStackTraces().keySet().stream()
              .anyMatch(thread -> thread.getName().startsWith("heddle-apache")));
    }
  }

  @Test
  void aClosedManagerSaysSo() throws Exception {
    BlockingConnectionManager manager = BlockingConnectionManager.builder().build();
    manager.close(CloseMode.IMMEDIATE);
    manager.close();
    assertEquals(
        "Connection pool shut down",
        assertThrows(
                IllegalStateException.class,
                () -> manager.lease("id", ROUTE, Timeout.DISABLED, null))
            .getMessage());
    manager.closeExpired();
    manager.closeIdle(TimeValue.ofSeconds(1));
  }

  @Test
  void aClosedClientSaysSo() throws Exception {
    CloseableHttpClient client = BlockingHttpClients.createDefault();
    client.close();
    assertThrows(
        IllegalStateException.class,
        () -> client.execute(new HttpGet("http://localhost:1/"), response -> null));
  }

  /** As with Apache's builder: what one client closes is not the other's. */
  @Test
  void eachClientOfABuilderHasAManagerOfItsOwn() throws Exception {
    HttpClientBuilder builder = BlockingHttpClients.custom();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        CloseableHttpClient second = closeFirst(builder.build(), builder)) {
      HttpGet get = new HttpGet(server.uri(Script.ok()));
      assertEquals(200, (int) second.execute(get, ClassicHttpResponse::getCode));
    }
  }

  private static CloseableHttpClient closeFirst(
      CloseableHttpClient first, HttpClientBuilder builder) throws IOException {
    CloseableHttpClient second = builder.build();
    first.close();
    return second;
  }

  @Test
  void aManagerThatIsSetStays() throws Exception {
    BlockingConnectionManager manager = BlockingConnectionManager.builder().build();
    HttpClientBuilder builder = BlockingHttpClients.custom().setConnectionManager(manager);
    builder.build().close();
    assertSame(manager, builder.getConnManager());
    assertThrows(
        IllegalStateException.class, () -> manager.lease("id", ROUTE, Timeout.DISABLED, null));
  }

  @Test
  void anEndpointOfAnotherManagerIsRefused() {
    ConnectionEndpoint foreign =
        new ConnectionEndpoint() {
          @Override
          @Deprecated
          public ClassicHttpResponse execute(
              String id,
              ClassicHttpRequest request,
              HttpRequestExecutor executor,
              HttpContext context) {
            throw new IllegalStateException();
          }

          @Override
          public boolean isConnected() {
            return false;
          }

          @Override
          public void setSocketTimeout(Timeout timeout) {}

          @Override
          public void close(CloseMode closeMode) {}

          @Override
          public void close() {}

          @Override
          public String toString() {
            return "foreign";
          }
        };
    try (BlockingConnectionManager manager = BlockingConnectionManager.builder().build()) {
      assertEquals(
          "this endpoint is not a lease of a BlockingConnectionManager: foreign",
          refused(() -> manager.release(foreign, null, TimeValue.ofSeconds(1))));
    }
  }

  @Test
  void aSecondReleaseDoesNothing() throws Exception {
    try (BlockingConnectionManager manager = BlockingConnectionManager.builder().build()) {
      ConnectionEndpoint endpoint =
          manager.lease("id", ROUTE, Timeout.DISABLED, null).get(Timeout.ofSeconds(5));
      manager.release(endpoint, null, TimeValue.ZERO_MILLISECONDS);
      manager.release(endpoint, null, TimeValue.ZERO_MILLISECONDS);
      assertEquals(0, manager.getTotalStats().getLeased());
      assertTrue(endpoint.toString().startsWith("ep-"), endpoint.toString());
    }
  }
}
