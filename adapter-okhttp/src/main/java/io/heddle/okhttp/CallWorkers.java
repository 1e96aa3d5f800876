package io.heddle.okhttp;

import io.heddle.Canceller;
import io.heddle.Deadline;
import io.heddle.InFlightLimit;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Where the calls of one client run: its workers, the limits if there are any, and the calls that
 * are under way, so that a close can end them.
 */
final class CallWorkers implements AutoCloseable {

  private final Executor threads;
  private final boolean isOwn;
  private final UnaryOperator<Runnable> context;
  private final @Nullable InFlightLimit limit;
  private final @Nullable ConnectionGates gates;
  private final @Nullable Duration queueTimeout;
  private final @Nullable WorkerDns dns;

  private final Set<Canceller> underWay = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Workers.
   *
   * @param threads null for those that are right on this runtime
   * @param context wraps the work of each call, on the caller
   * @param limit of all calls; null for none
   * @param gates where calls wait for connections; null if they never do
   * @param queueTimeout for a call that waits at either; null for none
   * @param dns to be closed with them; null if look-ups need no threads of their own
   */
  CallWorkers(
      @Nullable Executor threads,
      UnaryOperator<Runnable> context,
      @Nullable InFlightLimit limit,
      @Nullable ConnectionGates gates,
      @Nullable Duration queueTimeout,
      @Nullable WorkerDns dns) {
    this.isOwn = threads == null;
    this.threads = threads == null ? WorkerThreads.start() : threads;
    this.context = context;
    this.limit = limit;
    this.gates = gates;
    this.queueTimeout = queueTimeout;
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

  /** The limit of all calls; null if there is none. */
  @Nullable InFlightLimit limit() {
    return limit;
  }

  /** Where calls wait for connections; null if they never do. */
  @Nullable ConnectionGates gates() {
    return gates;
  }

  /** How long a call may wait for its turn, from now. */
  Deadline lease() {
    return queueTimeout == null ? Deadline.none() : Deadline.after(queueTimeout);
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
