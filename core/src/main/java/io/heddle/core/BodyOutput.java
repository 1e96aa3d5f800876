package io.heddle.core;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * The body of a request as the caller writes it: a stream over a {@link RequestBodyPipe}. One
 * thread writes. To close it does nothing: whoever asked for the body knows its end.
 *
 * <p>A subclass says when a write must be over, what it throws, and what to do with more bytes than
 * the message declares.
 */
public abstract class BodyOutput extends OutputStream {

  private final long declared;
  private final byte[] one = new byte[1];
  private long written;

  /**
   * A stream that nothing is written to yet.
   *
   * @param declared how many bytes the message declares; negative if it does not say
   */
  protected BodyOutput(long declared) {
    this.declared = declared;
  }

  /** Where the bytes go; always the same. */
  protected abstract RequestBodyPipe pipe();

  /** When a write that begins now must be over. */
  protected abstract Deadline deadline();

  /**
   * What a write throws whose bytes cannot be taken. The writer's thread asks, once for each.
   *
   * @param end what the {@linkplain RequestBodyPipe#write(byte[], int, int, Deadline) pipe} threw;
   *     an {@link InterruptedException} has cleared the thread's flag, which this sets again
   */
  protected abstract IOException failure(Exception end);

  /** What a write throws if the server wants no more of the body, which is no failure of it. */
  protected abstract IOException noMoreWanted();

  /** What a write throws that would make the body longer than declared; none of it is taken. */
  protected IOException tooLong(long length) {
    return new IOException(
        "the request body is longer than the " + length + " bytes that it was told to have");
  }

  /** How many bytes were written. */
  public final long written() {
    return written;
  }

  @Override
  public void write(int b) throws IOException {
    one[0] = (byte) b;
    write(one, 0, 1);
  }

  @Override
  public void write(byte[] b, int off, int len) throws IOException {
    if (declared >= 0 && len > declared - written) {
      throw tooLong(declared);
    }
    if (!take(b, off, len)) {
      throw noMoreWanted();
    }
    written += len;
  }

  private boolean take(byte[] b, int off, int len) throws IOException {
    try {
      return pipe().write(b, off, len, deadline());
    } catch (InterruptedException
        | TimeoutException
        | ExecutionException
        | CancellationException e) {
      throw failure(e);
    }
  }

  @Override
  public void flush() {
    pipe().flush();
  }
}
