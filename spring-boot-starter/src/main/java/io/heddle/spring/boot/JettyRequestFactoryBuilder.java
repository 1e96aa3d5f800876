package io.heddle.spring.boot;

import io.heddle.jetty.BlockingJettyClient;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.transport.HttpClientConnectionFactory;
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.ClientConnectionFactoryOverHTTP2;
import org.eclipse.jetty.http2.client.transport.HttpClientTransportOverHTTP2;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.JettyHttpClientBuilder;
import org.springframework.http.client.JettyClientHttpRequestFactory;
import org.springframework.util.ClassUtils;

/**
 * Builds request factories with a {@link BlockingJettyClient}, as Boot's {@code
 * ClientHttpRequestFactoryBuilder.jetty()} does with Jetty's own client.
 *
 * <p>Spring's factory for Jetty keeps the connection of a call that is interrupted. The factories
 * of this builder return it.
 *
 * <p>A client keeps no cookies, unless Boot's {@code cookie-handling} or a customizer that sets a
 * cookie store asks for them: its callers would share them. Boot's own builder has cookies unless
 * told otherwise.
 *
 * <p>Each factory has its own client, which starts with its first request and stops when the
 * factory is destroyed or this builder is closed. Requests after that fail. The builder is
 * immutable except for these clients. Thread-safe.
 */
public final class JettyRequestFactoryBuilder
    implements ClientHttpRequestFactoryBuilder<JettyClientHttpRequestFactory>, AutoCloseable {

  private final Consumer<BlockingJettyClient> clientCustomizer;
  private final @Nullable Duration deadline;
  private final Http2 http2;
  private final Opened<JettyRequestFactory> opened;

  private JettyRequestFactoryBuilder(
      Consumer<BlockingJettyClient> clientCustomizer,
      @Nullable Duration deadline,
      Http2 http2,
      Opened<JettyRequestFactory> opened) {
    this.clientCustomizer = clientCustomizer;
    this.deadline = deadline;
    this.http2 = http2;
    this.opened = opened;
  }

  /** Returns a builder with Boot's and Heddle's defaults. */
  public static JettyRequestFactoryBuilder create() {
    return new JettyRequestFactoryBuilder(
        client -> {}, null, Http2.NEGOTIATE, new Opened<>(JettyRequestFactory::destroy));
  }

  /** Returns a builder that customizes the client, before it starts and after Boot's settings. */
  public JettyRequestFactoryBuilder withHttpClientCustomizer(
      Consumer<BlockingJettyClient> customizer) {
    return new JettyRequestFactoryBuilder(
        clientCustomizer.andThen(customizer), deadline, http2, opened);
  }

  /**
   * Returns a builder with a deadline over each call. Without a deadline, the read timeout limits
   * the whole call, as in Spring's factory. With one, the read timeout limits the silence of the
   * server.
   *
   * @param timeout positive; null for none
   */
  public JettyRequestFactoryBuilder withDeadline(@Nullable Duration timeout) {
    return new JettyRequestFactoryBuilder(clientCustomizer, timeout, http2, opened);
  }

  /** Returns a builder that uses HTTP/2 as chosen; default {@link Http2#NEGOTIATE}. */
  public JettyRequestFactoryBuilder withHttp2(Http2 choice) {
    return new JettyRequestFactoryBuilder(clientCustomizer, deadline, choice, opened);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if this builder is closed, or if HTTP/2 is requested and Jetty's
   *     HTTP/2 is not present
   */
  @Override
  public JettyClientHttpRequestFactory build(@Nullable HttpClientSettings settings) {
    HttpClientSettings known = settings == null ? HttpClientSettings.defaults() : settings;
    BlockingJettyClient client = client(known);
    clientCustomizer.accept(client);
    JettyRequestFactory factory = new JettyRequestFactory(client, deadline, opened::forget);
    if (known.connectTimeout() != null) {
      factory.setConnectTimeout(known.connectTimeout());
    }
    if (known.readTimeout() != null) {
      factory.setReadTimeout(known.readTimeout());
    }
    return opened.add(factory);
  }

  /** Stops the clients of all factories. No factory can be built from now on. */
  @Override
  public void close() {
    opened.close();
  }

  /** Boot makes a client of Jetty's, which never starts: what it has set there is taken over. */
  private BlockingJettyClient client(HttpClientSettings settings) {
    AtomicReference<HttpClientTransport> transport = new AtomicReference<>();
    HttpClient boot =
        new JettyHttpClientBuilder()
            .withHttpClientTransportFactory(this::transport)
            .withHttpClientTransportCustomizer(transport::set)
            .build(settings.withTimeouts(null, null));
    BlockingJettyClient client = new BlockingJettyClient(Objects.requireNonNull(transport.get()));
    client.setFollowRedirects(boot.isFollowRedirects());
    client.setHttpCookieStore(
        settings.cookieHandling() == null
            ? new HttpCookieStore.Empty()
            : boot.getHttpCookieStore());
    if (settings.inetAddressFilter() != null) {
      boot.setSocketAddressResolver(new SocketAddressResolver.Sync()); // which adds the filter
      client.setSocketAddressResolver(boot.getSocketAddressResolver());
    }
    return client;
  }

  private HttpClientTransport transport(ClientConnector connector) {
    return switch (http2) {
      case NEVER -> new HttpClientTransportOverHTTP(connector);
      case NEGOTIATE ->
          isThere("http2.client.transport.ClientConnectionFactoryOverHTTP2")
                  && isThere("alpn.java.client.JDK9ClientALPNProcessor")
              ? WithHttp2.negotiated(connector)
              : new HttpClientTransportOverHTTP(connector);
      case ALWAYS -> {
        if (!isThere("http2.client.transport.HttpClientTransportOverHTTP2")) {
          throw new IllegalStateException(
              "HTTP/2 with Jetty needs org.eclipse.jetty.http2:jetty-http2-client-transport");
        }
        yield WithHttp2.only(connector);
      }
    };
  }

  private static boolean isThere(String name) {
    return ClassUtils.isPresent(
        "org.eclipse.jetty." + name, JettyRequestFactoryBuilder.class.getClassLoader());
  }

  /** Loaded only where Jetty's HTTP/2 is. */
  private static final class WithHttp2 {

    static HttpClientTransport negotiated(ClientConnector connector) {
      return new HttpClientTransportDynamic(
          connector,
          HttpClientConnectionFactory.HTTP11,
          new ClientConnectionFactoryOverHTTP2.HTTP2(new HTTP2Client(connector)));
    }

    static HttpClientTransport only(ClientConnector connector) {
      return new HttpClientTransportOverHTTP2(new HTTP2Client(connector));
    }
  }
}
