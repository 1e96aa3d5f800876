package io.heddle.ahc;

import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
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
final class AhcFuture<T> implements ListenableFuture<T> {

  /** What the future can do to its request. */
  interface Control {

    /** While there is no request yet. */
    Control NOTHING =
        new Control() {
          @Override
          public void cancel() {}

          @Override
          public void abort(Throwable failure) {}

          @Override
          public void done() {}

          @Override
          public void touch() {}
        };

    /** Gives the request up, and tells its handler. */
    void cancel();

    void abort(Throwable failure);

    void done();

    void touch();

    /** Nothing came in the time that the caller had. */
    default void timedOut() {}
  }

  /** For a request that has no exchange of ours: the handshake of a WebSocket. */
  record OfEngine(ListenableFuture<?> future) implements Control {
    @Override
    public void cancel() {
      future.cancel(true);
    }

    @Override
    public void abort(Throwable failure) {
      future.abort(failure);
    }

    @Override
    public void done() {
      future.done();
    }

    @Override
    public void touch() {
      future.touch();
    }
  }

  private final BlockingAhcClient client;
  private final CompletableFuture<T> outcome;
  private volatile Control control;

  AhcFuture(BlockingAhcClient client, CompletableFuture<T> outcome, Control control) {
    this.client = client;
    this.outcome = outcome;
    this.control = control;
  }

  /** The request has begun anew. */
  void control(Control anew) {
    control = anew;
    if (outcome.isCancelled()) {
      anew.cancel();
    }
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    if (!outcome.isDone()) {
      try {
        done(Deadline.none());
      } catch (InterruptedException e) {
        cancel(true);
        throw e;
      }
    }
    return outcome.get();
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!outcome.isDone()) {
      try {
        if (!done(Deadline.afterNanos(Math.max(0, unit.toNanos(timeout)))) && cancel(true)) {
          control.timedOut();
          throw new TimeoutException("no response within " + timeout + " " + unit);
        }
      } catch (InterruptedException e) {
        cancel(true);
        throw e;
      }
    }
    return outcome.get();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it never fails
  private boolean done(Deadline deadline) throws InterruptedException {
    client.forbidWaiting();
    Exchange<Boolean> turn = new Exchange<>();
    outcome.whenComplete((result, failure) -> turn.complete(true));
    return turn.awaitDone(deadline);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    if (!outcome.cancel(false)) {
      return false;
    }
    control.cancel();
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
  public void abort(Throwable failure) {
    control.abort(failure);
  }

  @Override
  public void done() {
    control.done();
  }

  @Override
  public void touch() {
    control.touch();
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
