package io.heddle.apache;

import io.heddle.ResponseBodyPipe;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
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
 * <p>{@link #close} before the end keeps the connection if the rest is here or about to be: it
 * {@linkplain ResponseBodyPipe#drain drains} the body. Beyond that the exchange is given up, which
 * on HTTP/1.1 ends the connection. (A blocking connection of Apache's reads to the end, whatever it
 * takes.)
 */
final class ApacheResponseBody extends ChunkedInputStream {

  /** What the superclass wants and never sees used. */
  private static final SessionInputBuffer UNUSED = new SessionInputBufferImpl(16);

  private static final InputStream NO_STREAM = nullInputStream();
  private static final Header[] NO_FOOTERS = {};

  private final ApacheEndpoint endpoint;
  private final ApacheExchange exchange;
  private final ResponseBodyPipe pipe;
  private byte @Nullable [] one;
  private boolean closed;

  ApacheResponseBody(ApacheEndpoint endpoint, ApacheExchange exchange, ResponseBodyPipe pipe) {
    super(UNUSED, NO_STREAM);
    this.endpoint = endpoint;
    this.exchange = exchange;
    this.pipe = pipe;
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
      return pipe.read(b, off, len, endpoint.readDeadline());
    } catch (InterruptedException e) {
      throw ApacheFailures.interrupted("reading the response body", e);
    } catch (TimeoutException e) {
      throw ApacheFailures.timedOut(
          "reading the response body", endpoint.callDeadline(), "Read timed out", e);
    } catch (CancellationException e) {
      throw ApacheFailures.closed(e);
    } catch (ExecutionException e) {
      throw ApacheFailures.inBody(Objects.requireNonNull(e.getCause()));
    }
  }

  @Override
  public int available() {
    return closed ? 0 : pipe.available();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (!exchange.isEnded() || pipe.available() > 0) {
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
