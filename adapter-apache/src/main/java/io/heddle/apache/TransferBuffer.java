package io.heddle.apache;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A large buffer for one transfer between a socket and a pipe, so that connections need small ones
 * only. There are as many as there were transfers at one moment, be it on I/O threads or callers. A
 * transfer does not wait: on virtual threads there are no more at a time than carriers.
 */
final class TransferBuffer implements AutoCloseable {

  /** Of one read; a socket's own buffer holds a few times that. */
  private static final int BYTES = 64 * 1024;

  private static final Queue<TransferBuffer> FREE = new ConcurrentLinkedQueue<>();

  private final ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);

  private TransferBuffer() {}

  /** One that is empty, until it is closed. */
  static TransferBuffer borrow() {
    TransferBuffer free = FREE.poll();
    return free == null ? new TransferBuffer() : free;
  }

  ByteBuffer bytes() {
    return bytes;
  }

  @Override
  public void close() {
    bytes.clear();
    FREE.add(this);
  }
}
