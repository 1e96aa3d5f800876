package io.heddle.okhttp;

import io.heddle.Canceller;
import io.heddle.Deadline;
import io.heddle.Exchange;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Where the calls of one client run: its workers, the limit of calls if there is one, and the calls
 * that are under way, so that a close can end them.
 */
final class CallWorkers implements AutoCloseable {

  private final Executor threads;
  private final boolean isOwn;
  private final UnaryOperator<Runnable> context;
  private final @Nullable CallLimit limit;
  private final Deadlines queueTimeout;
  private final @Nullable WorkerDns dns;

  private final Set<Canceller> underWay = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** A timeout that starts anew with each call. */
  private record Deadlines(@Nullable Duration timeout) {
    Deadline start() {
      return timeout == null ? Deadline.none() : Deadline.after(timeout);
    }
  }

  /**
   * Workers.
   *
   * @param threads null for those that are right on this runtime
   * @param context wraps the work of each call, on the caller
   * @param queueTimeout for a call that waits at the limit; null for none
   * @param dns to be closed with them; null if look-ups need no threads of their own
   */
  CallWorkers(
      @Nullable Executor threads,
      UnaryOperator<Runnable> context,
      @Nullable CallLimit limit,
      @Nullable Duration queueTimeout,
      @Nullable WorkerDns dns) {
    this.isOwn = threads == null;
    this.threads = threads == null ? WorkerThreads.start() : threads;
    this.context = context;
    this.limit = limit;
    this.queueTimeout = new Deadlines(queueTimeout);
    this.dns = dns;
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * A call begins.
   *
   * @param call to be cancelled by a close
   * @throws IOException if the workers are closed
   */
  void enter(Canceller call) throws IOException {
    underWay.add(call);
    if (closed) { // looked at after the call was added
      underWay.remove(call);
      throw new IOException("the client is closed");
    }
  }

  /** A call that {@link #enter entered} is over. */
  void leave(Canceller call) {
    underWay.remove(call);
  }

  /** Asks for the right to make a call to this host; null if there is no limit. */
  @Nullable Exchange<CallLimit.Permit> queue(String host) {
    return limit == null ? null : limit.acquire(host);
  }

  /** Waits for the turn of a call. */
  CallLimit.Permit await(Exchange<CallLimit.Permit> turn, Deadline deadline) throws IOException {
    try {
      return turn.await(deadline.earlier(queueTimeout.start()));
    } catch (InterruptedException e) {
      throw OkHttpFailures.interrupted(e);
    } catch (TimeoutException e) {
      throw deadline.isExpired()
          ? OkHttpFailures.timedOut(e)
          : OkHttpFailures.caused(
              new SocketTimeoutException("too many calls: none ended in time"), e);
    } catch (CancellationException e) {
      throw OkHttpFailures.cancelled(e);
    } catch (ExecutionException e) {
      throw new AssertionError("a turn does not fail", e);
    }
  }

  /**
   * Starts an exchange on a worker.
   *
   * @throws IOException if the user's own executor takes no more
   */
  void start(OkHttpExchange exchange) throws IOException {
    try {
      threads.execute(context.apply(exchange));
    } catch (RejectedExecutionException e) {
      throw OkHttpFailures.caused(new InterruptedIOException("executor rejected"), e);
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    for (Canceller each : underWay) {
      each.cancel();
    }
    if (dns != null) {
      dns.close();
    }
    if (isOwn && threads instanceof ExecutorService pool) {
      pool.shutdown(); // its threads end as soon as OkHttp lets go of them
    }
  }
}
