package io.heddle.spring.boot;

import io.heddle.jdk.BlockingJdkHttpClient;
import io.heddle.jdk.BlockingJdkHttpClientBuilder;
import java.lang.ref.WeakReference;
import java.net.http.HttpClient;
import java.util.function.Consumer;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpClientSettings;
import org.springframework.boot.http.client.JdkHttpClientBuilder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.http.client.JdkClientHttpRequestFactory;

/**
 * Builds request factories with the JDK's client, like Boot's {@code
 * ClientHttpRequestFactoryBuilder.jdk()}, wrapped in a {@link BlockingJdkHttpClient}.
 *
 * <p>A client keeps no cookies, unless Boot's {@code cookie-handling} or a customizer that sets a
 * {@code CookieHandler} asks for them, as with Boot's own builder.
 *
 * <p>Each factory has its own client, which ends with its last user, or when this builder is
 * closed. The builder is immutable except for these clients. Thread-safe.
 */
public final class JdkRequestFactoryBuilder
    implements ClientHttpRequestFactoryBuilder<JdkClientHttpRequestFactory>, AutoCloseable {

  private final Consumer<HttpClient.Builder> clientCustomizer;
  private final Consumer<BlockingJdkHttpClientBuilder> blockingCustomizer;
  private final Opened<WeakReference<BlockingJdkHttpClient>> opened;

  private JdkRequestFactoryBuilder(
      Consumer<HttpClient.Builder> clientCustomizer,
      Consumer<BlockingJdkHttpClientBuilder> blockingCustomizer,
      Opened<WeakReference<BlockingJdkHttpClient>> opened) {
    this.clientCustomizer = clientCustomizer;
    this.blockingCustomizer = blockingCustomizer;
    this.opened = opened;
  }

  /** Returns a builder with Boot's and Heddle's defaults. */
  public static JdkRequestFactoryBuilder create() {
    return new JdkRequestFactoryBuilder(
        client -> {},
        blocking -> {},
        new Opened<>(JdkRequestFactoryBuilder::shutdown, client -> client.refersTo(null)));
  }

  private static void shutdown(WeakReference<BlockingJdkHttpClient> client) {
    BlockingJdkHttpClient open = client.get();
    if (open != null) {
      open.shutdownNow();
    }
  }

  /** Returns a builder that customizes the JDK's client. */
  public JdkRequestFactoryBuilder withHttpClientCustomizer(
      Consumer<HttpClient.Builder> customizer) {
    return new JdkRequestFactoryBuilder(
        clientCustomizer.andThen(customizer), blockingCustomizer, opened);
  }

  /** Returns a builder that customizes Heddle's client: a deadline, limits. */
  public JdkRequestFactoryBuilder withBlockingClientCustomizer(
      Consumer<BlockingJdkHttpClientBuilder> customizer) {
    return new JdkRequestFactoryBuilder(
        clientCustomizer, blockingCustomizer.andThen(customizer), opened);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if this builder is closed
   */
  @Override
  public JdkClientHttpRequestFactory build(@Nullable HttpClientSettings settings) {
    HttpClientSettings known = settings == null ? HttpClientSettings.defaults() : settings;
    HttpClient jdk =
        new JdkHttpClientBuilder()
            .withCustomizer(client -> allowHttp2(client, known.sslBundle()))
            .withCustomizer(clientCustomizer)
            .build(known.withReadTimeout(null));
    BlockingJdkHttpClientBuilder builder = BlockingJdkHttpClient.builder(jdk);
    blockingCustomizer.accept(builder);
    BlockingJdkHttpClient client = builder.build();
    opened.add(new WeakReference<>(client));
    JdkClientHttpRequestFactory factory = new JdkClientHttpRequestFactory(client);
    if (known.readTimeout() != null) {
      factory.setReadTimeout(known.readTimeout());
    }
    return factory;
  }

  /**
   * Names the versions of TLS where the bundle does not: Boot leaves them out, and the JDK asks for
   * HTTP/2 only where 1.2 or 1.3 is among those that are named. Seen in JDK 21 and 25.
   */
  private static void allowHttp2(HttpClient.Builder client, @Nullable SslBundle bundle) {
    if (bundle != null && bundle.getOptions().getEnabledProtocols() == null) {
      SSLParameters parameters = bundle.createSslContext().getDefaultSSLParameters();
      if (bundle.getOptions().getCiphers() != null) {
        parameters.setCipherSuites(bundle.getOptions().getCiphers());
      }
      client.sslParameters(parameters);
    }
  }

  /** Closes the clients of all factories. No factory can be built from now on. */
  @Override
  public void close() {
    opened.close();
  }
}
