package io.heddle.spring.boot;

import io.micrometer.core.instrument.binder.MeterBinder;
import java.net.http.HttpClient.Version;
import java.time.Duration;
import org.apache.commons.logging.LogFactory;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientsProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * Auto-configures the {@code ClientHttpRequestFactoryBuilder} that Boot's HTTP clients are built
 * with.
 *
 * <p>{@code spring.http.clients.imperative.factory} selects the client. Without it, the first of
 * Apache, Jetty and the JDK whose Heddle module is present is used. Boot itself handles {@code
 * simple} and {@code reactor}, and everything if the application defines its own builder.
 */
@AutoConfiguration(before = ImperativeHttpClientAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "heddle.http.client.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HeddleHttpClientProperties.class)
public final class HeddleHttpClientAutoConfiguration {

  private static final String FACTORY = "spring.http.clients.imperative.factory";

  HeddleHttpClientAutoConfiguration(Environment environment) {
    switch (factory(environment)) {
      case HTTP_COMPONENTS -> warnUnlessThere(Apache.ADAPTER, "heddle-apache");
      case JETTY -> warnUnlessThere(Jetty.ADAPTER, "heddle-jetty");
      case JDK -> warnUnlessThere(Jdk.ADAPTER, "heddle-jdk");
      case REACTOR, SIMPLE -> {} // Boot's alone
      case null -> {} // what is there
    }
  }

  private static void warnUnlessThere(String adapter, String module) {
    if (!ClassUtils.isPresent(adapter, HeddleHttpClientAutoConfiguration.class.getClassLoader())) {
      LogFactory.getLog(HeddleHttpClientAutoConfiguration.class)
          .warn(
              "%s asks for a client that runs over Heddle with io.heddle:%s, which is not there: it is Boot's own"
                  .formatted(FACTORY, module));
    }
  }

  private static ImperativeHttpClientsProperties.@Nullable Factory factory(
      Environment environment) {
    return Binder.get(environment)
        .bind(FACTORY, ImperativeHttpClientsProperties.Factory.class)
        .orElse(null);
  }

  /** Over Apache's client. */
  @Configuration(proxyBeanMethods = false)
  @Order(1)
  @ConditionalOnClass(name = Apache.ADAPTER)
  @ConditionalOnMissingBean(ClientHttpRequestFactoryBuilder.class)
  @Conditional(Apache.Wanted.class)
  static class Apache {
    static final String ADAPTER = "io.heddle.apache.BlockingConnectionManager";

    @Bean
    ClientHttpRequestFactoryBuilder<?> heddleClientHttpRequestFactoryBuilder(
        HeddleHttpClientProperties properties,
        ObjectProvider<ClientHttpRequestFactoryBuilderCustomizer<?>> customizers) {
      ApacheRequestFactoryBuilder builder =
          ApacheRequestFactoryBuilder.create()
              .withDeadline(properties.deadline())
              .withHttp2(properties.http2());
      if (properties.queueTimeout() != null) {
        Timeout lease = Timeout.of(properties.queueTimeout());
        builder =
            builder.with(
                boot ->
                    boot.withDefaultRequestConfigCustomizer(
                        request -> request.setConnectionRequestTimeout(lease)));
      }
      if (properties.maxConnectionsPerRoute() != null) {
        int max = properties.maxConnectionsPerRoute();
        builder = builder.withConnectionManagerCustomizer(pool -> pool.setMaxConnPerRoute(max));
      }
      if (properties.maxConnections() != null) {
        int max = properties.maxConnections();
        builder = builder.withConnectionManagerCustomizer(pool -> pool.setMaxConnTotal(max));
      }
      return Customizers.apply(customizers.orderedStream().toList(), builder);
    }

    static final class Wanted extends OnFactory {
      Wanted() {
        super(ImperativeHttpClientsProperties.Factory.HTTP_COMPONENTS);
      }
    }
  }

  /** Gauges of Apache's connection pools. */
  @Configuration(proxyBeanMethods = false)
  @Order(2)
  @ConditionalOnClass(name = {Apache.ADAPTER, "io.micrometer.core.instrument.binder.MeterBinder"})
  static class ApacheMetrics {

    @Bean
    MeterBinder heddleConnectionPoolMetrics(
        ObjectProvider<ClientHttpRequestFactoryBuilder<?>> builders) {
      return registry -> {
        ConnectionPoolMetrics metrics = new ConnectionPoolMetrics(registry);
        builders.stream()
            .filter(ApacheRequestFactoryBuilder.class::isInstance)
            .map(ApacheRequestFactoryBuilder.class::cast)
            .forEach(builder -> builder.onOpen(metrics));
      };
    }
  }

  /** Over Jetty's client. */
  @Configuration(proxyBeanMethods = false)
  @Order(3)
  @ConditionalOnClass(name = Jetty.ADAPTER)
  @ConditionalOnMissingBean(ClientHttpRequestFactoryBuilder.class)
  @Conditional(Jetty.Wanted.class)
  static class Jetty {
    static final String ADAPTER = "io.heddle.jetty.BlockingJettyClient";

    @Bean
    ClientHttpRequestFactoryBuilder<?> heddleClientHttpRequestFactoryBuilder(
        HeddleHttpClientProperties properties,
        ObjectProvider<ClientHttpRequestFactoryBuilderCustomizer<?>> customizers) {
      refuseMaxConnections(properties);
      JettyRequestFactoryBuilder builder =
          JettyRequestFactoryBuilder.create()
              .withDeadline(properties.deadline())
              .withHttp2(properties.http2())
              .withHttpClientCustomizer(
                  client -> client.setQueueTimeout(properties.queueTimeout()));
      if (properties.maxConnectionsPerRoute() != null) {
        int max = properties.maxConnectionsPerRoute();
        builder =
            builder.withHttpClientCustomizer(client -> client.setMaxConnectionsPerDestination(max));
      }
      return Customizers.apply(
          customizers.orderedStream().toList(), builder, ClientHttpRequestFactoryBuilder.jetty());
    }

    static final class Wanted extends OnFactory {
      Wanted() {
        super(ImperativeHttpClientsProperties.Factory.JETTY);
      }
    }
  }

  /** Over the JDK's client. */
  @Configuration(proxyBeanMethods = false)
  @Order(4)
  @ConditionalOnClass(name = Jdk.ADAPTER)
  @ConditionalOnMissingBean(ClientHttpRequestFactoryBuilder.class)
  @Conditional(Jdk.Wanted.class)
  static class Jdk {
    static final String ADAPTER = "io.heddle.jdk.BlockingJdkHttpClient";

    @Bean
    ClientHttpRequestFactoryBuilder<?> heddleClientHttpRequestFactoryBuilder(
        Environment environment,
        HeddleHttpClientProperties properties,
        ObjectProvider<ClientHttpRequestFactoryBuilderCustomizer<?>> customizers) {
      refuseMaxConnections(properties);
      Version version = version(properties.http2());
      JdkRequestFactoryBuilder builder =
          JdkRequestFactoryBuilder.create()
              .withHttpClientCustomizer(client -> client.version(version));
      if (Threading.VIRTUAL.isActive(environment)) { // as Boot does
        VirtualThreadTaskExecutor executor = new VirtualThreadTaskExecutor("httpclient-");
        builder = builder.withHttpClientCustomizer(client -> client.executor(executor));
      }
      Duration deadline = properties.deadline();
      if (deadline != null) {
        builder = builder.withBlockingClientCustomizer(client -> client.timeout(deadline));
      }
      Duration lease = properties.queueTimeout();
      if (lease != null) {
        builder = builder.withBlockingClientCustomizer(client -> client.queueTimeout(lease));
      }
      if (properties.maxConnectionsPerRoute() != null) {
        int max = properties.maxConnectionsPerRoute();
        builder =
            builder.withBlockingClientCustomizer(client -> client.maxConnectionsPerOrigin(max));
      }
      return Customizers.apply(
          customizers.orderedStream().toList(), builder, ClientHttpRequestFactoryBuilder.jdk());
    }

    private static Version version(Http2 http2) {
      return switch (http2) {
        case NEVER -> Version.HTTP_1_1;
        case NEGOTIATE -> Version.HTTP_2;
        case ALWAYS ->
            throw new InvalidConfigurationPropertyValueException(
                "heddle.http.client.http2",
                "always",
                "The JDK's client cannot speak HTTP/2 without asking: negotiate, or use Apache's or"
                    + " Jetty's client.");
      };
    }

    static final class Wanted extends OnFactory {
      Wanted() {
        super(ImperativeHttpClientsProperties.Factory.JDK);
      }
    }
  }

  private static void refuseMaxConnections(HeddleHttpClientProperties properties) {
    if (properties.maxConnections() != null) {
      throw new InvalidConfigurationPropertyValueException(
          "heddle.http.client.max-connections",
          properties.maxConnections(),
          "Only Apache's client has such a limit: set max-connections-per-route.");
    }
  }

  /** True if this client is asked for, or none. */
  abstract static class OnFactory implements Condition {
    private final ImperativeHttpClientsProperties.Factory mine;

    OnFactory(ImperativeHttpClientsProperties.Factory mine) {
      this.mine = mine;
    }

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      ImperativeHttpClientsProperties.Factory asked = factory(context.getEnvironment());
      return asked == null || asked == mine;
    }
  }
}
