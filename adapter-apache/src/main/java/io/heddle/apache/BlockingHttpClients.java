package io.heddle.apache;

import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.util.Timeout;

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
    return custom()
        .useSystemProperties()
        .setConnectionManager(BlockingConnectionManager.builder().useSystemProperties().build())
        .build();
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
    return HttpClientBuilder.create()
        .setConnectionManager(BlockingConnectionManager.builder().build())
        .setRetryStrategy(new RetryInTime(DefaultHttpRequestRetryStrategy.INSTANCE))
        .addExecInterceptorFirst("heddle-failed-bodies", new FailedBodies())
        .addExecInterceptorFirst("heddle-deadline", new CallDeadline(deadline));
  }
}
