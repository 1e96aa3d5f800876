package io.heddle.conformance;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread that makes a call, and how that ended.
 *
 * @param <T> what it brings
 */
final class Caller<T> {

  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);

  // Written by the thread before it ends.
  private volatile @Nullable T result;
  private volatile @Nullable Throwable failure;
  private volatile boolean interrupted;
  private volatile long endedAt;

  Caller(Thread.Builder kind, Callable<T> work) {
    thread =
        kind.name("caller")
            .unstarted(
                () -> {
                  try {
                    result = work.call();
                  } catch (Throwable t) {
                    failure = t;
                  }
                  endedAt = System.nanoTime();
                  interrupted = Thread.currentThread().isInterrupted();
                  ended.countDown();
                });
  }

  Caller<T> start() {
    thread.start();
    return this;
  }

  Thread thread() {
    return thread;
  }

  boolean isDone() {
    return ended.getCount() == 0;
  }

  /** Whether the work has ended with an exception. */
  boolean hasFailed() {
    return failure != null;
  }

  /** Whether the thread's interrupt flag was set when the work ended. */
  boolean isInterruptedAtEnd() {
    return interrupted;
  }

  /** When the work ended, by {@link System#nanoTime()}. */
  long endedAt() {
    return endedAt;
  }

  /** What the thread brought; fails if it failed, or does not end in time. */
  @SuppressWarnings("NullAway") // null only where T allows it
  T result(Duration within) {
    join(within);
    Throwable failed = failure;
    if (failed != null) {
      throw new AssertionError("the call failed: " + failed, failed);
    }
    return result;
  }

  /** What the thread failed with; fails if it did not, or does not end in time. */
  Throwable failure(Duration within) {
    join(within);
    Throwable failed = failure;
    if (failed == null) {
      throw new AssertionError("the call succeeded, with " + result);
    }
    return failed;
  }

  /**
   * Waits until the thread waits for something, for some looks in a row. Gives up on a thread that
   * never does: it waits in native code, or spins, which is for other rules to tell.
   */
  void awaitWaiting() {
    int[] inARow = {0};
    Bounds.holds(
        Bounds.patient(Duration.ofMillis(300)),
        () -> {
          Thread.State state = thread.getState();
          boolean waits = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
          inARow[0] = waits ? inARow[0] + 1 : 0;
          return inARow[0] >= 10 || isDone();
        });
  }

  private void join(Duration within) {
    try {
      if (!ended.await(within.toNanos(), TimeUnit.NANOSECONDS)) {
        AssertionError hangs =
            new AssertionError("the call has not ended within " + within.toMillis() + " ms");
        hangs.setStackTrace(thread.getStackTrace()); // where it stands
        throw hangs;
      }
    } catch (InterruptedException e) {
      throw new AssertionError("the rule was interrupted", e);
    }
  }
}
