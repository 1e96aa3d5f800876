package io.heddle.okhttp;

import io.heddle.core.InFlightLimit;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link BlockingOkHttpClient} with settings that {@link BlockingOkHttpClient#wrap} does
 * not offer: limits of calls and connections, and the threads of its workers.
 */
public final class BlockingOkHttpClientBuilder {

  private final OkHttpClient client;
  private int maxRequests = Integer.MAX_VALUE;
  private int maxConnectionsPerHost = Integer.MAX_VALUE;
  private @Nullable Duration queueTimeout;
  private @Nullable Executor workers;

  BlockingOkHttpClientBuilder(OkHttpClient client) {
    this.client = client;
  }

  /**
   * Limits the number of calls of {@code execute()} that may run at a time, each from its start to
   * the end of its response body. Further callers park, in order of arrival. No limit by default,
   * as in OkHttp, whose dispatcher limits {@code enqueue} only.
   *
   * <p>A call that an interceptor or authenticator makes within another call of this client, on the
   * same thread, ignores the limit, because the outer call may wait for it. If a response is
   * dropped unclosed, its place becomes free once the garbage collector has found it.
   *
   * @param max at least 1
   */
  public BlockingOkHttpClientBuilder maxRequests(int max) {
    this.maxRequests = positive(max);
    return this;
  }

  /**
   * Limits the number of connections per host that calls of {@code execute()} may need at a time.
   * Over HTTP/1.1, that many calls may run; over HTTP/2, that many times the number of streams that
   * the server allows. Further callers park, in order of arrival. No limit by default, as in
   * OkHttp.
   *
   * <p>Over HTTP/2 the limit is as exact as OkHttp's knowledge of the server. Before the first
   * response that is one call per connection. If a connection is lost, OkHttp may open another one
   * beside it. A redirected call counts at the host that it was made for, and not at the other. A
   * nested call ignores the limit, as with {@link #maxRequests}. Enqueued calls and web sockets are
   * not counted.
   *
   * @param max at least 1
   */
  public BlockingOkHttpClientBuilder maxConnectionsPerHost(int max) {
    this.maxConnectionsPerHost = positive(max);
    return this;
  }

  /**
   * Sets how long a call may wait at these limits before it fails with {@link
   * java.net.SocketTimeoutException}. By default until its call timeout.
   *
   * @param timeout not negative
   */
  public BlockingOkHttpClientBuilder queueTimeout(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("negative timeout: " + timeout);
    }
    this.queueTimeout = timeout;
    return this;
  }

  /**
   * Sets the threads for what must not run on a caller's thread (see {@link BlockingOkHttpClient}).
   * By default platform threads before JDK 24, and virtual threads from then on. The executor must
   * start every task at once: do not use a bounded pool with a queue, but limit the calls.
   *
   * @param workers not shut down by the client's close. If it rejects a task, the call fails with
   *     {@link java.io.InterruptedIOException}, as with a dispatcher's executor
   */
  public BlockingOkHttpClientBuilder workers(Executor workers) {
    this.workers = Objects.requireNonNull(workers, "workers");
    return this;
  }

  /** Builds the client. */
  public BlockingOkHttpClient build() {
    OkHttpClient plain = CallEngine.strip(client).build();
    CallEngine engine =
        new CallEngine(
            plain,
            workers,
            maxRequests == Integer.MAX_VALUE ? null : new InFlightLimit(maxRequests),
            maxConnectionsPerHost == Integer.MAX_VALUE
                ? null
                : new HostLimits(maxConnectionsPerHost, plain.protocols()),
            queueTimeout);
    OkHttpClient.Builder calls = plain.newBuilder();
    engine.install(calls, plain);
    return new BlockingOkHttpClient(plain.newBuilder(), calls.build(), engine);
  }

  private static int positive(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("max < 1: " + max);
    }
    return max;
  }
}
