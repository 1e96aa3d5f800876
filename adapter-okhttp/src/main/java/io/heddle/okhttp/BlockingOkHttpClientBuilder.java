package io.heddle.okhttp;

import io.heddle.core.InFlightLimit;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link BlockingOkHttpClient} that differs from {@link BlockingOkHttpClient#wrap}: in a
 * limit of calls, or the threads of its workers.
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
   * How many calls of {@code execute()} may be under way at a time, each from its start to the end
   * of its response's body. Further callers park, in the order in which they came. Without a limit
   * by default, as in OkHttp, whose dispatcher limits {@code enqueue} alone.
   *
   * <p>A call that is made within another of this client on the same thread, by an interceptor or
   * an authenticator, passes: the other may wait for it. The place of a response that is dropped
   * unclosed is free again once the garbage collector has found it, with the next call.
   *
   * @param max at least 1
   */
  public BlockingOkHttpClientBuilder maxRequests(int max) {
    this.maxRequests = positive(max);
    return this;
  }

  /**
   * How many connections calls of {@code execute()} may need to a host at a time: over HTTP/1.1
   * that many calls may be under way, over HTTP/2 that many times the number of streams that the
   * server allows. Further callers park, in the order in which they came. By default without a
   * limit, as in OkHttp.
   *
   * <p>Over HTTP/2 it is as exact as what OkHttp has heard of the server: before the first answer
   * that is one call for each connection; where a connection is lost, OkHttp may open another
   * beside it. A redirected call keeps its place at the host that it was made for, and takes none
   * at the other. A call within another passes, as with {@link #maxRequests}. Enqueued calls and
   * web sockets are not counted.
   *
   * @param max at least 1
   */
  public BlockingOkHttpClientBuilder maxConnectionsPerHost(int max) {
    this.maxConnectionsPerHost = positive(max);
    return this;
  }

  /**
   * How long a call may wait at these limits before it fails with {@link
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
   * Threads for what OkHttp may not do on a caller's thread (see {@link BlockingOkHttpClient}), in
   * place of our own: platform threads before JDK 24, virtual ones from then on. They must take
   * every task at once, so no bounded pool with a queue: bound the calls instead.
   *
   * @param workers stays the user's: a close of the client does not shut it down. Where it rejects
   *     a task, the call fails with {@link java.io.InterruptedIOException}, as with a dispatcher's
   */
  public BlockingOkHttpClientBuilder workers(Executor workers) {
    this.workers = Objects.requireNonNull(workers, "workers");
    return this;
  }

  /** The client. */
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
