package io.heddle.core;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response as the caller reads it: a stream over a {@link ResponseBodyPipe}. One
 * thread reads at a time; {@link #close} is the same caller's.
 *
 * <p>A subclass says when a read must be over, and what it throws. It may override {@link #close},
 * to {@linkplain ResponseBodyPipe#drain read on} for a while, say.
 */
public abstract class BodyInput extends InputStream {

  private byte @Nullable [] one;
  private boolean closed;

  /** A stream that nothing is read of yet. */
  protected BodyInput() {}

  /** Where the bytes come from; always the same. */
  protected abstract ResponseBodyPipe pipe();

  /** When a read that begins now must be over. */
  protected abstract Deadline deadline();

  /**
   * What a read throws that ends without bytes. The reader's thread asks, once for each such read.
   *
   * @param end what the {@linkplain ResponseBodyPipe#read(byte[], int, int, Deadline) pipe} threw;
   *     an {@link InterruptedException} has cleared the thread's flag, which this sets again
   */
  protected abstract IOException failure(Exception end);

  /** What a read throws once the stream is closed. */
  protected abstract IOException closed();

  /** Whether {@link #close} was called. */
  protected final boolean isClosed() {
    return closed;
  }

  @Override
  public int read() throws IOException {
    byte[] b = one;
    if (b == null) {
      b = new byte[1];
      one = b;
    }
    return read(b, 0, 1) < 0 ? -1 : b[0] & 0xff;
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    if (closed) {
      throw closed();
    }
    try {
      return pipe().read(b, off, len, deadline());
    } catch (InterruptedException
        | TimeoutException
        | ExecutionException
        | CancellationException e) {
      throw failure(e);
    }
  }

  @Override
  public int available() {
    return closed ? 0 : pipe().available();
  }

  /** Gives up the rest of the body. Does not wait. */
  @Override
  public void close() {
    closed = true;
    pipe().close();
  }
}
