package io.heddle.spring.boot;

import io.heddle.apache.BlockingConnectionManagerBuilder;
import java.io.Closeable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.apache.commons.logging.LogFactory;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SchemePortResolver;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.function.Resolver;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ReflectionUtils;

/**
 * What the starter knows of Apache's classes beyond their documentation.
 *
 * <p>Boot, and customizers of an application, put their settings on the builder of Apache's pool,
 * which does not tell them again: its private fields are read. What is to be done when a client is
 * closed, the client's builder takes from its subclasses only. Seen in HttpClient 5.6.4; {@code
 * ApacheInternalsTest} breaks first when Apache changes them.
 */
final class ApacheInternals {

  private static final List<String> FIELDS =
      List.of(
          "connectionFactory",
          "tlsSocketStrategy",
          "schemePortResolver",
          "dnsResolver",
          "poolConcurrencyPolicy",
          "poolReusePolicy",
          "socketConfigResolver",
          "connectionConfigResolver",
          "tlsConfigResolver",
          "maxConnTotal",
          "maxConnPerRoute");

  private ApacheInternals() {}

  /**
   * Puts the settings of Apache's pool on Heddle's.
   *
   * @throws IllegalStateException for one that Heddle's cannot have, if it matters for safety
   */
  static void copy(
      PoolingHttpClientConnectionManagerBuilder pool,
      Http2 http2,
      BlockingConnectionManagerBuilder manager) {
    manager
        .useSystemProperties() // as Boot always has it
        .setTlsStrategy(tls(read(pool, "tlsSocketStrategy")))
        .setSchemePortResolver((SchemePortResolver) read(pool, "schemePortResolver"))
        .setDnsResolver((DnsResolver) read(pool, "dnsResolver"))
        .setPoolConcurrencyPolicy((PoolConcurrencyPolicy) read(pool, "poolConcurrencyPolicy"))
        .setConnPoolPolicy((PoolReusePolicy) read(pool, "poolReusePolicy"))
        .setSocketConfigResolver(resolver(pool, "socket"))
        .setConnectionConfigResolver(resolver(pool, "connection"))
        .setTlsConfigResolver(with(http2, resolver(pool, "tls")));
    if (read(pool, "maxConnTotal") instanceof Integer max && max > 0) {
      manager.setMaxConnTotal(max);
    }
    if (read(pool, "maxConnPerRoute") instanceof Integer max && max > 0) {
      manager.setMaxConnPerRoute(max);
    }
    if (read(pool, "connectionFactory") != null) {
      LogFactory.getLog(ApacheInternals.class)
          .warn(
              "A customizer calls setConnectionFactory(..) on Apache's pool. Heddle's connections"
                  + " are its own; give it the Http1Config and the CharCodingConfig by"
                  + " ApacheRequestFactoryBuilder.withConnectionManagerCustomizer(..).");
    }
  }

  private static @Nullable TlsStrategy tls(@Nullable Object strategy) {
    if (strategy == null || strategy instanceof TlsStrategy) {
      return (TlsStrategy) strategy;
    }
    throw new IllegalStateException(
        strategy.getClass().getName()
            + " is a TlsSocketStrategy, which serves Apache's own pool only: use one that is a"
            + " TlsStrategy too, such as DefaultClientTlsStrategy");
  }

  private static @Nullable Resolver<HttpHost, TlsConfig> with(
      Http2 http2, @Nullable Resolver<HttpHost, TlsConfig> configs) {
    if (http2 == Http2.NEGOTIATE) {
      return configs;
    }
    HttpVersionPolicy policy =
        http2 == Http2.ALWAYS ? HttpVersionPolicy.FORCE_HTTP_2 : HttpVersionPolicy.FORCE_HTTP_1;
    return host -> {
      TlsConfig config = configs == null ? null : configs.resolve(host);
      return TlsConfig.copy(Objects.requireNonNullElse(config, TlsConfig.DEFAULT))
          .setVersionPolicy(policy)
          .build();
    };
  }

  @SuppressWarnings("unchecked") // as the builder declares them
  private static <K, V> @Nullable Resolver<K, V> resolver(
      PoolingHttpClientConnectionManagerBuilder pool, String of) {
    return (Resolver<K, V>) read(pool, of + "ConfigResolver");
  }

  /** Has the client that is being built do this once, when it is closed. */
  static void onClose(HttpClientBuilder client, Closeable action) {
    Method method = addCloseable();
    ReflectionUtils.makeAccessible(method);
    ReflectionUtils.invokeMethod(method, client, action);
  }

  /** Apache's builder has it for its subclasses; Boot makes the builder. */
  static Method addCloseable() {
    Method method =
        ReflectionUtils.findMethod(HttpClientBuilder.class, "addCloseable", Closeable.class);
    if (method == null) {
      throw unknown("HttpClientBuilder has no addCloseable(Closeable)");
    }
    return method;
  }

  private static @Nullable Object read(
      PoolingHttpClientConnectionManagerBuilder pool, String name) {
    Field field = field(name);
    ReflectionUtils.makeAccessible(field);
    return ReflectionUtils.getField(field, pool);
  }

  static Field field(String name) {
    Field field = ReflectionUtils.findField(PoolingHttpClientConnectionManagerBuilder.class, name);
    if (field == null) {
      throw unknown("PoolingHttpClientConnectionManagerBuilder has no " + name);
    }
    return field;
  }

  private static IllegalStateException unknown(String difference) {
    return new IllegalStateException(
        "This version of Apache HttpClient is not known to heddle-spring-boot-starter: "
            + difference);
  }

  /** For native images. */
  static final class Hints implements RuntimeHintsRegistrar {
    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
      FIELDS.forEach(name -> hints.reflection().registerField(field(name)));
      hints.reflection().registerMethod(addCloseable(), ExecutableMode.INVOKE);
    }
  }
}
