package io.heddle.apache;

import java.util.Objects;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.SchemePortResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.DefaultSchemePortResolver;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.function.Resolver;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.config.H2Config;
import org.apache.hc.core5.pool.DisposalCallback;
import org.apache.hc.core5.pool.LaxConnPool;
import org.apache.hc.core5.pool.ManagedConnPool;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.pool.RouteSegmentedConnPool;
import org.apache.hc.core5.pool.StrictConnPool;
import org.apache.hc.core5.reactor.ssl.SSLBufferMode;
import org.apache.hc.core5.util.TimeValue;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link BlockingConnectionManager}. It has the setters of the classic {@code
 * PoolingHttpClientConnectionManagerBuilder}, under the same names, and further ones for the
 * asynchronous engine.
 *
 * <p>Not thread-safe. Null resets a setting to its default.
 */
public final class BlockingConnectionManagerBuilder {

  /** Of a session buffer, of which an HTTP/1.1 connection has three for as long as it lives. */
  private static final int HTTP1_BUFFER = 2 * 1024;

  /** What a server may send of one response before its caller reads. */
  private static final int WINDOW = 256 * 1024;

  private @Nullable TlsStrategy tlsStrategy;
  private @Nullable DnsResolver dnsResolver;
  private @Nullable SchemePortResolver schemePortResolver;
  private @Nullable PoolConcurrencyPolicy poolConcurrencyPolicy;
  private @Nullable PoolReusePolicy poolReusePolicy;
  private @Nullable Integer maxConnTotal;
  private @Nullable Integer maxConnPerRoute;
  private @Nullable SocketConfig socketConfig;
  private @Nullable Resolver<HttpRoute, SocketConfig> socketConfigs;
  private @Nullable Resolver<HttpRoute, ConnectionConfig> connectionConfigs;
  private @Nullable Resolver<HttpHost, TlsConfig> tlsConfigs;
  private @Nullable Http1Config http1Config;
  private @Nullable H2Config h2Config;
  private @Nullable CharCodingConfig charCodingConfig;
  private int ioThreads = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4);
  private int resolverThreads = 16;
  private boolean systemProperties;

  BlockingConnectionManagerBuilder() {
    ApacheInternals.requireRecent();
  }

  /**
   * Sets how connections are secured. {@code DefaultClientTlsStrategy} works for the classic pool
   * and for this one.
   */
  public BlockingConnectionManagerBuilder setTlsStrategy(@Nullable TlsStrategy tlsStrategy) {
    this.tlsStrategy = tlsStrategy;
    return this;
  }

  /** Sets the DNS resolver. It runs on one of the manager's resolver threads. */
  public BlockingConnectionManagerBuilder setDnsResolver(@Nullable DnsResolver dnsResolver) {
    this.dnsResolver = dnsResolver;
    return this;
  }

  /** Sets the default port of each scheme. */
  public BlockingConnectionManagerBuilder setSchemePortResolver(
      @Nullable SchemePortResolver schemePortResolver) {
    this.schemePortResolver = schemePortResolver;
    return this;
  }

  /**
   * Sets how strictly the pool enforces its limits: {@code STRICT} (the default), {@code LAX} or
   * {@code OFFLOCK}, as Apache defines them. Avoid {@code OFFLOCK}, which Apache calls
   * experimental: a call that waits for a place may wait for its whole timeout, although one has
   * become free.
   */
  public BlockingConnectionManagerBuilder setPoolConcurrencyPolicy(
      @Nullable PoolConcurrencyPolicy poolConcurrencyPolicy) {
    this.poolConcurrencyPolicy = poolConcurrencyPolicy;
    return this;
  }

  /** Sets which idle connection is reused first: {@code LIFO} (the default) or {@code FIFO}. */
  public BlockingConnectionManagerBuilder setConnPoolPolicy(
      @Nullable PoolReusePolicy poolReusePolicy) {
    this.poolReusePolicy = poolReusePolicy;
    return this;
  }

  /**
   * Sets the maximum number of connections in total; default {@value
   * BlockingConnectionManager#DEFAULT_MAX_TOTAL}.
   *
   * @throws IllegalArgumentException if not positive
   */
  public BlockingConnectionManagerBuilder setMaxConnTotal(int maxConnTotal) {
    this.maxConnTotal = positive(maxConnTotal, "maxConnTotal");
    return this;
  }

  /**
   * Sets the maximum number of connections per route; default {@value
   * BlockingConnectionManager#DEFAULT_MAX_PER_ROUTE}. An HTTP/2 connection carries as many calls as
   * the server allows.
   *
   * @throws IllegalArgumentException if not positive
   */
  public BlockingConnectionManagerBuilder setMaxConnPerRoute(int maxConnPerRoute) {
    this.maxConnPerRoute = positive(maxConnPerRoute, "maxConnPerRoute");
    return this;
  }

  /**
   * Sets the socket options, and the timeout of a wait for the peer if no other timeout is set.
   *
   * <p>If it names a SOCKS proxy, {@link #build} asks the JVM's {@link java.net.Authenticator} for
   * a user and a password, and the proxy gets them if it wants them. The stock client asks for each
   * connection, once the proxy wants them: so install the Authenticator before you call {@code
   * build}.
   */
  public BlockingConnectionManagerBuilder setDefaultSocketConfig(@Nullable SocketConfig config) {
    this.socketConfig = config;
    return this;
  }

  /**
   * Sets the socket options by route; null for the default. They are applied once TCP is connected.
   * A SOCKS proxy and TCP keep-alive intervals belong to the reactor: only the default socket
   * configuration sets them.
   */
  public BlockingConnectionManagerBuilder setSocketConfigResolver(
      @Nullable Resolver<HttpRoute, SocketConfig> socketConfigResolver) {
    this.socketConfigs = socketConfigResolver;
    return this;
  }

  /** Sets timeouts, time to live and validation of connections. */
  public BlockingConnectionManagerBuilder setDefaultConnectionConfig(
      @Nullable ConnectionConfig config) {
    this.connectionConfigs = config == null ? null : route -> config;
    return this;
  }

  /** Sets timeouts, time to live and validation of connections by route; null for the default. */
  public BlockingConnectionManagerBuilder setConnectionConfigResolver(
      @Nullable Resolver<HttpRoute, ConnectionConfig> connectionConfigResolver) {
    this.connectionConfigs = connectionConfigResolver;
    return this;
  }

  /** Sets TLS versions, ciphers, the handshake timeout and the HTTP version policy. */
  public BlockingConnectionManagerBuilder setDefaultTlsConfig(@Nullable TlsConfig config) {
    this.tlsConfigs = config == null ? null : host -> config;
    return this;
  }

  /**
   * Sets TLS versions, ciphers, the handshake timeout and the HTTP version policy by host; null for
   * the default.
   */
  public BlockingConnectionManagerBuilder setTlsConfigResolver(
      @Nullable Resolver<HttpHost, TlsConfig> tlsConfigResolver) {
    this.tlsConfigs = tlsConfigResolver;
    return this;
  }

  /**
   * Sets the HTTP version, like {@code setDefaultTlsConfig} with this policy. By default it is
   * negotiated over TLS, and HTTP/1.1 without TLS. {@link HttpVersionPolicy#FORCE_HTTP_2} uses
   * HTTP/2 with prior knowledge.
   */
  public BlockingConnectionManagerBuilder setVersionPolicy(HttpVersionPolicy versionPolicy) {
    return setDefaultTlsConfig(TlsConfig.custom().setVersionPolicy(versionPolicy).build());
  }

  /**
   * Sets HTTP/1.1 limits and buffers. By default a buffer has 2 KiB (Apache: 32 KiB). Each
   * connection holds three buffers, also while a call waits on it. They grow for longer message
   * heads; long bodies bypass them.
   */
  public BlockingConnectionManagerBuilder setHttp1Config(@Nullable Http1Config http1Config) {
    this.http1Config = http1Config;
    return this;
  }

  /** Sets HTTP/2 settings. Server push is always off, because the classic API cannot receive it. */
  public BlockingConnectionManagerBuilder setH2Config(@Nullable H2Config h2Config) {
    this.h2Config = h2Config;
    return this;
  }

  /** Sets the character encoding of message heads. */
  public BlockingConnectionManagerBuilder setCharCodingConfig(
      @Nullable CharCodingConfig charCodingConfig) {
    this.charCodingConfig = charCodingConfig;
    return this;
  }

  /**
   * Sets the number of I/O threads. The default is half the number of processors, at least 1 and at
   * most 4. With one I/O thread for each of two processors, callers of one thread at times wait for
   * those of the other.
   *
   * @throws IllegalArgumentException if not positive
   */
  public BlockingConnectionManagerBuilder setIoThreadCount(int ioThreads) {
    this.ioThreads = positive(ioThreads, "ioThreads");
    return this;
  }

  /**
   * Sets the maximum number of concurrent DNS lookups; default 16.
   *
   * @throws IllegalArgumentException if not positive
   */
  public BlockingConnectionManagerBuilder setResolverThreadCount(int resolverThreads) {
    this.resolverThreads = positive(resolverThreads, "resolverThreads");
    return this;
  }

  /**
   * Takes TLS and the limits of connections, where they are not set, from system properties, as the
   * classic pool's builder does: with {@code http.maxConnections}, and unless {@code
   * http.keepAlive} is {@code false}, so many connections per route and twice as many in total.
   * Without that property the limits are this builder's own.
   */
  public BlockingConnectionManagerBuilder useSystemProperties() {
    this.systemProperties = true;
    return this;
  }

  private static int positive(int value, String name) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be positive: " + value);
    }
    return value;
  }

  /** Builds the manager. It has no thread and no socket before its first connection. */
  public BlockingConnectionManager build() {
    ConnectionOpener opener =
        new ConnectionOpener(
            new ProtocolStarter(http1(), h2(), charCoding()),
            tls(),
            Objects.requireNonNullElse(schemePortResolver, DefaultSchemePortResolver.INSTANCE),
            Objects.requireNonNullElse(dnsResolver, SystemDefaultDnsResolver.INSTANCE),
            Objects.requireNonNullElse(socketConfig, SocketConfig.DEFAULT),
            ioThreads,
            resolverThreads);
    Integer max = systemMaxConnections();
    int total =
        firstOf(
            maxConnTotal,
            max == null ? null : 2 * max,
            BlockingConnectionManager.DEFAULT_MAX_TOTAL);
    int perRoute = firstOf(maxConnPerRoute, max, BlockingConnectionManager.DEFAULT_MAX_PER_ROUTE);
    BlockingConnectionManager manager =
        new BlockingConnectionManager(pool(total, perRoute), opener);
    manager.setMaxTotal(total);
    manager.setDefaultMaxPerRoute(perRoute);
    manager.setSocketConfigResolver(socketConfigs);
    manager.setConnectionConfigResolver(connectionConfigs);
    manager.setTlsConfigResolver(tlsConfigs);
    return manager;
  }

  private @Nullable Integer systemMaxConnections() {
    return systemProperties && !"false".equalsIgnoreCase(System.getProperty("http.keepAlive"))
        ? Integer.getInteger("http.maxConnections")
        : null;
  }

  private static int firstOf(@Nullable Integer set, @Nullable Integer system, int standard) {
    return Objects.requireNonNullElse(set, Objects.requireNonNullElse(system, standard));
  }

  private TlsStrategy tls() {
    if (tlsStrategy != null) {
      return tlsStrategy;
    }
    ClientTlsStrategyBuilder builder =
        ClientTlsStrategyBuilder.create()
            .setSslBufferMode(SSLBufferMode.DYNAMIC); // an idle connection holds none
    if (systemProperties) {
      builder.useSystemProperties();
    }
    return builder.buildAsync();
  }

  private Http1Config http1() {
    return http1Config != null
        ? http1Config
        : Http1Config.custom().setBufferSize(HTTP1_BUFFER).setInitialWindowSize(WINDOW).build();
  }

  private H2Config h2() {
    H2Config.Builder builder =
        h2Config != null ? H2Config.copy(h2Config) : H2Config.custom().setInitialWindowSize(WINDOW);
    return builder.setPushEnabled(false).build();
  }

  private CharCodingConfig charCoding() {
    return Objects.requireNonNullElse(charCodingConfig, CharCodingConfig.DEFAULT);
  }

  private ManagedConnPool<HttpRoute, ReactorConnection> pool(int total, int perRoute) {
    PoolConcurrencyPolicy policy =
        Objects.requireNonNullElse(poolConcurrencyPolicy, PoolConcurrencyPolicy.STRICT);
    TimeValue noLimit = TimeValue.NEG_ONE_MILLISECOND; // see ConnectionConfig.getTimeToLive
    DisposalCallback<ReactorConnection> disposal = ReactorConnection::disposeOf;
    if (policy == PoolConcurrencyPolicy.LAX) {
      return new LaxConnPool<>(perRoute, noLimit, poolReusePolicy, disposal, null);
    }
    if (policy == PoolConcurrencyPolicy.OFFLOCK) {
      return new RouteSegmentedConnPool<>(perRoute, total, noLimit, poolReusePolicy, disposal);
    }
    return new StrictConnPool<>(perRoute, total, noLimit, poolReusePolicy, disposal, null);
  }
}
