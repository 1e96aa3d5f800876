package io.heddle.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * How something ended. One compare-and-set decides which end wins, and the winner wakes the thread
 * that waits. An end is final, unless a subclass replaces it by {@link #endAs(Object, Object)}.
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

  /** As {@link #endAs(Object)}, in place of {@code from}: an end, or null for none. */
  final boolean endAs(Object how, @Nullable Object from) {
    if (END.compareAndSet(this, from, how)) {
      wake(); // the thread in waitUntil
      return true;
    }
    return false;
  }
}
