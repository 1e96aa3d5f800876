package io.heddle.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.ImportHttpServices;

/**
 * A Boot application as users have them: a web server on virtual threads, whose controllers call
 * another service by each of Boot's three clients, with Actuator's metrics.
 */
@Timeout(120)
class ApplicationTest {

  private static FaultServer server;
  private static URI other;
  private static ConfigurableApplicationContext application;

  @BeforeAll
  static void start() {
    server = FaultServer.start(Wire.H2_TLS);
    other = server.uri(Script.ok().body(5).delay(Duration.ofMillis(300)));
    System.setProperty("other", other.toString());
    application =
        SpringApplication.run(
            Application.class,
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--spring.threads.virtual.enabled=true",
            "--spring.ssl.bundle.jks.other.truststore.location=classpath:io/heddle/conformance/server.p12",
            "--spring.ssl.bundle.jks.other.truststore.password=conformance",
            "--spring.ssl.bundle.jks.other.truststore.type=PKCS12",
            "--spring.http.clients.ssl.bundle=other",
            "--spring.http.serviceclient.other.base-url=" + other.resolve("/"),
            "--spring.http.serviceclient.other.read-timeout=20s");
  }

  @AfterAll
  static void stop() {
    application.close();
    server.close();
    System.clearProperty("other");
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @ImportHttpServices(group = "other", types = Other.class)
  static class Application {
    @Bean
    Front front(RestClient.Builder rest, RestTemplateBuilder template, Other service) {
      return new Front(rest.build(), template, service);
    }
  }

  /** An HTTP service client: the server answers by the query, whatever the path. */
  interface Other {
    @GetExchange
    byte[] get(URI uri);
  }

  /** What each says: whether it runs on a virtual thread, and the length of what it got. */
  @RestController
  static class Front {
    private final RestClient rest;
    private final RestTemplateBuilder template;
    private final Other service;

    Front(RestClient rest, RestTemplateBuilder template, Other service) {
      this.rest = rest;
      this.template = template;
      this.service = service;
    }

    @GetMapping("/rest-client")
    String restClient() {
      return said(rest.get().uri(uri()).retrieve().body(byte[].class));
    }

    @GetMapping("/rest-template")
    String restTemplate() {
      return said(template.build().getForObject(uri(), byte[].class));
    }

    @GetMapping("/service")
    String service() {
      return said(service.get(uri()));
    }

    private static URI uri() {
      return URI.create(System.getProperty("other"));
    }

    private static String said(byte @Nullable [] body) {
      return Thread.currentThread().isVirtual() + " " + Objects.requireNonNull(body).length;
    }
  }

  private static @Nullable String call(String path) {
    WebServer web = assertInstanceOf(WebServerApplicationContext.class, application).getWebServer();
    int port = Objects.requireNonNull(web).getPort();
    return RestClient.create()
        .get()
        .uri("http://localhost:" + port + path)
        .retrieve()
        .body(String.class);
  }

  /** Stock Apache has no HTTP/2 behind these interfaces: the server would refuse it. */
  @Test
  void eachClientCallsOverHttp2OnAVirtualThread() {
    assertEquals("true 5", call("/rest-client"));
    assertEquals("true 5", call("/rest-template"));
    assertEquals("true 5", call("/service"));
  }

  @Test
  void manyAtATimeShareAConnection() throws Exception {
    List<Future<@Nullable String>> calls = new ArrayList<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 50; i++) {
        calls.add(callers.submit(() -> call("/rest-client")));
      }
    }
    for (Future<@Nullable String> each : calls) {
      assertEquals("true 5", each.get());
    }
    // RestClient and RestTemplate have the same settings, the service has others
    assertTrue(server.connectionsOpen() <= 2, () -> server.connectionsOpen() + " connections");
  }

  @Test
  void metricsCountCallsAndConnections() {
    call("/rest-client");
    MeterRegistry registry = application.getBean(MeterRegistry.class);

    assertEquals(0, registry.get("heddle.calls.waiting").tag("client", "heddle").gauge().value());

    assertTrue(registry.get("http.client.requests").tag("status", "200").timer().count() > 0);
    assertTrue(
        registry
                .get("httpcomponents.httpclient.pool.total.connections")
                .tag("httpclient", "heddle")
                .gauges()
                .stream()
                .mapToDouble(gauge -> gauge.value())
                .sum()
            >= 1);
  }
}
