package io.heddle.jdk;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Objects;

/**
 * Builds a {@link BlockingJdkHttpClient} with settings that {@link BlockingJdkHttpClient#wrap} does
 * not offer.
 */
public final class BlockingJdkHttpClientBuilder {

  /** A deadline after so long is none. */
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

  final HttpClient client;
  int maxConnections = Integer.MAX_VALUE;
  int lookUps = 8;
  Duration timeout = FOREVER;
  Duration queueTimeout = FOREVER;
  Duration readTimeout = FOREVER;

  BlockingJdkHttpClientBuilder(HttpClient client) {
    this.client = Objects.requireNonNull(client, "client");
    if (client instanceof BlockingJdkHttpClient) {
      throw new IllegalArgumentException(
          "the client is a BlockingJdkHttpClient: give the client that it wraps");
    }
    if (client.isTerminated()) {
      throw new IllegalArgumentException("the client is closed: build a new one");
    }
  }

  /**
   * Sets the deadline of calls whose request has no {@link java.net.http.HttpRequest#timeout()}.
   * None by default.
   *
   * @param timeout positive
   */
  public BlockingJdkHttpClientBuilder timeout(Duration timeout) {
    this.timeout = positive(timeout, "timeout");
    return this;
  }

  /**
   * Limits the HTTP/1.1 connections to an origin that may be in use at a time, each from the start
   * of a call to the end of its body. Further callers park, in order of arrival. No limit by
   * default, as in the JDK.
   *
   * <p>Over HTTP/2 calls share one connection, whose streams the server limits. A redirected call
   * counts at the origin that it was made for, and not at the other. Web sockets are not counted.
   *
   * @param max at least 1
   */
  public BlockingJdkHttpClientBuilder maxConnectionsPerOrigin(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("maxConnectionsPerOrigin < 1: " + max);
    }
    this.maxConnections = max;
    return this;
  }

  /**
   * Sets how long a call may wait for a connection within the limit, or for an HTTP/2 stream,
   * before it fails with {@link java.net.http.HttpConnectTimeoutException}. By default until its
   * deadline.
   *
   * @param timeout positive
   */
  public BlockingJdkHttpClientBuilder queueTimeout(Duration timeout) {
    this.queueTimeout = positive(timeout, "queueTimeout");
    return this;
  }

  /**
   * Sets the longest silence of the server before a call fails with {@link
   * java.net.http.HttpTimeoutException}: from the start of connecting to the response headers, but
   * not while a request body is being sent, for which a second is allowed for each 64 KiB; and
   * while the response body is read. None by default.
   *
   * @param timeout positive
   */
  public BlockingJdkHttpClientBuilder readTimeout(Duration timeout) {
    this.readTimeout = positive(timeout, "readTimeout");
    return this;
  }

  /**
   * Limits concurrent DNS lookups, each of which runs on a platform thread that ends when idle.
   * Default 8.
   *
   * @param max at least 1
   */
  public BlockingJdkHttpClientBuilder maxLookUps(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("maxLookUps < 1: " + max);
    }
    this.lookUps = max;
    return this;
  }

  /** Builds the client. */
  public BlockingJdkHttpClient build() {
    return new BlockingJdkHttpClient(this);
  }

  private static Duration positive(Duration duration, String name) {
    if (duration.isNegative() || duration.isZero()) { // as in HttpRequest.Builder.timeout
      throw new IllegalArgumentException(name + " must be positive: " + duration);
    }
    return duration;
  }
}
