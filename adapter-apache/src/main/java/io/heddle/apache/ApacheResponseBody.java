package io.heddle.apache;

import io.heddle.core.Deadline;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.StreamClosedException;
import org.apache.hc.core5.http.impl.io.ChunkedInputStream;
import org.apache.hc.core5.http.impl.io.SessionInputBufferImpl;
import org.apache.hc.core5.http.io.SessionInputBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response, as the caller reads it.
 *
 * <p>A {@link ChunkedInputStream} by type alone: the classic chain asks this class, and no other,
 * for the trailers of a response.
 *
 * <p>There are two ways to be done with it before its end. {@link #close}, to which {@code
 * EntityUtils.consume} comes down, wants the rest read, so that the connection lives: it reads on
 * as long as bytes flow, to {@value #MOST_TO_DRAIN} of them, and fails as a read would. {@link
 * #closeNow}, to which closing the response comes down, wants to be rid of it: it {@linkplain
 * ResponseBodyPipe#drain reads} what is about to be there. What is not at its end then is given up,
 * which on HTTP/1.1 ends the connection. (A blocking connection of Apache's reads to the end in
 * both cases, whatever it takes.)
 */
final class ApacheResponseBody extends ChunkedInputStream {

  /** What the superclass wants and never sees used. */
  private static final SessionInputBuffer UNUSED = new SessionInputBufferImpl(16);

  /** How much is read to keep a connection, in bytes: beyond this a new one costs less. */
  private static final int MOST_TO_DRAIN = 4 * 1024 * 1024;

  /** How long bytes may fail to come before they do not flow any more. */
  private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final InputStream NO_STREAM = nullInputStream();
  private static final Header[] NO_FOOTERS = {};

  private final ClassicConnection connection;
  private final ApacheExchange exchange;
  private final ResponseBodyPipe pipe;
  private final long length;
  private byte @Nullable [] one;
  private long read;
  private boolean failed;
  private boolean closed;

  /**
   * A body that nothing is read of yet.
   *
   * @param length how long it is, in bytes; negative if that is not known
   */
  ApacheResponseBody(
      ClassicConnection connection, ApacheExchange exchange, ResponseBodyPipe pipe, long length) {
    super(UNUSED, NO_STREAM);
    this.connection = connection;
    this.exchange = exchange;
    this.pipe = pipe;
    this.length = Math.max(-1, length);
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
  public int read(byte[] b) throws IOException {
    return read(b, 0, b.length);
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    if (closed) {
      throw new StreamClosedException("Stream already closed");
    }
    try {
      int n = pipe.read(b, off, len, connection.readDeadline());
      read += Math.max(0, n);
      return n;
    } catch (InterruptedException
        | TimeoutException
        | ExecutionException
        | CancellationException e) {
      failed = true; // and told: to close it is no failure any more
      throw failure(e);
    }
  }

  private IOException failure(Exception end) {
    return new ApacheFailures.Wait(
            "reading the response body", connection.callDeadline(), "Read timed out")
        .apply(end);
  }

  @Override
  public int available() {
    return closed ? 0 : pipe.available();
  }

  /**
   * Reads on, see above, and closes.
   *
   * @throws IOException if the rest of the body fails, or does not come within the caller's own
   *     timeouts
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (!failed && !exchange.isEnded() && length - read <= MOST_TO_DRAIN) {
        readOn();
      }
    } finally {
      pipe.close();
    }
  }

  private void readOn() throws IOException {
    if (!pipe.closing()) {
      return;
    }
    byte[] scrap = new byte[8 * 1024];
    for (int left = MOST_TO_DRAIN; left > 0; ) {
      Deadline stall = Deadline.afterNanos(STALL_NANOS);
      Deadline callers = connection.readDeadline();
      try {
        int n = pipe.read(scrap, 0, Math.min(left, scrap.length), callers.earlier(stall));
        if (n < 0) {
          return;
        }
        left -= n;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // who waits no longer does not want the rest either
        return;
      } catch (TimeoutException e) {
        if (callers.isExpired()) {
          throw failure(e);
        }
        return; // stalled
      } catch (CancellationException | ExecutionException e) {
        throw failure(e);
      } catch (IllegalStateException e) {
        return; // on an I/O thread, or another thread reads: nobody waits here
      }
    }
  }

  /** Closes at once. Never throws. */
  void closeNow() {
    if (!closed) {
      closed = true;
      if (!exchange.isEnded()) {
        pipe.drain();
      }
      pipe.close();
    }
  }

  @Override
  public Header[] getFooters() {
    List<? extends Header> trailers = exchange.trailers();
    return trailers == null ? NO_FOOTERS : trailers.toArray(NO_FOOTERS);
  }
}
