package io.heddle.apache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Callers on virtual threads. */
final class Threads {

  private static final long PATIENCE_SECONDS = 20;

  private Threads() {}

  /** Makes so many calls at once, each on a virtual thread, and returns what they returned. */
  static <T> List<T> callAtOnce(int callers, Callable<T> call) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        futures.add(threads.submit(call));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> each : futures) {
        results.add(each.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
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
