package io.heddle.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What ends once: one compare-and-set decides which end it is, whoever comes with it, and wakes the
 * thread that waits.
 */
abstract class EndState extends Waiter {

  /** The end that something failed. */
  record Failure(Throwable cause) {}

  private static final VarHandle END;

  static {
    try {
      END = MethodHandles.lookup().findVarHandle(EndState.class, "end", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // Shared, under compare-and-set: null until there is an end.
  private volatile @Nullable Object end;

  EndState() {}

  /** The end; null if there is none yet. */
  final @Nullable Object ending() {
    return end;
  }

  /**
   * Brings the end, and wakes the thread that waits.
   *
   * @return whether it is the end; false if there was one
   */
  final boolean endAs(Object how) {
    return endAs(how, null);
  }

  /** As {@link #endAs(Object)}, from this state on. */
  final boolean endAs(Object how, @Nullable Object from) {
    if (END.compareAndSet(this, from, how)) {
      wake();
      return true;
    }
    return false;
  }
}
