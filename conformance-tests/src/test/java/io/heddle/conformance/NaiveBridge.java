package io.heddle.conformance;

import io.heddle.DeadlineExceededException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The bridge that one writes first: the call runs on another thread, and the caller gets a future.
 * Who stops waiting for the future leaves the call behind, with its lease; and what the call fails
 * with has the frames of the other thread.
 */
class NaiveBridge extends WrappedDriver {

  @Override
  Reply execute(Attempt attempt) throws Exception {
    return await(start(attempt), null);
  }

  static CompletableFuture<Reply> start(Attempt attempt) {
    CompletableFuture<Reply> future = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("naive")
        .start(
            () -> {
              try {
                future.complete(attempt.right().execute());
              } catch (Throwable t) {
                future.completeExceptionally(t);
              }
            });
    return future;
  }

  /**
   * Waits for the call.
   *
   * @param deadline null if there is none
   */
  static Reply await(CompletableFuture<Reply> future, @Nullable Duration deadline)
      throws Exception {
    try {
      return deadline == null ? future.get() : future.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (TimeoutException e) {
      throw new DeadlineExceededException("the deadline is over");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
