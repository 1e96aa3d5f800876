package io.heddle.okhttp;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Before JDK 24 takes the lock of okio's timers for a virtual thread that begins an HTTP/2
 * connection.
 *
 * <p>The whole JVM shares that lock, and OkHttp asks for it within the {@code synchronized} in
 * which the caller sends the connection's preface. Who waits there holds a carrier; once all
 * carriers are held so, and the lock's next owner is a virtual thread that has none, nobody goes on
 * any more. Who takes the lock before waits outside, where it holds no carrier.
 *
 * <pre>{@code
 * TCP connected ─▶ TLS handshake ─▶ enter ─▶ preface, SETTINGS ─▶ leave ─▶ in the pool
 * }</pre>
 *
 * <p>In between, some hundred bytes go to a socket that has room for them, so nobody waits for the
 * lock for long.
 */
final class PrefaceGate {

  private static final ReentrantLock TIMERS = OkHttpInternals.timersLock();

  private PrefaceGate() {}

  /** From here to {@link #leave} the thread has the lock, if it needs it. */
  static void enter() {
    if (WorkerThreads.holdsCarrier() && !TIMERS.isHeldByCurrentThread()) {
      TIMERS.lock();
    }
  }

  /** The thread has begun its connection, or failed to. */
  static void leave() {
    if (TIMERS.isHeldByCurrentThread()) {
      TIMERS.unlock();
    }
  }

  /**
   * Whether a worker waits for the lock, in a monitor of OkHttp's that the current thread may need:
   * that of a stream, from which OkHttp takes the exchange of a call that has failed.
   */
  static boolean isAwaitedBy(@Nullable Thread worker) {
    return WorkerThreads.holdsCarrier() && worker != null && TIMERS.hasQueuedThread(worker);
  }
}
