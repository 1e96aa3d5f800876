package io.heddle.core;

import io.heddle.IoThread;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request to an asynchronous library, and its outcome, for which one caller waits.
 *
 * <pre>{@code
 * WAITING ──complete──▶ COMPLETED   the caller gets the result
 *    │ ├─────fail─────▶ FAILED      the caller gets the failure
 *    │ └────abandon───▶ ABANDONED   by the caller's interrupt or deadline, or by cancel();
 *    │                              the canceller runs, once
 *    └ the last three are final: a later
 *        complete   hands its result to the disposer, on its own thread
 *        fail       does nothing: nobody is left to be told
 *        abandon    does nothing: a completion beats an interrupt that arrives with it
 * }</pre>
 *
 * <p>One compare-and-set decides each race; it does not matter which thread completes, or whether
 * it does so before the caller waits, or from within the start of the call. A caller that is woken
 * by an interrupt and finds the exchange completed returns the result, with its interrupt flag
 * still set.
 *
 * <p>What the completing thread wrote before {@link #complete} or {@link #fail} happens-before what
 * the caller does after {@link #await}.
 *
 * @param <R> what the caller waits for: a lease, a connection, the head of a response
 */
public final class Exchange<R extends @Nullable Object> extends EndState {

  /** What it ends as where it ends as neither a result nor a {@link Failure}. */
  private enum Mark {
    NULL,
    ABANDONED
  }

  /** What {@link #canceller} holds once it had its turn. */
  private enum Spent implements Canceller {
    SPENT;

    @Override
    public void cancel() {}
  }

  private static final VarHandle CANCELLER;

  static {
    try {
      CANCELLER =
          MethodHandles.lookup().findVarHandle(Exchange.class, "canceller", Canceller.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable Consumer<? super R> disposer;

  // Shared, under compare-and-set: null until there is one, SPENT once it had its turn.
  private volatile @Nullable Canceller canceller;

  /** An exchange whose late result needs no disposal. */
  public Exchange() {
    this(null);
  }

  /**
   * An exchange whose late result holds something that must be given back.
   *
   * @param disposer takes each result that no caller will get, on the thread that brought it; it
   *     must neither wait nor throw; null if there is nothing to do
   */
  public Exchange(@Nullable Consumer<? super R> disposer) {
    this.disposer = disposer;
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Says how to abort the exchange in its library, once its start has told. If it was abandoned
   * before, the canceller runs here and now; if it is completed, never.
   *
   * @throws IllegalStateException if there is a canceller already
   */
  public void onAbandon(Canceller canceller) {
    if (!CANCELLER.compareAndSet(this, null, canceller)) {
      if (this.canceller != Spent.SPENT) {
        throw new IllegalStateException("this exchange has a canceller already");
      }
      canceller.cancel();
    }
  }

  /**
   * Waits for the outcome.
   *
   * @return the result
   * @throws InterruptedException if the caller was interrupted before the outcome was there; the
   *     exchange is abandoned, the flag cleared
   * @throws TimeoutException if the deadline came first; the exchange is abandoned
   * @throws ExecutionException if the library reported a failure, which is the cause
   * @throws CancellationException if the exchange was {@linkplain #cancel() cancelled}, or
   *     abandoned by an earlier call of this method
   * @throws IllegalStateException if another thread waits already, or on an {@link IoThread}
   */
  public R await(Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    Outcome waited = waitUntil(deadline);
    if (waited == Outcome.INTERRUPTED && cancel()) {
      Thread.interrupted(); // the exception carries it on
      throw new InterruptedException("interrupted while waiting for an exchange");
    }
    if (waited == Outcome.EXPIRED && cancel()) {
      throw new TimeoutException("the deadline of an exchange is over");
    }
    return outcome();
  }

  /**
   * Waits for the outcome without giving up: where it ends without one, the exchange goes on.
   *
   * @return whether the outcome is there, so that {@link #await} will not wait
   * @throws InterruptedException if the caller was interrupted before the outcome was there; the
   *     flag is cleared
   * @throws IllegalStateException if another thread waits already, or on an {@link IoThread}
   */
  public boolean awaitDone(Deadline deadline) throws InterruptedException {
    return waitInterruptibly(deadline, "an exchange");
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  /**
   * Brings the result and wakes the caller. Never blocks; may come at any time, on any thread.
   *
   * @return whether this was the outcome; if not, the result went to the disposer
   */
  public boolean complete(R result) {
    if (endAs(result == null ? Mark.NULL : result)) { // wakes the caller in await
      return true;
    }
    if (disposer != null) {
      CallEvent.late(result);
      disposer.accept(result);
    }
    return false;
  }

  /**
   * Brings a failure and wakes the caller. Never blocks; may come at any time, on any thread.
   *
   * @return whether this was the outcome
   */
  public boolean fail(Throwable failure) {
    return endAs(new Failure(failure)); // wakes the caller in await
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** Whether there is an outcome, be it that the exchange was abandoned. */
  public boolean isDone() {
    return ending() != null;
  }

  /**
   * Abandons the exchange: a waiting caller gets a {@link CancellationException}, the library is
   * told to abort.
   *
   * @return whether this ended it; false if it had an outcome already
   */
  public boolean cancel() {
    if (!endAs(Mark.ABANDONED)) { // wakes a caller in await, if another thread cancels
      return false;
    }
    Canceller abort = (Canceller) CANCELLER.getAndSet(this, Spent.SPENT);
    if (abort != null) {
      abort.cancel();
    }
    return true;
  }

  @Override
  boolean isReady() {
    return ending() != null;
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // NULL stands for a null that R allows
  private R outcome() throws ExecutionException {
    Object is = ending();
    if (is == Mark.ABANDONED) {
      throw new CancellationException("the exchange was cancelled");
    }
    if (is instanceof Failure failure) {
      throw new ExecutionException(failure.cause());
    }
    return is == Mark.NULL ? null : (R) is;
  }

  @Override
  public String toString() {
    Object is = ending();
    String state = is == null ? "waiting" : is == Mark.ABANDONED ? "abandoned" : "completed";
    if (is instanceof Failure failure) {
      state = "failed: " + failure.cause();
    }
    return "Exchange[" + state + "]";
  }
}
