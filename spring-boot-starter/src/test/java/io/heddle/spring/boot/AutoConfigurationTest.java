package io.heddle.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.jetty.BlockingJettyClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.JettyClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.ReactorClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.SimpleClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;

/** Which builder Boot gets. */
class AutoConfigurationTest {

  private static final String FACTORY = "spring.http.clients.imperative.factory=";

  static ApplicationContextRunner application() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                HeddleHttpClientAutoConfiguration.class,
                SslAutoConfiguration.class,
                HttpClientAutoConfiguration.class,
                ImperativeHttpClientAutoConfiguration.class,
                RestClientAutoConfiguration.class));
  }

  private static Class<?> builderOf(ApplicationContextRunner application) {
    List<Class<?>> builder = new ArrayList<>();
    application.run(
        context -> builder.add(context.getBean(ClientHttpRequestFactoryBuilder.class).getClass()));
    return builder.getFirst();
  }

  @Test
  void apacheUnlessSaidOtherwise() {
    assertEquals(ApacheRequestFactoryBuilder.class, builderOf(application()));
  }

  @ParameterizedTest
  @CsvSource({
    "http_components, io.heddle.spring.boot.ApacheRequestFactoryBuilder",
    "HTTP-COMPONENTS, io.heddle.spring.boot.ApacheRequestFactoryBuilder",
    "jetty, io.heddle.spring.boot.JettyRequestFactoryBuilder",
    "jdk, io.heddle.spring.boot.JdkRequestFactoryBuilder",
    "simple, org.springframework.boot.http.client.SimpleClientHttpRequestFactoryBuilder"
  })
  void bootsPropertyChooses(String factory, Class<?> builder) {
    assertEquals(builder, builderOf(application().withPropertyValues(FACTORY + factory)));
  }

  /** As with heddle-apache excluded, and another put in its place. */
  @Test
  void theModuleThatIsThere() {
    FilteredClassLoader withoutApache = new FilteredClassLoader(BlockingConnectionManager.class);
    FilteredClassLoader withoutBoth =
        new FilteredClassLoader(BlockingConnectionManager.class, BlockingJettyClient.class);

    assertEquals(
        JettyRequestFactoryBuilder.class, builderOf(application().withClassLoader(withoutApache)));
    assertEquals(
        JdkRequestFactoryBuilder.class, builderOf(application().withClassLoader(withoutBoth)));
  }

  @Test
  void aClientWhoseModuleIsNotThereIsBoots() {
    assertEquals(
        JettyClientHttpRequestFactoryBuilder.class,
        builderOf(
            application()
                .withPropertyValues(FACTORY + "jetty")
                .withClassLoader(new FilteredClassLoader(BlockingJettyClient.class))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", "FALSE", "off", "no", "0"})
  void disabledItIsBoots(String value) {
    assertEquals(
        HttpComponentsClientHttpRequestFactoryBuilder.class,
        builderOf(application().withPropertyValues("heddle.http.client.enabled=" + value)));
  }

  @Test
  void enabledItIsHeddles() {
    assertEquals(
        ApacheRequestFactoryBuilder.class,
        builderOf(application().withPropertyValues("heddle.http.client.enabled=true")));
  }

  @Test
  void anApplicationsOwnBuilderIsLeftAlone() {
    assertEquals(
        SimpleClientHttpRequestFactoryBuilder.class,
        builderOf(application().withUserConfiguration(OwnBuilder.class)));
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnBuilder {
    @Bean
    ClientHttpRequestFactoryBuilder<?> own() {
      return ClientHttpRequestFactoryBuilder.simple();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void nothingStartsBeforeTheFirstCall(String factory) {
    Set<Thread> before = threads();
    application()
        .withPropertyValues(FACTORY + factory)
        .run(
            context -> {
              assertNotNull(context.getBean(ClientHttpRequestFactoryBuilder.class));
              Set<Thread> started = threads();
              started.removeAll(before);
              assertEquals(Set.of(), started);
            });
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(
            each ->
                Stream.of("heddle", "HttpClient").anyMatch(name -> each.getName().contains(name)))
        .collect(Collectors.toSet());
  }

  // ---- properties -----------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "deadline=-1s, heddle.http.client.deadline must be positive",
    "queue-timeout=0, heddle.http.client.queue-timeout must be positive",
    "max-connections-per-route=0, heddle.http.client.max-connections-per-route must be positive",
    "max-connections=-3, heddle.http.client.max-connections must be positive",
    "http2=sometimes, sometimes"
  })
  void aWrongPropertyFailsAndIsNamed(String property, String message) {
    assertFailure(message, "heddle.http.client." + property);
  }

  @ParameterizedTest
  @CsvSource({
    "jetty, max-connections=5, Only Apache's client",
    "jdk, max-connections=5, Only Apache's client",
    "jdk, http2=always, cannot speak HTTP/2 without asking"
  })
  void whatAClientHasNotIsRefused(String factory, String property, String message) {
    assertFailure(message, FACTORY + factory, "heddle.http.client." + property);
  }

  private static void assertFailure(String message, String... properties) {
    application()
        .withPropertyValues(properties)
        .run(
            context -> {
              Throwable failure = context.getStartupFailure();
              assertNotNull(failure);
              StringBuilder said = new StringBuilder();
              for (Throwable each = failure; each != null; each = each.getCause()) {
                said.append(each).append('\n');
              }
              assertTrue(said.toString().contains(message), said::toString);
            });
  }

  @Test
  void editorsKnowTheProperties() throws IOException {
    try (InputStream in =
        getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      String metadata =
          new String(
              assertInstanceOf(InputStream.class, in).readAllBytes(), StandardCharsets.UTF_8);
      for (String each :
          List.of(
              "enabled",
              "deadline",
              "queue-timeout",
              "max-connections-per-route",
              "max-connections",
              "http2")) {
        assertTrue(metadata.contains("\"heddle.http.client." + each + "\""), each);
      }
      assertTrue(metadata.contains("Longest time for a whole call"), metadata);
    }
  }

  // ---- customizers ----------------------------------------------------------------------------

  /** Each is applied once, whatever it is for, and however it is written. */
  @ParameterizedTest
  @CsvSource({"http_components, any apache boots", "jetty, any jetty", "jdk, any jdk"})
  void customizersAreApplied(String factory, String expected) {
    application()
        .withPropertyValues(FACTORY + factory)
        .withUserConfiguration(Customizing.class)
        .run(
            context -> {
              context.getBean(ClientHttpRequestFactoryBuilder.class);
              List<String> applied = context.getBean(Applied.class).names;
              assertEquals(expected, String.join(" ", applied.stream().sorted().toList()));
            });
  }

  record Applied(List<String> names) {
    <B> B note(String name, B builder) {
      names.add(name);
      return builder;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Customizing {
    @Bean
    Applied applied() {
      return new Applied(new ArrayList<>());
    }

    @Bean
    ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder> boots(
        Applied applied) {
      return builder -> applied.note("boots", builder.withDefaultRequestConfigCustomizer(c -> {}));
    }

    @Bean
    ClientHttpRequestFactoryBuilderCustomizer<ApacheRequestFactoryBuilder> apache(Applied applied) {
      return builder -> applied.note("apache", builder.withConnectionManagerCustomizer(c -> {}));
    }

    @Bean
    ClientHttpRequestFactoryBuilderCustomizer<JettyRequestFactoryBuilder> jetty(Applied applied) {
      return builder -> applied.note("jetty", builder.withHttpClientCustomizer(c -> {}));
    }

    @Bean
    ClientHttpRequestFactoryBuilderCustomizer<JdkRequestFactoryBuilder> jdk(Applied applied) {
      return builder -> applied.note("jdk", builder.withHttpClientCustomizer(c -> {}));
    }

    /** Not a lambda: its type is known. */
    @Bean
    ClientHttpRequestFactoryBuilderCustomizer<ReactorClientHttpRequestFactoryBuilder> reactor(
        Applied applied) {
      return new ClientHttpRequestFactoryBuilderCustomizer<>() {
        @Override
        public ReactorClientHttpRequestFactoryBuilder customize(
            ReactorClientHttpRequestFactoryBuilder builder) {
          return applied.note("reactor", builder);
        }
      };
    }

    @Bean
    ClientHttpRequestFactoryBuilderCustomizer<ClientHttpRequestFactoryBuilder<?>> any(
        Applied applied) {
      return builder -> applied.note("any", builder);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http_components", "jetty", "jdk"})
  void noCallGoesOnceTheContextIsClosed(String factory) {
    List<RestClient> clients = new ArrayList<>();
    application()
        .withPropertyValues(FACTORY + factory)
        .run(context -> clients.add(context.getBean(RestClient.Builder.class).build()));
    Set<Thread> before = threads();

    Exception closed =
        assertThrows(
            Exception.class,
            () ->
                clients.getFirst().get().uri("http://localhost:1/").retrieve().toBodilessEntity());
    assertFalse(closed.toString().contains("refused"), closed::toString);
    Set<Thread> started = threads();
    started.removeAll(before);
    assertEquals(Set.of(), started);
  }
}
