package io.heddle.ahc;

import io.heddle.core.Deadline;
import io.heddle.core.Signal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.asynchttpclient.ListenableFuture;

/**
 * The future of a request, for callers that block on it. To give up waiting is to give up the
 * request: a {@link #get()} that is interrupted, and a {@link #get(long, TimeUnit)} that is over,
 * cancel it. Who only wants to look asks {@link #isDone()}, or waits on {@link
 * #toCompletableFuture()}, which cancels nothing.
 *
 * <p>Any number of threads may wait.
 */
abstract class AhcFuture<T> implements ListenableFuture<T> {

  private final BlockingAhcClient client;
  private final CompletableFuture<T> outcome;

  AhcFuture(BlockingAhcClient client, CompletableFuture<T> outcome) {
    this.client = client;
    this.outcome = outcome;
  }

  /** That of a request which has no exchange of ours: the handshake of a WebSocket. */
  static final class OfEngine<T> extends AhcFuture<T> {
    private final ListenableFuture<T> engines;

    OfEngine(BlockingAhcClient client, ListenableFuture<T> engines) {
      super(client, engines.toCompletableFuture());
      this.engines = engines;
    }

    @Override
    void cancelRequest() {
      engines.cancel(true);
    }

    @Override
    public void abort(Throwable failure) {
      engines.abort(failure);
    }

    @Override
    public void done() {
      engines.done();
    }

    @Override
    public void touch() {
      engines.touch();
    }
  }

  /** The future was cancelled: gives the request up, and tells its handler. */
  abstract void cancelRequest();

  /** Nothing came in the time that the caller had. */
  void timedOut() {}

  @Override
  public T get() throws InterruptedException, ExecutionException {
    await(Deadline.none());
    return outcome.get();
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!await(Deadline.afterNanos(Math.max(0, unit.toNanos(timeout)))) && cancel(true)) {
      timedOut();
      throw new TimeoutException("no response within " + timeout + " " + unit);
    }
    return outcome.get();
  }

  /** Waits until it is done, and says whether it is; what has come beats an interrupt. */
  @SuppressWarnings("FutureReturnValueIgnored") // it never fails
  private boolean await(Deadline deadline) throws InterruptedException {
    if (outcome.isDone()) {
      return true;
    }
    client.engine().forbidWaiting();
    Signal done = new Signal();
    outcome.whenComplete((result, failure) -> done.raise());
    try {
      return done.await(deadline);
    } catch (InterruptedException e) {
      if (cancel(true)) {
        throw e;
      }
      Thread.currentThread().interrupt();
      return true;
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    if (!outcome.cancel(false)) {
      return false;
    }
    cancelRequest();
    return true;
  }

  @Override
  public boolean isCancelled() {
    return outcome.isCancelled();
  }

  @Override
  public boolean isDone() {
    return outcome.isDone();
  }

  @Override
  @SuppressWarnings({"NullAway", "FutureReturnValueIgnored"}) // AHC: no executor is the caller's
  public ListenableFuture<T> addListener(Runnable listener, Executor exec) {
    Executor on = exec == null ? Runnable::run : exec;
    outcome.whenCompleteAsync((result, failure) -> listener.run(), on);
    return this;
  }

  @Override
  public CompletableFuture<T> toCompletableFuture() {
    return outcome;
  }

  @Override
  public String toString() {
    return "AhcFuture[" + outcome + "]";
  }
}
