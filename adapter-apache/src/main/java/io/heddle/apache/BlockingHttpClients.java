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
 * Creates Apache's classic clients for virtual threads, as {@link
 * org.apache.hc.client5.http.impl.classic.HttpClients} does for platform threads.
 *
 * <pre>{@code
 * CloseableHttpClient client = BlockingHttpClients.custom()   // was: HttpClients.custom()
 *     .setUserAgent("orders/1.0")                             // everything else stays
 *     .build();
 * }</pre>
 *
 * <p>The builders are Apache's own. They hold a {@link BlockingConnectionManager} with its default
 * configuration; to configure it, set another one. Build only one client from a builder: two would
 * share, and close, one connection manager.
 */
public final class BlockingHttpClients {

  private BlockingHttpClients() {}

  /** Creates a client with the default configuration. */
  public static CloseableHttpClient createDefault() {
    return custom().build();
  }

  /** Creates a client configured by system properties, like {@code HttpClients.createSystem()}. */
  public static CloseableHttpClient createSystem() {
    return custom().useSystemProperties().build();
  }

  /**
   * Returns a builder. Its clients have no deadline, except for requests that use {@link
   * CallDeadline#set}.
   */
  public static HttpClientBuilder custom() {
    return custom(Timeout.DISABLED);
  }

  /**
   * Returns a builder whose clients enforce a deadline on each call, see {@link CallDeadline}.
   *
   * @param deadline counted from the start of a call; {@link Timeout#DISABLED} for none
   */
  public static HttpClientBuilder custom(Timeout deadline) {
    DecidedTls tls = new DecidedTls();
    return prepare(new Builder(tls), deadline)
        .setConnectionManager(BlockingConnectionManager.builder().setTlsStrategy(tls).build());
  }

  /**
   * Prepares a builder that a framework has created as {@link #custom(Timeout)} prepares its own:
   * deadlines that retries respect too, bodies that keep failing once they have failed, and
   * exceptions that say why there was no response.
   *
   * <p>Set a {@link BlockingConnectionManager} on the builder as well: this method does not.
   * Settings made after this call override it.
   *
   * @param deadline counted from the start of a call; {@link Timeout#DISABLED} for none
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
   * Apache's handlers leave the lease of a call that ends by an Error, and where a request is
   * aborted between two of their steps, the second misses its connection. Our own builder has this
   * outside of all others; {@link CallDeadline} has it where a framework builds the client.
   */
  static ClassicHttpResponse endingOnError(
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
