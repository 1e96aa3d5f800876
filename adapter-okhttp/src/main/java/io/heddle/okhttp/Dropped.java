package io.heddle.okhttp;

import java.lang.ref.Cleaner;

/**
 * Gives back what somebody holds who was dropped without an end: OkHttp promises that of a response
 * that nobody closes.
 *
 * <p>Has a thread, from the first use on.
 */
final class Dropped {

  private static final Cleaner CLEANER = Cleaner.create();

  private Dropped() {}

  /**
   * Once nobody holds it, or once it is {@linkplain Cleaner.Cleanable#clean cleaned}, does this.
   *
   * @param action must not hold it, nor wait
   */
  static Cleaner.Cleanable register(Object held, Runnable action) {
    return CLEANER.register(held, action);
  }
}
