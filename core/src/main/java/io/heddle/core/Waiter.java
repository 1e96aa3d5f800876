package io.heddle.core;

import io.heddle.IoThread;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A condition that one thread waits for and others make true; the only place in Heddle that parks
 * and unparks.
 *
 * <p>No wake-up is lost: the waiting thread registers itself and then looks at the condition, the
 * other makes the condition true and then looks for a waiting thread. Both steps of both are
 * volatile, so at least one sees the other. What was written before {@link #wake()} is visible
 * after {@link #waitUntil} returned {@link Outcome#READY}.
 */
public abstract class Waiter {

  enum Outcome {
    /** The condition is true. It wins over an interrupt or a deadline that came with it. */
    READY,
    /** The deadline is over. */
    EXPIRED,
    /** The thread is interrupted; its flag is still set. */
    INTERRUPTED
  }

  /**
   * Whether a virtual thread that waits for a monitor, or in one, holds its carrier: before JDK 24
   * (JEP 491).
   */
  public static final boolean MONITORS_HOLD_CARRIERS = Runtime.version().feature() < 24;

  private static final VarHandle WAITING;

  static {
    try {
      WAITING = MethodHandles.lookup().findVarHandle(Waiter.class, "waiting", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable Thread waiting;

  /** When {@link DeadlineWatch} is to wake the thread. */
  volatile long due;

  Waiter() {}

  /** Whether the condition is true; reads volatile state, has no side effect. */
  abstract boolean isReady();

  /**
   * Waits until the condition is true. Uses no CPU while it waits; on a virtual thread it holds no
   * carrier.
   *
   * @throws IllegalStateException if another thread waits already, or on an {@link IoThread}
   */
  final Outcome waitUntil(Deadline deadline) {
    return waitUntil(deadline, DeadlineWatch.SHARED);
  }

  final Outcome waitUntil(Deadline deadline, DeadlineWatch watch) {
    if (isReady()) {
      return Outcome.READY;
    }
    IoThread.forbidWaiting();
    Thread me = Thread.currentThread();
    if (!WAITING.compareAndSet(this, null, me)) {
      throw new IllegalStateException("another thread waits here: one caller at a time");
    }
    boolean watched = false;
    try {
      while (!isReady()) {
        if (me.isInterrupted()) {
          return Outcome.INTERRUPTED;
        }
        long nanos = deadline.remainingNanos();
        if (nanos == 0) {
          return Outcome.EXPIRED;
        }
        boolean timed = !deadline.isNone();
        if (timed && nanos > DeadlineWatch.FAR && me.isVirtual()) {
          watched = true;
          timed = !watch.watch(this, nanos);
        }
        if (timed) {
          LockSupport.parkNanos(this, nanos);
        } else {
          LockSupport.park(this);
        }
      }
      return Outcome.READY;
    } finally {
      if (watched) {
        watch.unwatch(this);
      }
      waiting = null;
    }
  }

  /**
   * As {@link #waitUntil(Deadline)}, for a condition that stays true once it is.
   *
   * @param what for the exception's message
   * @return whether it is true; false if the deadline came first
   * @throws InterruptedException if the thread was interrupted before it was; the flag is cleared
   */
  final boolean waitInterruptibly(Deadline deadline, String what) throws InterruptedException {
    if (waitUntil(deadline) == Outcome.INTERRUPTED && !isReady()) {
      Thread.interrupted();
      throw new InterruptedException("interrupted while waiting for " + what);
    }
    return isReady();
  }

  /** The thread that waits here at this moment; null if none does. */
  public final @Nullable Thread waiter() {
    return waiting;
  }

  /** The thread that waits at the first of these at which one does; null if none does. */
  public static @Nullable Thread waiterAt(@Nullable Waiter... places) {
    for (Waiter each : places) {
      Thread thread = each == null ? null : each.waiting;
      if (thread != null) {
        return thread;
      }
    }
    return null;
  }

  /** Wakes the thread in {@link #waitUntil}, if there is one; any thread, never blocks. */
  final void wake() {
    Thread thread = waiting;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }
}
