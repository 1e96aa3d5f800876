package io.heddle.spring.boot;

import io.heddle.apache.BlockingConnectionManager;
import io.heddle.apache.BlockingConnectionManagerBuilder;
import io.heddle.apache.BlockingHttpClients;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.hc.client5.http.cookie.BasicCookieStore;
import org.apache.hc.client5.http.cookie.Cookie;
import org.apache.hc.client5.http.cookie.CookieStore;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;

/**
 * Builds request factories with Apache's client, like Boot's {@code
 * ClientHttpRequestFactoryBuilder.httpComponents()}, with Heddle's connection manager instead of
 * Apache's.
 *
 * <p>It applies Boot's settings (timeouts, redirects, cookies, SSL bundle) and what customizers of
 * Boot's builder set, including those for {@code PoolingHttpClientConnectionManagerBuilder}. There
 * are three limits:
 *
 * <ul>
 *   <li>A {@code TlsSocketStrategy} must also be a {@code TlsStrategy}, as {@code
 *       DefaultClientTlsStrategy} is.
 *   <li>A {@code ManagedHttpClientConnection} factory has no effect.
 *   <li>A customizer that sets a connection manager replaces Heddle's.
 * </ul>
 *
 * <p>A client keeps no cookies, unless Boot's {@code cookie-handling} or a customizer (a cookie
 * store on the client's builder, a cookie spec in {@code withDefaultRequestConfigCustomizer}) asks
 * for them: its callers would share them. Boot's own builder has cookies unless told otherwise.
 *
 * <p>Factories built with equal settings share one connection manager, and so their connections.
 * Each has its own client. The connection manager is closed when the last of these factories is
 * destroyed, or with {@link #close}. Apart from that the builder is immutable. Thread-safe.
 */
public final class ApacheRequestFactoryBuilder
    implements ClientHttpRequestFactoryBuilder<HttpComponentsClientHttpRequestFactory>,
        AutoCloseable {

  /** What this thread builds: Boot's builder hands our customizer nothing but the client's. */
  private static final ThreadLocal<@Nullable Build> BUILD = new ThreadLocal<>();

  private final HttpComponentsClientHttpRequestFactoryBuilder boot;
  private final Consumer<BlockingConnectionManagerBuilder> managerCustomizer;
  private final Timeout deadline;
  private final Http2 http2;
  private final Opened<BlockingConnectionManager> opened;

  /** Those of this configuration. Their users are the clients that are not closed. */
  private final Shared<HttpClientSettings, BlockingConnectionManager> managers =
      new Shared<>(this::closeUnused);

  private ApacheRequestFactoryBuilder(
      HttpComponentsClientHttpRequestFactoryBuilder boot,
      Consumer<BlockingConnectionManagerBuilder> managerCustomizer,
      Timeout deadline,
      Http2 http2,
      Opened<BlockingConnectionManager> opened) {
    this.boot = boot;
    this.managerCustomizer = managerCustomizer;
    this.deadline = deadline;
    this.http2 = http2;
    this.opened = opened;
  }

  /** Returns a builder with Boot's and Heddle's defaults. */
  public static ApacheRequestFactoryBuilder create() {
    return new ApacheRequestFactoryBuilder(
        // The first customizer: what the others set comes after it, and so counts.
        ClientHttpRequestFactoryBuilder.httpComponents()
            .withHttpClientCustomizer(client -> prepare(client, BUILD.get())),
        manager -> {},
        Timeout.DISABLED,
        Http2.NEGOTIATE,
        new Opened<>(BlockingConnectionManager::close));
  }

  private static void prepare(HttpClientBuilder client, @Nullable Build build) {
    if (build != null) { // else somebody builds with Boot's part alone
      build.prepare(client);
    }
  }

  /** Boot's part of this. */
  HttpComponentsClientHttpRequestFactoryBuilder boot() {
    return boot;
  }

  /**
   * Returns a builder with a change to Boot's builder, for example {@code b ->
   * b.withHttpClientCustomizer(..)}.
   */
  public ApacheRequestFactoryBuilder with(
      UnaryOperator<HttpComponentsClientHttpRequestFactoryBuilder> change) {
    return new ApacheRequestFactoryBuilder(
        change.apply(boot), managerCustomizer, deadline, http2, opened);
  }

  /** Returns a builder that customizes Heddle's connection manager, after Boot's settings. */
  public ApacheRequestFactoryBuilder withConnectionManagerCustomizer(
      Consumer<BlockingConnectionManagerBuilder> customizer) {
    return new ApacheRequestFactoryBuilder(
        boot, managerCustomizer.andThen(customizer), deadline, http2, opened);
  }

  /**
   * Returns a builder with a deadline over each call, see {@link io.heddle.apache.CallDeadline}.
   *
   * @param timeout positive; null for none
   */
  public ApacheRequestFactoryBuilder withDeadline(@Nullable Duration timeout) {
    return new ApacheRequestFactoryBuilder(
        boot,
        managerCustomizer,
        timeout == null ? Timeout.DISABLED : Timeout.of(timeout),
        http2,
        opened);
  }

  /** Returns a builder that uses HTTP/2 as chosen; default {@link Http2#NEGOTIATE}. */
  public ApacheRequestFactoryBuilder withHttp2(Http2 choice) {
    return new ApacheRequestFactoryBuilder(boot, managerCustomizer, deadline, choice, opened);
  }

  @Override
  public ApacheRequestFactoryBuilder withCustomizer(
      Consumer<HttpComponentsClientHttpRequestFactory> customizer) {
    return withCustomizers(List.of(customizer));
  }

  @Override
  public ApacheRequestFactoryBuilder withCustomizers(
      Collection<Consumer<HttpComponentsClientHttpRequestFactory>> customizers) {
    return with(builder -> builder.withCustomizers(customizers));
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if this builder is closed, or if a customizer has set something
   *     that Heddle's connection manager does not support
   */
  @Override
  public HttpComponentsClientHttpRequestFactory build(@Nullable HttpClientSettings settings) {
    opened.requireOpen();
    Build now = new Build(settings == null ? HttpClientSettings.defaults() : settings);
    Build outer = BUILD.get(); // whose customizer builds this one
    BUILD.set(now);
    boolean built = false;
    try {
      HttpComponentsClientHttpRequestFactory factory =
          boot.withSocketConfigCustomizer(socket -> now.socketConfig = socket.build())
              .withDefaultRequestConfigCustomizer(
                  request -> now.cookieSpec = request.build().getCookieSpec())
              .withConnectionManagerCustomizer(pool -> now.pool = pool)
              .build(now.settings);
      built = true;
      return factory;
    } finally {
      if (outer == null) {
        BUILD.remove();
      } else {
        BUILD.set(outer);
      }
      if (!built) { // so nobody has a client to close
        now.release();
      }
    }
  }

  /** Closes every connection of the factories. Their calls fail from now on. */
  @Override
  public void close() {
    opened.close();
  }

  /** Tells of each connection manager: of those that are there, at once. */
  void onOpen(Opened.Listener<BlockingConnectionManager> listener) {
    opened.onOpen(listener);
  }

  private void closeUnused(BlockingConnectionManager unused) {
    opened.forget(unused);
    unused.close();
  }

  private static CookieStore noCookies() {
    return new BasicCookieStore() {
      @Override
      public void addCookie(Cookie cookie) {}
    };
  }

  /** One factory being built: Boot first makes its own pool, then the client. */
  private final class Build {
    final HttpClientSettings settings;
    @Nullable SocketConfig socketConfig;
    @Nullable PoolingHttpClientConnectionManagerBuilder pool;

    /** Null if neither Boot's settings nor a customizer says anything of cookies. */
    @Nullable String cookieSpec;

    /** True from the lease until the client is closed, or cannot be built. */
    final AtomicBoolean leased = new AtomicBoolean();

    Build(HttpClientSettings settings) {
      this.settings = settings;
    }

    void prepare(HttpClientBuilder client) {
      BlockingConnectionManager manager = managers.lease(settings, this::open);
      leased.set(true);
      BlockingHttpClients.prepare(client, deadline)
          .setConnectionManager(manager)
          .setConnectionManagerShared(true);
      ApacheInternals.onClose(client, this::release);
      if (cookieSpec == null) {
        client.setDefaultCookieStore(noCookies());
      }
    }

    private BlockingConnectionManager open() {
      BlockingConnectionManagerBuilder manager =
          BlockingConnectionManager.builder().setDefaultSocketConfig(socketConfig);
      if (pool != null) {
        ApacheInternals.copy(pool, http2, manager);
      }
      managerCustomizer.accept(manager);
      return opened.add(manager.build());
    }

    void release() {
      if (leased.compareAndSet(true, false)) {
        managers.release(settings);
      }
    }
  }
}
