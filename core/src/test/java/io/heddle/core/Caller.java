package io.heddle.core;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A thread that makes one blocking call, and what became of it. */
final class Caller<T> {

  /** Long enough for a busy machine; no test takes it unless it fails. */
  static final Duration PATIENCE = Duration.ofSeconds(20);

  /** The kinds of threads that callers are. */
  enum Kind {
    VIRTUAL,
    PLATFORM;

    Thread start(Runnable work) {
      return this == VIRTUAL ? Thread.ofVirtual().start(work) : Thread.ofPlatform().start(work);
    }
  }

  /** A failure is a result here: CompletableFuture has ways of its own with cancellation. */
  private record Outcome<T>(@Nullable T result, @Nullable Throwable failure) {}

  private final CompletableFuture<Outcome<T>> outcome = new CompletableFuture<>();
  private final CompletableFuture<Boolean> flagAfterwards = new CompletableFuture<>();
  private final Thread thread;

  private Caller(Kind kind, Callable<? extends T> call) {
    thread =
        kind.start(
            () -> {
              try {
                T result = call.call();
                flagAfterwards.complete(Thread.currentThread().isInterrupted());
                outcome.complete(new Outcome<>(result, null));
              } catch (Throwable t) {
                flagAfterwards.complete(Thread.currentThread().isInterrupted());
                outcome.complete(new Outcome<>(null, t));
              }
            });
  }

  static <T> Caller<T> start(Kind kind, Callable<? extends T> call) {
    return new Caller<>(kind, call);
  }

  Thread thread() {
    return thread;
  }

  /** Returns once the caller is parked. */
  Caller<T> awaitParked() throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
      if (outcome.isDone()) {
        throw new AssertionError("did not wait: " + outcome);
      }
      if (System.nanoTime() > end) {
        throw new AssertionError("not parked: " + thread.getState());
      }
      Thread.sleep(1);
    }
    return this;
  }

  T result() throws Exception {
    Outcome<T> is = outcome.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    if (is.failure() != null) {
      throw new AssertionError("failed", is.failure());
    }
    return Objects.requireNonNull(is.result());
  }

  /** What the call threw. */
  Throwable failure() throws Exception {
    Outcome<T> is = outcome.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    return Objects.requireNonNull(is.failure(), () -> "returned " + is.result());
  }

  /** Whether the thread's interrupt flag was set when the call had returned or thrown. */
  boolean interruptedAfterwards() throws Exception {
    return flagAfterwards.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }
}
