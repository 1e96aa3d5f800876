package io.heddle;

/**
 * A marker for threads that deliver what other threads wait for, and must therefore never wait
 * themselves. The thread classes of a reactor or an event loop implement it; it has no methods.
 *
 * <p>A caller that waits on such a thread would wait for itself. {@link #forbidWaiting()} turns
 * that deadlock into an exception.
 */
public interface IoThread {

  /**
   * Throws if the current thread is an I/O thread. Adapters call this first in each blocking call,
   * before they send or lease anything.
   *
   * @throws IllegalStateException if the current thread is an {@code IoThread}
   */
  static void forbidWaiting() {
    forbidWaitingIf(Thread.currentThread() instanceof IoThread);
  }

  /**
   * Throws if the current thread is an I/O thread. For libraries that accept no threads of ours.
   *
   * @param onIoThread whether the current thread is an I/O thread
   * @throws IllegalStateException if {@code onIoThread} is true
   */
  static void forbidWaitingIf(boolean onIoThread) {
    if (onIoThread) {
      throw new IllegalStateException(
          "blocking call on the I/O thread \""
              + Thread.currentThread().getName()
              + "\", which would wait for itself: make the call from another thread, "
              + "for example a virtual one");
    }
  }
}
