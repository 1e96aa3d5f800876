package io.heddle.bench.load;

import io.heddle.bench.contestants.Mode;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The threads that make blocking calls: one for each call in flight. */
public final class Callers implements AutoCloseable {

  private final ExecutorService executor;

  private Callers(ExecutorService executor) {
    this.executor = executor;
  }

  /** Platform threads, which are used again, for the mode that is about them; else virtual ones. */
  public static Callers forMode(Mode mode) {
    return new Callers(
        mode == Mode.STOCK_PLATFORM
            ? Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name("caller-", 0).factory())
            : Executors.newVirtualThreadPerTaskExecutor());
  }

  /**
   * Runs this on a thread of its own, now.
   *
   * @throws Error if there is no thread to be had
   */
  public void start(Runnable work) {
    executor.execute(work);
  }

  /** Interrupts those that still run, and does not wait for them. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
