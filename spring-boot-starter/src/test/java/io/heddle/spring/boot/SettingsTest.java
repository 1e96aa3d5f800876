package io.heddle.spring.boot;

import static io.heddle.spring.boot.AutoConfigurationTest.application;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.DeafPort;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.CookieManager;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.cookie.BasicCookieStore;
import org.apache.hc.client5.http.cookie.StandardCookieSpec;
import org.eclipse.jetty.http.HttpCookieStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.FilteredHostException;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.InetAddressFilter;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientPropertiesAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.service.HttpServiceClientAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.ImportHttpServices;

/** Boot's own settings and Heddle's hold, with each client. */
@Timeout(60)
class SettingsTest {

  private static final String[] BUNDLE = {
    "spring.http.clients.ssl.bundle=server",
    "spring.ssl.bundle.jks.server.truststore.location=classpath:io/heddle/conformance/server.p12",
    "spring.ssl.bundle.jks.server.truststore.password=conformance",
    "spring.ssl.bundle.jks.server.truststore.type=PKCS12"
  };

  private static final Script SILENCE = Script.ok().fault(Fault.STALL);
  private static final Script HALF_A_BODY = Script.ok().body(1000).fault(Fault.STALL, 500);

  private static ApplicationContextRunner with(String factory, String... properties) {
    return application()
        .withPropertyValues("spring.http.clients.imperative.factory=" + factory)
        .withPropertyValues(properties);
  }

  private static void run(ApplicationContextRunner application, Consumer<RestClient> calls) {
    application.run(context -> calls.accept(context.getBean(RestClient.Builder.class).build()));
  }

  private static int get(RestClient client, URI uri) {
    byte[] body = client.get().uri(uri).retrieve().body(byte[].class);
    return body == null ? 0 : body.length;
  }

  private static <E extends Throwable> E cause(Class<E> type, Throwable thrown) {
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      if (type.isInstance(each)) {
        return type.cast(each);
      }
    }
    throw new AssertionError("not caused by " + type, thrown);
  }

  private static void assertTimesOut(RestClient client, URI uri) {
    ResourceAccessException thrown =
        assertThrows(ResourceAccessException.class, () -> get(client, uri));
    IOException cause = cause(IOException.class, thrown);
    assertTrue(
        cause instanceof SocketTimeoutException || cause instanceof HttpTimeoutException,
        cause::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void readTimeout(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      run(
          with(factory, "spring.http.clients.read-timeout=500ms"),
          client -> assertTimesOut(client, server.uri(SILENCE)));
    }
  }

  /**
   * Sooner than Jetty's own of 15 s, Apache's of 3 min, and the kernel, which the JDK waits for.
   */
  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void connectTimeout(String factory) throws IOException {
    try (DeafPort port = new DeafPort()) {
      run(
          with(factory, "spring.http.clients.connect-timeout=500ms"),
          client ->
              assertTimeout(
                  Duration.ofSeconds(12),
                  () -> assertTimesOut(client, URI.create("http://127.0.0.1:" + port.port()))));
    }
  }

  /** The server speaks nothing but HTTP/2. */
  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void bundleOverHttp2(String factory) {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      run(
          with(factory, BUNDLE),
          client -> assertEquals(5, get(client, server.uri(Script.ok().body(5)))));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void readTimeoutOverHttp2(String factory) {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      run(
          with(factory, BUNDLE).withPropertyValues("spring.http.clients.read-timeout=1s"),
          client -> {
            assertTimesOut(client, server.uri(SILENCE));
            assertThrows(RestClientException.class, () -> get(client, server.uri(HALF_A_BODY)));
          });
    }
  }

  /** So that {@link #bundleOverHttp2} proves something. */
  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void withoutItsBundleTheServerIsNotTrusted(String factory) {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      run(
          with(factory, "spring.http.clients.read-timeout=20s"),
          client ->
              cause(
                  SSLException.class,
                  assertThrows(
                      ResourceAccessException.class,
                      () -> get(client, server.uri(Script.ok().body(5))))));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void redirects(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI end = server.uri(Script.ok().body(5));
      URI redirect = server.uri(Script.answer(302).header("location", end.toString()));
      run(with(factory), client -> assertEquals(5, get(client, redirect)));
      run(
          with(factory, "spring.http.clients.redirects=dont-follow"),
          client ->
              assertEquals(
                  302,
                  client
                      .get()
                      .uri(redirect)
                      .retrieve()
                      .toBodilessEntity()
                      .getStatusCode()
                      .value()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void cookies(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok().header("set-cookie", "a=1; Path=/"));
      run(
          with(factory, "spring.http.clients.cookie-handling=disable"),
          client -> {
            get(client, uri);
            get(client, uri);
            assertEquals(null, server.seen(uri).get(1).header("cookie"));
          });
    }
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok().header("set-cookie", "a=1; Path=/"));
      run(
          with(factory, "spring.http.clients.cookie-handling=enable"),
          client -> {
            get(client, uri);
            get(client, uri);
            assertEquals("a=1", server.seen(uri).get(1).header("cookie"));
          });
    }
  }

  /** All callers of a client would share them. */
  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void noCookiesUnlessAskedFor(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok().header("set-cookie", "a=1; Path=/"));
      run(
          with(factory),
          client -> {
            get(client, uri);
            get(client, uri);
            assertEquals(null, server.seen(uri).get(1).header("cookie"));
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void cookiesForOneGroup(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI with = server.uri(Script.ok().header("set-cookie", "a=1; Path=/"));
      URI without = server.uri(Script.ok().header("set-cookie", "b=1; Path=/"));
      with(factory, "spring.http.serviceclient.with.cookie-handling=enable")
          .withConfiguration(
              AutoConfigurations.of(
                  HttpServiceClientPropertiesAutoConfiguration.class,
                  HttpServiceClientAutoConfiguration.class))
          .withUserConfiguration(Groups.class)
          .run(
              context -> {
                for (int i = 0; i < 2; i++) {
                  context.getBean(With.class).get(with);
                  context.getBean(Without.class).get(without);
                }
                assertEquals("a=1", server.seen(with).get(1).header("cookie"));
                assertEquals(null, server.seen(without).get(1).header("cookie"));
              });
    }
  }

  interface With {
    @GetExchange
    void get(URI uri);
  }

  interface Without {
    @GetExchange
    void get(URI uri);
  }

  @Configuration(proxyBeanMethods = false)
  @ImportHttpServices(group = "with", types = With.class)
  @ImportHttpServices(group = "without", types = Without.class)
  static class Groups {}

  static Stream<Arguments> cookiesThatACustomizerAsksFor() {
    return Stream.of(
        Arguments.of(
            "Apache's store",
            ApacheRequestFactoryBuilder.create()
                .with(
                    boot ->
                        boot.withHttpClientCustomizer(
                            client -> client.setDefaultCookieStore(new BasicCookieStore())))),
        Arguments.of(
            "Apache's specification",
            ApacheRequestFactoryBuilder.create()
                .with(
                    boot ->
                        boot.withDefaultRequestConfigCustomizer(
                            request -> request.setCookieSpec(StandardCookieSpec.STRICT)))),
        Arguments.of(
            "Jetty's store",
            JettyRequestFactoryBuilder.create()
                .withHttpClientCustomizer(
                    client -> client.setHttpCookieStore(new HttpCookieStore.Default()))),
        Arguments.of(
            "the JDK's handler",
            JdkRequestFactoryBuilder.create()
                .withHttpClientCustomizer(client -> client.cookieHandler(new CookieManager()))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void cookiesThatACustomizerAsksFor(String name, ClientHttpRequestFactoryBuilder<?> builder)
      throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok().header("set-cookie", "a=1; Path=/"));
      RestClient client = RestClient.builder().requestFactory(builder.build()).build();
      get(client, uri);
      get(client, uri);
      assertEquals("a=1", server.seen(uri).get(1).header("cookie"), name);
    } finally {
      ((AutoCloseable) builder).close();
    }
  }

  /** Addresses that Boot is told to leave alone. */
  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void addressFilter(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok().body(5));
      run(
          with(factory).withBean(InetAddressFilter.class, () -> any -> false),
          client -> assertThrows(FilteredHostException.class, () -> get(client, uri)));
      assertEquals(List.of(), server.seen(uri));
    }
  }

  // ---- Heddle's -------------------------------------------------------------------------------

  /** Bytes come all the time, so no other timeout ends it. */
  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void deadline(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok().body(100_000).drip(1, Duration.ofMillis(50)));
      run(
          with(factory, "heddle.http.client.deadline=1s", "spring.http.clients.read-timeout=30s"),
          client ->
              cause(
                  DeadlineExceededException.class,
                  assertThrows(RestClientException.class, () -> get(client, uri))));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void deadlineBeforeAResponse(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      run(
          with(factory, "heddle.http.client.deadline=500ms"),
          client ->
              cause(
                  DeadlineExceededException.class,
                  assertThrows(
                      ResourceAccessException.class, () -> get(client, server.uri(SILENCE)))));
    }
  }

  /** Beyond what nanoseconds in a long can tell, and just within. */
  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void timesOfManyYears(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      for (String time : List.of("P200000D", "P106751D")) {
        run(
            with(
                factory,
                "heddle.http.client.deadline=" + time,
                "heddle.http.client.queue-timeout=" + time),
            client -> assertEquals(5, get(client, server.uri(Script.ok().body(5)))));
      }
    }
  }

  /** Apache's retry would sleep for as long as the server says. */
  @Test
  void aDeadlineEndsAWaitForARetryToo() {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.answer(503).header("retry-after", "1000"));
      run(
          with("http_components", "heddle.http.client.deadline=1s"),
          client -> assertThrows(RestClientException.class, () -> get(client, uri)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void limitAndQueueTimeout(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      run(
          with(
              factory,
              "heddle.http.client.max-connections-per-route=1",
              "heddle.http.client.queue-timeout=200ms"),
          client -> {
            URI uri = server.uri(HALF_A_BODY);
            client
                .get()
                .uri(uri)
                .exchange(
                    (request, response) -> {
                      assertThrows(
                          ResourceAccessException.class,
                          () -> get(client, server.uri(Script.ok().body(5))));
                      server.seen(uri).getFirst().release(); // Spring reads to the end on the JDK
                      return "";
                    });
            assertEquals(1, server.connectionsAccepted());
          });
    }
  }

  @ParameterizedTest
  @EnumSource(Http2.class)
  void apachesProtocol(Http2 http2) {
    assertServedOn(http2 == Http2.ALWAYS ? Wire.H2C : Wire.HTTP_1_1, "http_components", http2);
    if (http2 == Http2.NEVER) {
      assertServedOn(Wire.HTTP_1_1_TLS, "http_components", http2, BUNDLE);
    }
  }

  @ParameterizedTest
  @EnumSource(Http2.class)
  void jettysProtocol(Http2 http2) {
    assertServedOn(http2 == Http2.ALWAYS ? Wire.H2C : Wire.HTTP_1_1, "jetty", http2);
  }

  private static void assertServedOn(Wire wire, String library, Http2 http2, String... properties) {
    try (FaultServer server = FaultServer.start(wire)) {
      URI uri = server.uri(Script.ok().body(5));
      run(
          with(library, properties).withPropertyValues("heddle.http.client.http2=" + http2),
          client -> assertEquals(5, get(client, uri)));
    }
  }

  // ---- what is shared -------------------------------------------------------------------------

  /** Of one another's connections, where the settings are the same. */
  @Test
  void clientsOfEqualSettingsShareConnections() {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok().body(5));
      application()
          .run(
              context -> {
                for (int i = 0; i < 3; i++) {
                  assertEquals(5, get(context.getBean(RestClient.Builder.class).build(), uri));
                }
              });
      assertEquals(1, server.connectionsAccepted());
    }
    List<Object> managers = new ArrayList<>();
    try (ApacheRequestFactoryBuilder builder = ApacheRequestFactoryBuilder.create()) {
      builder.onOpen(managers::add);
      HttpClientSettings settings = HttpClientSettings.defaults();
      builder.build(settings);
      builder.build(settings.withReadTimeout(Duration.ofSeconds(3)));
      builder.build(settings.withReadTimeout(Duration.ofSeconds(3)));
    }
    assertEquals(2, managers.size());
    assertNotEquals(managers.get(0), managers.get(1));
  }

  /** The server sees the connections go. */
  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void connectionsAreClosedWithTheContext(String factory) {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      run(
          with(factory),
          client -> {
            assertEquals(5, get(client, server.uri(Script.ok().body(5))));
            assertEquals(1, server.connectionsOpen());
          });
      Waiting.until("the connection is closed", () -> server.connectionsOpen() == 0);
    }
  }
}
