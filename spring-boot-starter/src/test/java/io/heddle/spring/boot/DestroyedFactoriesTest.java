package io.heddle.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.JettyClientHttpRequestFactory;

/** A factory that is destroyed leaves nothing, and takes nothing that another one uses. */
@Timeout(60)
class DestroyedFactoriesTest {

  private static final HttpClientSettings SETTINGS = HttpClientSettings.defaults();

  enum Client {
    APACHE,
    JETTY;

    private ClientHttpRequestFactoryBuilder<?> builder() {
      return this == APACHE
          ? ApacheRequestFactoryBuilder.create()
          : JettyRequestFactoryBuilder.create();
    }
  }

  private static void call(ClientHttpRequestFactory factory, URI uri) throws IOException {
    try (ClientHttpResponse response = factory.createRequest(uri, HttpMethod.GET).execute()) {
      assertEquals(5, response.getBody().readAllBytes().length);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theirConnectionsAreClosed(Client client) throws Exception {
    ClientHttpRequestFactoryBuilder<?> builder = client.builder();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      for (int i = 1; i <= 3; i++) {
        ClientHttpRequestFactory factory =
            builder.build(SETTINGS.withReadTimeout(Duration.ofSeconds(10 + i)));
        call(factory, server.uri(Script.ok().body(5)));
        ((DisposableBean) factory).destroy();
      }
      assertEquals(3, server.connectionsAccepted());
      Waiting.until("the connections are closed", () -> server.connectionsOpen() == 0);
    } finally {
      ((AutoCloseable) builder).close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theBuilderForgetsThem(Client client) throws Exception {
    ClientHttpRequestFactoryBuilder<?> builder = client.builder();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      WeakReference<?> factory = destroyed(builder, server.uri(Script.ok().body(5)));
      Waiting.until(
          "the factory is garbage",
          () -> {
            System.gc();
            return factory.refersTo(null);
          });
    } finally {
      ((AutoCloseable) builder).close();
    }
  }

  private static WeakReference<?> destroyed(ClientHttpRequestFactoryBuilder<?> builder, URI uri)
      throws Exception {
    ClientHttpRequestFactory factory = builder.build(SETTINGS);
    call(factory, uri);
    ((DisposableBean) factory).destroy();
    return new WeakReference<>(factory);
  }

  /** Until its last user is destroyed; destroying one twice counts once. */
  @Test
  void aSharedPoolLivesOn() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        ApacheRequestFactoryBuilder builder = ApacheRequestFactoryBuilder.create()) {
      URI uri = server.uri(Script.ok().body(5));
      HttpComponentsClientHttpRequestFactory one = builder.build(SETTINGS);
      HttpComponentsClientHttpRequestFactory other = builder.build(SETTINGS);
      call(one, uri);
      one.destroy();
      one.destroy();
      call(other, uri);
      assertEquals(1, server.connectionsAccepted());
      other.destroy();
      Waiting.until("the connection is closed", () -> server.connectionsOpen() == 0);

      call(builder.build(SETTINGS), uri);
      assertEquals(2, server.connectionsAccepted());
    }
  }

  /** Also not by a thread that comes while the pool is being closed. */
  @Test
  void noFactoryIsBuiltOnAClosedPool() throws Exception {
    List<ClientHttpRequestFactory> meanwhile = new ArrayList<>();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        ApacheRequestFactoryBuilder builder = ApacheRequestFactoryBuilder.create()) {
      builder.onOpen(
          new Opened.Listener<BlockingConnectionManager>() {
            @Override
            public void opened(BlockingConnectionManager pool) {}

            @Override
            public void closed(BlockingConnectionManager pool) {
              meanwhile.add(builder.build(SETTINGS));
            }
          });
      builder.build(SETTINGS).destroy();
      call(meanwhile.getFirst(), server.uri(Script.ok().body(5)));
    }
  }

  @Test
  void aFactoryThatCannotBeBuiltLeavesNoPool() {
    AtomicBoolean wrong = new AtomicBoolean(true);
    List<BlockingConnectionManager> opened = new ArrayList<>();
    try (ApacheRequestFactoryBuilder builder =
        ApacheRequestFactoryBuilder.create()
            .withCustomizer(
                factory -> {
                  if (wrong.getAndSet(false)) {
                    throw new IllegalArgumentException("wrong");
                  }
                })) {
      builder.onOpen(opened::add);
      assertThrows(IllegalArgumentException.class, () -> builder.build(SETTINGS));
      assertNotNull(builder.build(SETTINGS));
      assertEquals(2, opened.size()); // the first one is closed, and not handed out again
    }
  }

  @Test
  void theirGaugesGoWithThem() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (ApacheRequestFactoryBuilder builder = ApacheRequestFactoryBuilder.create()) {
      builder.onOpen(new ConnectionPoolMetrics(registry));
      HttpComponentsClientHttpRequestFactory first = builder.build(SETTINGS);
      int ofOne = registry.getMeters().size();
      assertTrue(ofOne > 0);
      for (int i = 1; i <= 3; i++) {
        builder.build(SETTINGS.withReadTimeout(Duration.ofSeconds(i))).destroy();
      }
      assertEquals(ofOne, registry.getMeters().size());
      assertNotNull(registry.find("heddle.calls.waiting").tag("client", "heddle").gauge());
      first.destroy();
      assertEquals(List.of(), registry.getMeters());
    }
  }

  @Test
  void theirGaugesGoWithThemWhateverAFilterCallsThem() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    registry
        .config()
        .meterFilter(MeterFilter.renameTag("heddle.calls", "client", "pool"))
        .meterFilter(MeterFilter.renameTag("httpcomponents", "httpclient", "pool"));
    try (ApacheRequestFactoryBuilder builder = ApacheRequestFactoryBuilder.create()) {
      builder.onOpen(new ConnectionPoolMetrics(registry));
      HttpComponentsClientHttpRequestFactory factory = builder.build(SETTINGS);
      assertNotNull(registry.find("heddle.calls.waiting").tag("pool", "heddle").gauge());
      factory.destroy();
      assertEquals(List.of(), registry.getMeters());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClosedBuilderBuildsNone(Client client) throws Exception {
    ClientHttpRequestFactoryBuilder<?> builder = client.builder();
    assertNotNull(builder.build(SETTINGS));
    ((AutoCloseable) builder).close();

    assertThrows(IllegalStateException.class, () -> builder.build(SETTINGS));
  }

  /** Jetty's client could be started again, and its threads would stay. */
  @Test
  void jettysClientIsNotStartedAgain() {
    JettyClientHttpRequestFactory factory;
    try (JettyRequestFactoryBuilder builder = JettyRequestFactoryBuilder.create()) {
      factory = builder.build(SETTINGS);
    }
    URI uri = URI.create("http://localhost:1/");
    IOException refused =
        assertThrows(IOException.class, () -> factory.createRequest(uri, HttpMethod.GET));
    assertTrue(refused.toString().contains("build another request factory"), refused::toString);
    assertThrows(IOException.class, factory::afterPropertiesSet);
  }
}
