package io.heddle;

/**
 * A thread that brings what others wait for, and that therefore must never wait itself. Thread
 * classes of a reactor or an event loop implement this interface; it has no methods.
 *
 * <p>A caller that waits on such a thread would wait for itself. {@link #forbidWaiting()} turns
 * that deadlock into an exception.
 */
public interface IoThread {

  /**
   * Throws if the current thread is an I/O thread. Adapters call this first in each blocking call,
   * before anything is sent or leased.
   *
   * @throws IllegalStateException if the current thread is an {@code IoThread}
   */
  static void forbidWaiting() {
    forbidWaitingIf(Thread.currentThread() instanceof IoThread);
  }

  /**
   * The same for a thread of a library that takes none of ours, where the adapter knows better.
   *
   * @param onIoThread whether the current thread is an I/O thread
   * @throws IllegalStateException if it is
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
