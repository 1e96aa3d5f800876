package io.heddle.apache;

import io.heddle.IoThread;
import java.nio.ByteBuffer;

/** A thread of the I/O reactor: moves bytes, signals callers, and never waits. */
final class IoReactorThread extends Thread implements IoThread {

  /** Of one read; a socket's own buffer holds a few times that. */
  private static final int TRANSFER_BYTES = 64 * 1024;

  private final ByteBuffer transfer = ByteBuffer.allocateDirect(TRANSFER_BYTES);

  IoReactorThread(Runnable work, String name) {
    super(work, name);
    setDaemon(true);
  }

  /** The current I/O thread's buffer, cleared; for one transfer at a time. */
  static ByteBuffer transferBuffer() {
    return ((IoReactorThread) Thread.currentThread()).transfer.clear();
  }
}
