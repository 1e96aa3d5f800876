package io.heddle.apache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Callers on virtual threads. */
final class Threads {

  private static final long PATIENCE_SECONDS = 20;

  private Threads() {}

  /** Makes so many calls at once, each on a virtual thread, and returns what they returned. */
  static <T> List<T> callAtOnce(int callers, Callable<T> call) throws Exception {
    return callAtOnce(callers, call, () -> "");
  }

  /**
   * The same.
   *
   * @param state is told of if a call does not end
   */
  static <T> List<T> callAtOnce(int callers, Callable<T> call, Supplier<String> state)
      throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        futures.add(threads.submit(call));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> each : futures) {
        try {
          results.add(each.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (TimeoutException e) {
          String told = state.get();
          threads.shutdownNow(); // or its close would wait
          throw new AssertionError("a call has not ended: " + told, e);
        }
      }
      return results;
    }
  }

  /** Waits until a thread waits for something, with a time or without. */
  static void awaitParked(String what, Thread thread) throws InterruptedException {
    await(
        what,
        () ->
            thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING);
  }

  /** Waits until a condition holds. */
  static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not so: " + what);
      }
      Thread.sleep(5);
    }
  }
}
