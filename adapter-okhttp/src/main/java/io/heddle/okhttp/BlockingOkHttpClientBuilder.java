package io.heddle.okhttp;

import io.heddle.InFlightLimit;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link BlockingOkHttpClient} that differs from {@link BlockingOkHttpClient#wrap}: in a
 * limit of calls, the threads they run on, or the context that they take along.
 */
public final class BlockingOkHttpClientBuilder {

  private final OkHttpClient client;
  private int maxRequests = Integer.MAX_VALUE;
  private int maxConnectionsPerHost = Integer.MAX_VALUE;
  private @Nullable Duration queueTimeout;
  private @Nullable Executor workers;
  private UnaryOperator<Runnable> context = UnaryOperator.identity();

  BlockingOkHttpClientBuilder(OkHttpClient client) {
    this.client = client;
  }

  /**
   * How many calls of {@code execute()} may be under way at a time, each from its start to the end
   * of its response's body. Further callers park, in the order in which they came. Without a limit
   * by default, as in OkHttp, whose dispatcher limits {@code enqueue} alone. Worth setting before
   * JDK 24, where each of these calls holds a platform thread.
   *
   * <p>With a limit, a call that is made within another (by an interceptor or an authenticator)
   * needs a place of its own.
   *
   * @param max at least 1
   */
  public BlockingOkHttpClientBuilder maxRequests(int max) {
    this.maxRequests = positive(max);
    return this;
  }

  /**
   * How many connections {@code execute()} may open to a host, whose callers park while all of them
   * are taken: on HTTP/2, while there are as many streams on each as the server allows. By default
   * without a limit, as in OkHttp.
   *
   * <p>Enqueued calls and web sockets are not counted. A call that was redirected, and finds all
   * connections taken, may open one more. While a call waits, it may ask the cookie jar and the
   * cache, and tell listeners of the choice of a proxy, more than once.
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
   * Threads to run calls on, in place of our own: platform threads before JDK 24, virtual ones from
   * then on. Each call holds one from its start to the end of its response's body. They must take
   * every call at once, so no bounded pool with a queue: bound the calls instead.
   *
   * @param workers stays the user's: a close of the client does not shut it down. Where it rejects
   *     a call, that fails with {@link java.io.InterruptedIOException}, as with a dispatcher's
   */
  public BlockingOkHttpClientBuilder workers(Executor workers) {
    this.workers = Objects.requireNonNull(workers, "workers");
    return this;
  }

  /**
   * Carries context from the caller to the worker, on which interceptors, listeners, authenticators
   * and {@code RequestBody.writeTo} run: thread-locals, an MDC, the span of a trace.
   *
   * <pre>{@code
   * builder.context(work -> {
   *   Map<String, String> mdc = MDC.getCopyOfContextMap(); // on the caller
   *   return () -> {
   *     MDC.setContextMap(mdc);                            // on the worker
   *     try {
   *       work.run();
   *     } finally {
   *       MDC.clear();
   *     }
   *   };
   * });
   * }</pre>
   *
   * @param context called on the caller with the work of a call; what it returns is run on a
   *     worker, and must run that work once
   */
  public BlockingOkHttpClientBuilder context(UnaryOperator<Runnable> context) {
    this.context = Objects.requireNonNull(context, "context");
    return this;
  }

  /** The client. */
  public BlockingOkHttpClient build() {
    OkHttpClient.Builder engine =
        plain(client).socketFactory(new NoDelaySockets(client.socketFactory()));
    engine.networkInterceptors().add(0, CancelCheck.INSTANCE);
    ConnectionGates gates = ConnectionGates.install(engine, client, maxConnectionsPerHost);
    InFlightLimit limit = maxRequests == Integer.MAX_VALUE ? null : new InFlightLimit(maxRequests);
    WorkerDns dns = null;
    if (WorkerThreads.areVirtual()) {
      dns = new WorkerDns(client.dns());
      engine.dns(dns);
    }
    return new BlockingOkHttpClient(
        plain(client),
        engine.build(),
        new CallWorkers(workers, context, limit, gates, queueTimeout, dns));
  }

  /** The client's settings, without what one of ours has put in. */
  private static OkHttpClient.Builder plain(OkHttpClient client) {
    OkHttpClient.Builder builder = client.newBuilder();
    builder.interceptors().removeIf(HandOver.class::isInstance);
    builder.networkInterceptors().removeIf(CancelCheck.class::isInstance);
    return builder;
  }

  private static int positive(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("max < 1: " + max);
    }
    return max;
  }
}
