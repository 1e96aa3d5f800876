package io.heddle.jdk;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a {@link BlockingJdkHttpClient} that differs from {@link BlockingJdkHttpClient#wrap}. */
public final class BlockingJdkHttpClientBuilder {

  final HttpClient client;
  int maxConnections = Integer.MAX_VALUE;
  int lookUps = 8;
  @Nullable Duration timeout;
  @Nullable Duration queueTimeout;
  @Nullable Duration readTimeout;

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
   * The deadline of a call whose request has no {@link java.net.http.HttpRequest#timeout()} of its
   * own. By default there is none.
   *
   * @param timeout positive
   */
  public BlockingJdkHttpClientBuilder timeout(Duration timeout) {
    this.timeout = positive(timeout, "timeout");
    return this;
  }

  /**
   * How many connections over HTTP/1.1 may be in use to an origin at a time, each from the start of
   * a call to the end of its body. Further callers park, in the order in which they came. Over
   * HTTP/2 calls share one connection, whose streams the server limits. By default without a limit,
   * as in the JDK. A redirected call keeps its place at the origin that it was made for, and takes
   * none at the other. Web sockets are not counted.
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
   * How long a call may wait for a place, be it a connection within the limit or a stream of
   * HTTP/2, before it fails with {@link java.net.http.HttpConnectTimeoutException}. By default
   * until its deadline.
   *
   * @param timeout positive
   */
  public BlockingJdkHttpClientBuilder queueTimeout(Duration timeout) {
    this.queueTimeout = positive(timeout, "queueTimeout");
    return this;
  }

  /**
   * The longest silence of the server before a call fails with {@link
   * java.net.http.HttpTimeoutException}: while its body is being read; and, for a request without a
   * body, before its head, from the start of the call's connecting. By default there is none.
   *
   * @param timeout positive
   */
  public BlockingJdkHttpClientBuilder readTimeout(Duration timeout) {
    this.readTimeout = positive(timeout, "readTimeout");
    return this;
  }

  /**
   * How many names may be looked up at a time, each on a platform thread that ends when idle. 8 by
   * default.
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

  /** The client. */
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
