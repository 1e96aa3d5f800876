package io.heddle.apache;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.Objects;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.NamedElementChain;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Apache's classic clients for virtual threads; what {@link
 * org.apache.hc.client5.http.impl.classic.HttpClients} is for platform threads.
 *
 * <pre>{@code
 * CloseableHttpClient client = BlockingHttpClients.custom()   // was: HttpClients.custom()
 *     .setUserAgent("orders/1.0")                             // everything else stays
 *     .build();
 * }</pre>
 *
 * <p>The builders are Apache's own. They come with a {@link BlockingConnectionManager} in its
 * default configuration; set another of that class to configure it. One builder makes one client:
 * two made from it would share, and close, its connection manager.
 */
public final class BlockingHttpClients {

  private BlockingHttpClients() {}

  /** A client in its default configuration. */
  public static CloseableHttpClient createDefault() {
    return custom().build();
  }

  /** A client configured by system properties, as {@code HttpClients.createSystem} reads them. */
  public static CloseableHttpClient createSystem() {
    return custom().useSystemProperties().build();
  }

  /** A builder whose clients have no deadline but what {@link CallDeadline#set} asks for. */
  public static HttpClientBuilder custom() {
    return custom(Timeout.DISABLED);
  }

  /**
   * A builder whose clients end each call after this time, see {@link CallDeadline}.
   *
   * @param deadline from the start of a call; disabled for none
   */
  public static HttpClientBuilder custom(Timeout deadline) {
    DecidedTls tls = new DecidedTls();
    return prepare(new Builder(tls), deadline)
        .setConnectionManager(BlockingConnectionManager.builder().setTlsStrategy(tls).build());
  }

  /**
   * Gives a builder that a framework has made what {@link #custom(Timeout)} has besides a {@link
   * BlockingConnectionManager}: deadlines, which retries heed too, bodies that keep failing once
   * they have failed, and why there was no response. Set such a manager as well. What is set after
   * this counts.
   *
   * @param deadline from the start of a call; disabled for none
   * @return the builder
   */
  public static HttpClientBuilder prepare(HttpClientBuilder builder, Timeout deadline) {
    return builder
        .setRetryStrategy(new RetryInTime(DefaultHttpRequestRetryStrategy.INSTANCE))
        .addExecInterceptorFirst("heddle-no-response", new NoResponseCause())
        .addExecInterceptorFirst("heddle-failed-bodies", new FailedBodies())
        .addExecInterceptorFirst("heddle-deadline", new CallDeadline(deadline));
  }

  /** Apache's, whose {@code useSystemProperties()} holds for TLS too, as without our manager. */
  private static final class Builder extends HttpClientBuilder {
    private final DecidedTls tls;

    Builder(DecidedTls tls) {
      this.tls = tls;
    }

    @Override
    public CloseableHttpClient build() {
      boolean systemProperties = ApacheInternals.usesSystemProperties(this);
      tls.strategy = BlockingConnectionManagerBuilder.defaultTls(systemProperties);
      return super.build();
    }

    @Override
    protected void customizeExecChain(NamedElementChain<ExecChainHandler> handlers) {
      handlers.addFirst(BlockingHttpClients::endingOnError, "heddle-errors");
    }
  }

  /**
   * Outside of all others: Apache's handlers leave the lease of a call that ends by an Error, and
   * where a request is aborted between two of their steps, the second misses its connection.
   */
  private static ClassicHttpResponse endingOnError(
      ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
      throws IOException, HttpException {
    try {
      return chain.proceed(request, scope);
    } catch (Error e) {
      scope.execRuntime.discardEndpoint();
      throw e;
    } catch (IllegalStateException e) {
      if (scope.execRuntime.isExecutionAborted()) {
        throw new RequestFailedException("Request aborted", e); // as between any other two steps
      }
      throw e;
    }
  }

  /** TLS that is decided when the client is built: not before is all known that it depends on. */
  private static final class DecidedTls implements TlsStrategy {
    private volatile @Nullable TlsStrategy strategy;

    private TlsStrategy strategy() {
      return Objects.requireNonNull(strategy, "no client is built yet");
    }

    @Override
    @Deprecated
    public boolean upgrade(
        TransportSecurityLayer session,
        HttpHost host,
        SocketAddress localAddress,
        SocketAddress remoteAddress,
        Object attachment,
        Timeout handshakeTimeout) {
      return strategy()
          .upgrade(session, host, localAddress, remoteAddress, attachment, handshakeTimeout);
    }

    @Override
    public void upgrade(
        TransportSecurityLayer session,
        NamedEndpoint endpoint,
        Object attachment,
        Timeout handshakeTimeout,
        FutureCallback<TransportSecurityLayer> callback) {
      strategy().upgrade(session, endpoint, attachment, handshakeTimeout, callback);
    }
  }
}
