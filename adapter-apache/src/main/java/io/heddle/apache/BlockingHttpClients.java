package io.heddle.apache;

import java.io.IOException;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.config.NamedElementChain;
import org.apache.hc.core5.util.Timeout;

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
 * <p>The builders are Apache's own. Each client that they build has a {@link
 * BlockingConnectionManager} of its own with the default configuration; to configure it, set one on
 * the builder, as with Apache. The clients of one builder share, and close, a manager that is set.
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
    ApacheInternals.requireRecent();
    return prepare(new Builder(), deadline);
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

  /** Apache's, whose clients have our connection manager where no other is set. */
  private static final class Builder extends HttpClientBuilder {

    @Override
    public CloseableHttpClient build() {
      if (getConnManager() != null) {
        return super.build();
      }
      BlockingConnectionManagerBuilder manager = BlockingConnectionManager.builder();
      if (ApacheInternals.usesSystemProperties(this)) {
        manager.useSystemProperties();
      }
      setConnectionManager(manager.build());
      try {
        return super.build();
      } finally {
        setConnectionManager(null); // the next client has another one
      }
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
}
