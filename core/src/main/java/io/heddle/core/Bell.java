package io.heddle.core;

import io.heddle.IoThread;

/**
 * What one thread waits at until another has something for it, as often as that may be.
 *
 * <pre>{@code
 * SILENT ──ring──▶ RUNG   a thread in await wakes; further rings are the same one
 *        ◀─await──        returns at once
 * }</pre>
 *
 * <p>No ring is lost: one that comes while nobody waits ends the next wait. So who rings first
 * makes true what the other looks for, and the other looks for it after each wait.
 *
 * <p>What a thread wrote before {@link #ring} happens-before what follows the {@link #await} that
 * it ends.
 */
public final class Bell extends Waiter {

  private volatile boolean rung;

  /** A bell that has not rung. */
  public Bell() {}

  /**
   * Waits until the bell has rung since the last wait.
   *
   * @throws InterruptedException if the thread was interrupted before; the flag is cleared
   * @throws IllegalStateException if another thread waits already, or on an {@link IoThread}
   */
  public void await() throws InterruptedException {
    if (waitUntil(Deadline.none()) == Outcome.INTERRUPTED) {
      Thread.interrupted();
      throw new InterruptedException("interrupted while waiting at a bell");
    }
    rung = false;
  }

  /** Wakes the thread that waits, or ends its next wait. Any thread; never blocks. */
  public void ring() {
    rung = true;
    wake(); // the thread in await
  }

  @Override
  boolean isReady() {
    return rung;
  }

  @Override
  public String toString() {
    return "Bell[" + (rung ? "rung" : "silent") + "]";
  }
}
