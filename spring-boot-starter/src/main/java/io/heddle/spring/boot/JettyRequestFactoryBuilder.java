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
 * Builds request factories over a {@link BlockingJettyClient}, as Boot's {@code
 * ClientHttpRequestFactoryBuilder.jetty()} does over Jetty's own client.
 *
 * <p>Spring's factory for Jetty reads through a listener of its own, which leaves the connection
 * taken when a call is interrupted; the factories of this builder read through Heddle's, and give
 * it back.
 *
 * <p>Each factory has a client of its own, which starts with its first request, and stops when this
 * is closed. Immutable but for these clients; thread-safe.
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

  /** A builder with Boot's and Heddle's defaults. */
  public static JettyRequestFactoryBuilder create() {
    return new JettyRequestFactoryBuilder(
        client -> {}, null, Http2.NEGOTIATE, new Opened<>(JettyRequestFactory::destroy));
  }

  /** With a change to the client, before it starts and after Boot's settings are put there. */
  public JettyRequestFactoryBuilder withHttpClientCustomizer(
      Consumer<BlockingJettyClient> customizer) {
    return new JettyRequestFactoryBuilder(
        clientCustomizer.andThen(customizer), deadline, http2, opened);
  }

  /**
   * With a deadline over each call. Without one the read timeout is the limit of the whole call, as
   * in Spring's factory; with one it is that of a silence.
   *
   * @param timeout positive; null for none
   */
  public JettyRequestFactoryBuilder withDeadline(@Nullable Duration timeout) {
    return new JettyRequestFactoryBuilder(clientCustomizer, timeout, http2, opened);
  }

  /** With this choice of protocol; {@link Http2#NEGOTIATE} unless set. */
  public JettyRequestFactoryBuilder withHttp2(Http2 choice) {
    return new JettyRequestFactoryBuilder(clientCustomizer, deadline, choice, opened);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if this is closed, or if Jetty's HTTP/2 is asked for and not
   *     there
   */
  @Override
  public JettyClientHttpRequestFactory build(@Nullable HttpClientSettings settings) {
    HttpClientSettings known = settings == null ? HttpClientSettings.defaults() : settings;
    BlockingJettyClient client = client(known);
    clientCustomizer.accept(client);
    JettyRequestFactory factory = new JettyRequestFactory(client, deadline);
    if (known.connectTimeout() != null) {
      factory.setConnectTimeout(known.connectTimeout());
    }
    if (known.readTimeout() != null) {
      factory.setReadTimeout(known.readTimeout());
    }
    return opened.add(factory);
  }

  /** Stops every client that a factory has; nothing can be built from now on. */
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
    if (settings.cookieHandling() != null) {
      client.setHttpCookieStore(boot.getHttpCookieStore());
    }
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
