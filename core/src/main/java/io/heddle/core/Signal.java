package io.heddle.core;

import io.heddle.IoThread;

/**
 * An event that comes once, for which one thread waits: a body is written, a worker is gone.
 *
 * <pre>{@code
 * NOT RAISED ──raise──▶ RAISED   final; a thread in await wakes, and no later wait waits
 * }</pre>
 *
 * <p>A wait that ends early changes nothing: the signal can still be raised, and waited for again.
 *
 * <p>What a thread wrote before {@link #raise} happens-before what follows a wait that it ended, or
 * an {@link #isRaised} that is true.
 */
public final class Signal extends Waiter {

  private volatile boolean raised;

  /** A signal that is not raised. */
  public Signal() {}

  /**
   * Waits for the signal.
   *
   * @return whether it is raised; false if the deadline came first
   * @throws InterruptedException if the thread was interrupted before the signal was seen; the flag
   *     is cleared
   * @throws IllegalStateException if another thread waits already, or on an {@link IoThread}
   */
  public boolean await(Deadline deadline) throws InterruptedException {
    return waitInterruptibly(deadline, "a signal");
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

  /**
   * Wakes the thread that waits, if one does. Any thread; never blocks. To raise it again does
   * nothing.
   */
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
    return "Signal[" + (raised ? "raised" : "not raised") + "]";
  }
}
