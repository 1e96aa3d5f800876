package io.heddle.core;

import io.heddle.IoThread;

/**
 * An event that comes once, for which one thread waits: a body is written, a worker is gone.
 *
 * <pre>{@code
 * AWAITED ──raise──▶ RAISED   final; a thread in await wakes, and no later wait waits
 * }</pre>
 *
 * <p>Who waits and gives up changes nothing: others may still raise it, and he may wait again.
 *
 * <p>What a thread wrote before {@link #raise} happens-before what follows a wait that it ended.
 */
public final class Signal extends Waiter {

  private volatile boolean raised;

  /** A signal that is not raised. */
  public Signal() {}

  /**
   * Waits for the signal.
   *
   * @return whether it is raised; false if the deadline came first
   * @throws InterruptedException if the thread was interrupted before; the flag is cleared
   * @throws IllegalStateException if another thread waits already, or on an {@link IoThread}
   */
  public boolean await(Deadline deadline) throws InterruptedException {
    Outcome waited = waitUntil(deadline);
    if (waited == Outcome.INTERRUPTED) {
      Thread.interrupted();
      throw new InterruptedException("interrupted while waiting for a signal");
    }
    return raised;
  }

  /**
   * Waits for the signal, on through interrupts, which the thread's flag keeps.
   *
   * @return whether it is raised; false if the deadline came first
   * @throws IllegalStateException if another thread waits already, or on an {@link IoThread}
   */
  public boolean awaitUninterruptibly(Deadline deadline) {
    boolean interrupted = false;
    try {
      while (waitUntil(deadline) == Outcome.INTERRUPTED) {
        interrupted |= Thread.interrupted();
      }
      return raised;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Wakes the thread that waits, if one does. Any thread; never blocks; a second time is none. */
  public void raise() {
    raised = true;
    wake(); // the thread in await
  }

  /** Whether it is raised. */
  public boolean isRaised() {
    return raised;
  }

  @Override
  boolean isReady() {
    return raised;
  }

  @Override
  public String toString() {
    return "Signal[" + (raised ? "raised" : "awaited") + "]";
  }
}
