package io.heddle.apache;

import io.heddle.core.BodyOutput;
import io.heddle.core.Canceller;
import io.heddle.core.Deadline;
import io.heddle.core.RequestBodyPipe;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hc.core5.function.Supplier;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request: what the caller's entity writes, on its way to the engine.
 *
 * <p>The engine first hears of the exchange when the body is whole, when {@value #EAGER} bytes of
 * it are there, or when the entity flushes: so a short body goes out in one piece with the head, as
 * it does over a blocking connection. From then on what is written goes out at a flush, when there
 * is much of it, or at the first write after a short while: so a slow source is not held up, and a
 * quick one costs few wake-ups of the I/O thread. Where the caller can send ({@link Http1Session}),
 * a long write goes out at once, without a copy into the pipe, as far as the socket has room; if it
 * is the last of a declared length, the request ends with it, while the entity still writes.
 *
 * <p>A body that is not as long as its Content-Length says fails the call, whether it is shorter or
 * longer: the server would take what is missing, or too much, from the next request.
 *
 * <pre>{@code
 * NEW ──writeFrom──▶ OPEN ──entity returns──▶ FINISHED ──all is out──▶ SENT   final
 *                     ├────over HTTP/1.1: all of a declared length is out──▶ SENT
 *                     └────interrupt, deadline──▶ CLOSED   the write fails, the exchange is aborted
 * from each but SENT
 *   ──stop──▶ STOPPED   an entity that writes on leaves its writeTo; no failure
 *   ──fail──▶ FAILED    the next write fails, or the end
 * }</pre>
 *
 * <p>The caller finishes it; whoever has the turn, the engine's thread or a caller that sends,
 * takes it to SENT; any thread stops it or fails it.
 */
final class ApacheRequestBody {

  /** Bytes that may wait for the I/O thread. */
  static final int CAPACITY = 256 * 1024;

  /** What is worth a wake-up of the I/O thread, in bytes, if the last is a moment ago. */
  private static final int EAGER = 8 * 1024;

  private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** How long written bytes may wait for more, at the next write. */
  private static final long SHORT_WHILE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

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
  private final ApacheFailures.Wait failure;
  private final long declaredLength;
  private final long wireLength;

  // Caller only.
  private boolean begun;
  private long flushed;
  private long flushedAt;
  private boolean tooLong;

  // Written by the caller before the pipe is finished.
  private @Nullable List<? extends Header> trailers;

  // Written by the caller, read by any: the entity is in its writeTo.
  private volatile boolean beingWritten;

  // Written by whoever has the turn: the engine has begun to send it; and has all of it.
  private volatile @Nullable DataStreamChannel channel;
  private volatile boolean sent;

  // Written by any, before the pipe is stopped; counts as long as it is not sent.
  private volatile boolean stopped;

  /**
   * A body that nothing is written of yet.
   *
   * @param declaredLength what Content-Length says, or −1
   * @param multiplexed over HTTP/2, where the body ends by a frame, and may have trailers
   * @param callerSends whether {@code send} lets the caller send, without TLS
   * @param send submits the exchange, if it is not yet, and lets the caller send what is there;
   *     says whether that is all there is to do, so that the I/O thread need not be asked
   * @param canceller aborts the exchange
   */
  ApacheRequestBody(
      long declaredLength,
      boolean multiplexed,
      boolean callerSends,
      Deadline deadline,
      BooleanSupplier send,
      Canceller canceller) {
    this.declaredLength = declaredLength;
    this.wireLength = multiplexed ? -1 : declaredLength;
    this.deadline = deadline;
    this.failure = new ApacheFailures.Wait("writing the request body", deadline, "Write timed out");
    Runnable signal =
        () -> {
          if (sent) { // the end came with the last byte
            return;
          }
          DataStreamChannel to = send.getAsBoolean() ? null : channel;
          if (to != null) { // else the engine has not come here yet, and will
            ReactorSession.unlessClosing(to::requestOutput);
          }
        };
    this.pipe =
        new RequestBodyPipe(
            CAPACITY, declaredLength < 0 ? 1024 : declaredLength, signal, callerSends, canceller);
  }

  /** Where the caller waits while the server takes no more. */
  RequestBodyPipe pipe() {
    return pipe;
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Has the entity write itself. Returns early if the server answers early. */
  void writeFrom(HttpEntity entity) throws IOException {
    begun = true;
    beingWritten = true;
    flushedAt = System.nanoTime();
    Stream stream = new Stream();
    try {
      entity.writeTo(stream);
      if (tooLong) { // and the entity did not mind that its write failed
        throw tooLong();
      }
      if (stream.written() < declaredLength) {
        throw new ConnectionClosedException(
            "the request entity wrote %d bytes, and its Content-Length is %d",
            stream.written(), declaredLength);
      }
      Supplier<List<? extends Header>> supplier = entity.getTrailers();
      trailers = supplier == null ? null : supplier.get();
    } catch (NoMoreWanted early) {
      return;
    } finally {
      beingWritten = false;
    }
    finish();
  }

  private void finish() throws IOException {
    try {
      pipe.finish();
    } catch (CancellationException | ExecutionException e) {
      if (!sent) {
        throw failure.apply(e);
      } // else who reads the response is told
    }
  }

  /** Whether the entity was asked to write itself. */
  boolean isBegun() {
    return begun;
  }

  private IOException tooLong() {
    return new ConnectionClosedException(
        "the request entity wrote more bytes than the %d that its Content-Length says",
        declaredLength);
  }

  /** The server has answered with an error, and may want no more. */
  void answered() {
    pipe.answered();
  }

  /** The rest of the body will not be written, and is not wanted. */
  void stop() {
    stopped = true;
    pipe.stop();
  }

  /** Whether the rest of it will never be sent; any thread. */
  boolean isStopped() {
    return stopped && !sent;
  }

  /** What the entity writes to. Closing it is not the end of the body: {@code writeFrom} is. */
  private final class Stream extends BodyOutput {

    Stream() {
      super(declaredLength);
    }

    @Override
    protected RequestBodyPipe pipe() {
      return pipe;
    }

    @Override
    protected Deadline deadline() {
      return deadline;
    }

    @Override
    protected IOException failure(Exception end) {
      return failure.apply(end);
    }

    @Override
    protected IOException tooLong(long length) {
      tooLong = true;
      return ApacheRequestBody.this.tooLong();
    }

    @Override
    protected IOException noMoreWanted() {
      stop();
      return new NoMoreWanted();
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      if (len == 0 && sent) { // whatever has become of the response
        return;
      }
      super.write(b, off, len);
      flushInTime();
    }

    private void flushInTime() {
      long written = written();
      long unflushed = written - flushed;
      if (written == declaredLength || unflushed == 0) { // what is not sent, the end flushes
        return;
      }
      long now = System.nanoTime();
      long since = now - flushedAt;
      if (unflushed < EAGER ? since > SHORT_WHILE_NANOS : flushed == 0 || since > MOMENT_NANOS) {
        flushed = written;
        flushedAt = now;
        pipe.flush();
      }
    }

    @Override
    public void flush() {
      flushed = written();
      super.flush();
    }
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  /**
   * What there is to send, in bytes; 1 if it is the end alone. Over HTTP/2 the engine forgets that
   * it was asked for output if that was after it had last looked here, and before it counts who
   * asked; then it looks whether there is any ({@code AbstractH2StreamMultiplexer.onOutput}, 5.4).
   */
  int available() {
    int bytes = pipe.available();
    return bytes == 0 && !sent && pipe.isFinished() ? 1 : bytes;
  }

  void produce(DataStreamChannel to) throws IOException {
    channel = to; // before the look into the pipe: a writer that does not see it is seen by it
    boolean whole = pipe.drainTo(to::write) || pipe.drained() == wireLength;
    if (whole && !sent) {
      sent = true;
      to.endStream(trailers);
    }
  }

  /**
   * Whether some of it is not written yet, and the caller is at that, so that it cannot read; any
   * thread.
   */
  boolean isBeingWritten() {
    return beingWritten && !sent;
  }

  /** Tells a writer why it must stop; any thread. */
  void fail(Exception cause) {
    pipe.fail(cause);
  }

  /** Whether the engine has begun to send it, and not come to its end; I/O thread. */
  boolean isUnderWay() {
    return channel != null && !sent;
  }

  /** Whether the engine has all of it; any thread. */
  boolean isSent() {
    return sent;
  }
}
