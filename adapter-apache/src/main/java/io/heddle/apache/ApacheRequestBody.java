package io.heddle.apache;

import io.heddle.Canceller;
import io.heddle.Deadline;
import io.heddle.RequestBodyPipe;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hc.core5.function.Supplier;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request: what the caller's entity writes, on its way to the engine.
 *
 * <p>The engine first hears of the exchange when the body is whole, when its buffer is full, or
 * when the entity flushes: so a short body goes out in one piece with the head, as it does over a
 * blocking connection.
 */
final class ApacheRequestBody {

  /** Bytes that may wait for the I/O thread. */
  static final int CAPACITY = 256 * 1024;

  /** The peer wants no more of the body: leaves the entity's {@code writeTo}. */
  private static final class NoMoreWanted extends IOException {
    private static final long serialVersionUID = 1L;

    NoMoreWanted() {
      super("the server has answered and wants no more of the request body");
    }

    @Override
    public Throwable fillInStackTrace() {
      return this; // never leaves this class
    }
  }

  private final RequestBodyPipe pipe;
  private final Deadline deadline;
  private final long declaredLength;

  // Caller only.
  private long written;

  // Written by the caller before the pipe is finished.
  private @Nullable List<? extends Header> trailers;

  // Written by the I/O thread.
  private volatile @Nullable DataStreamChannel channel;
  private volatile boolean sent;

  /**
   * A body that nothing is written of yet.
   *
   * @param declaredLength what Content-Length says, or −1
   * @param begin submits the exchange; called once at most, and not if it was submitted before
   * @param canceller aborts the exchange
   */
  ApacheRequestBody(long declaredLength, Deadline deadline, Runnable begin, Canceller canceller) {
    this.declaredLength = declaredLength;
    this.deadline = deadline;
    Runnable signal =
        () -> {
          begin.run();
          DataStreamChannel to = channel;
          if (to != null) { // else the engine has not come here yet, and will
            ReactorSession.unlessClosing(to::requestOutput);
          }
        };
    this.pipe =
        new RequestBodyPipe(
            CAPACITY, declaredLength < 0 ? 1024 : declaredLength, signal, canceller);
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Has the entity write itself. Returns early if the server answers early. */
  void writeFrom(HttpEntity entity) throws IOException {
    try {
      entity.writeTo(new Stream());
      if (declaredLength >= 0 && written < declaredLength) {
        throw new ConnectionClosedException(
            "the request entity wrote %d bytes, and its Content-Length is %d",
            written, declaredLength);
      }
      Supplier<List<? extends Header>> supplier = entity.getTrailers();
      trailers = supplier == null ? null : supplier.get();
      pipe.finish();
    } catch (NoMoreWanted early) {
      return;
    } catch (CancellationException e) {
      throw ApacheFailures.closed(e);
    } catch (ExecutionException e) {
      throw ApacheFailures.inBody(Objects.requireNonNull(e.getCause()));
    }
  }

  /** The rest of the body will not be written, and is not wanted. */
  void stop() {
    pipe.stop();
  }

  /** What the entity writes to. Closing it is not the end of the body: {@code writeFrom} is. */
  private final class Stream extends OutputStream {
    private final byte[] one = new byte[1];

    @Override
    public void write(int b) throws IOException {
      one[0] = (byte) b;
      write(one, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      int n = len;
      if (declaredLength >= 0) { // what is beyond it is dropped, as over a blocking connection
        n = (int) Math.min(len, declaredLength - written);
      }
      try {
        if (!pipe.write(b, off, n, deadline)) {
          throw new NoMoreWanted();
        }
        written += n;
      } catch (InterruptedException e) {
        throw ApacheFailures.interrupted("writing the request body", e);
      } catch (TimeoutException e) {
        throw ApacheFailures.timedOut("writing the request body", deadline, "Write timed out", e);
      } catch (CancellationException e) {
        throw ApacheFailures.closed(e);
      } catch (ExecutionException e) {
        throw ApacheFailures.inBody(Objects.requireNonNull(e.getCause()));
      }
    }

    @Override
    public void flush() {
      pipe.flush();
    }
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  int available() {
    return pipe.available();
  }

  void produce(DataStreamChannel to) throws IOException {
    channel = to; // before the look into the pipe: a writer that does not see it is seen by it
    if (pipe.drainTo(to::write) && !sent) {
      sent = true;
      to.endStream(trailers);
    }
  }

  /** Tells a writer why it must stop; any thread. */
  void fail(Exception cause) {
    pipe.fail(cause);
  }

  /** Whether the engine has all of it; any thread. */
  boolean isSent() {
    return sent;
  }
}
