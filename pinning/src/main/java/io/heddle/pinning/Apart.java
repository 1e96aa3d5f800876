package io.heddle.pinning;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A call on a platform thread of its own, so that no interrupt of the caller can reach it.
 *
 * <p>JFR copies its files through channels, which an interrupt closes. And on a virtual caller its
 * file access could add a carrier to those that are being counted.
 */
final class Apart {

  private Apart() {}

  /** Calls, and waits as long as it takes; an interrupt meanwhile is kept for the caller. */
  static <T> T call(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform()
        .daemon()
        .name("heddle-pinning")
        .inheritInheritableThreadLocals(false)
        .start(task);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException("the pinning recorder failed: " + e.getCause(), e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
