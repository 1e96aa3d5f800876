package io.heddle.okhttp;

import io.heddle.core.Bell;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.DeclaredLength;
import io.heddle.core.Demand;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.lang.ref.Cleaner.Cleanable;
import java.lang.ref.Reference;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import okio.Source;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Reads OkHttp's response body on the worker and offers it to the pipe that the caller reads. Never
 * more than {@value #WINDOW} bytes ahead, but for one read: then the worker parks, and the server
 * is held back by OkHttp's own flow control.
 *
 * <pre>{@code
 * READING ──a window ahead──▶ FULL   the worker parks
 *    │    ◀──the caller reads── │
 *    ├──the end, or a failure───┴──▶ OVER   OkHttp's body is closed, then the caller is told
 *    ├──close──────────────────────▶ OVER   so, too; a worker that does not come is cancelled
 *    └──interrupt, deadline────────▶ OVER   the call is cancelled
 * }</pre>
 *
 * <p>It does not hold what the caller reads: a worker that waits for a caller who has dropped it
 * learns of that from the garbage collection, as OkHttp does.
 */
final class BodyPump implements Demand {

  /** Bytes that the worker may be ahead of the caller. */
  static final int WINDOW = 64 * 1024;

  private final OkHttpExchange exchange;
  private final Response own;
  private final BufferedSource source;
  private final ResponseBodyPipe pipe;

  // Worker only.
  private final DeclaredLength length;

  // Written by the reader only.
  private volatile long returned;
  private volatile boolean closing;
  private boolean broken; // by an interrupt or the deadline of a read; closed after that

  // Written by the caller, read by the worker.
  private volatile @Nullable Cleanable dropped; // null where the worker never waits for the caller

  /** Written by the worker: it closes OkHttp's body, for which OkHttp sets deadlines of its own. */
  private volatile boolean winding;

  // Rings when there may be room, or the call was cancelled.
  private final Bell room = new Bell();

  BodyPump(OkHttpExchange exchange, Response own) {
    this.exchange = exchange;
    this.own = own;
    ResponseBody body = own.body();
    this.source = body.source();
    this.length = OkHttpResponseBody.lengthOf(own);
    this.pipe = new ResponseBodyPipe(WINDOW, Math.max(0, body.contentLength()), this, this::giveUp);
  }

  // ---- worker -------------------------------------------------------------------------------

  /**
   * Runs until the body is at its end, broken, or given up. It is closed, and only then does the
   * caller learn of the end.
   */
  void run() {
    Throwable failure = null;
    try {
      pump();
    } catch (Throwable t) {
      failure = isWhole(t) ? null : t;
    }
    if (failure == null && !pipe.isDone() && !length.isReached()) {
      failure = new ProtocolException("unexpected end of stream: " + length);
    }
    winding = true;
    if (failure == null && length.declared() - length.counted() > InlineSource.DRAIN_BYTES) {
      source.timeout().deadlineNanoTime(System.nanoTime()); // a new connection is cheaper
    }
    OkHttpExchange.closeQuietly(own);
    if (failure == null) {
      pipe.end();
    } else {
      pipe.fail(failure);
    }
  }

  /** The worker is gone: there is nothing to learn any more. */
  void left() {
    Cleanable here = dropped;
    if (here != null) {
      here.clean();
    }
  }

  private boolean isWhole(Throwable failure) {
    return failure instanceof IOException io
        && !exchange.isCancelled()
        && OkHttpResponseBody.isWhole(own.body(), length, io);
  }

  /** How many bytes had come; −1 if the caller has not closed the body. */
  long closedAfter() {
    return closing ? length.counted() : -1;
  }

  private void pump() throws IOException {
    Buffer chunk = new Buffer();
    while (awaitRoom()) {
      long n = source.read(chunk, WINDOW);
      if (n < 0) {
        return;
      }
      offer(chunk);
      length.admits(n); // more than that fails in OkHttp
    }
  }

  private void offer(Buffer chunk) {
    try (Buffer.UnsafeCursor cursor = chunk.readUnsafe(new Buffer.UnsafeCursor())) {
      while (cursor.next() != -1) {
        pipe.gather(ByteBuffer.wrap(cursor.data, cursor.start, cursor.end - cursor.start));
      }
    }
    pipe.flush();
    chunk.clear();
  }

  /** Whether more is wanted; waits while the caller is too far behind. */
  private boolean awaitRoom() throws IOException {
    try {
      while (!pipe.isDone() && length.counted() - returned >= WINDOW) {
        if (exchange.isCancelled()) {
          throw exchange.cancelled(null);
        }
        room.await();
      }
      return !pipe.isDone() || !closing; // a read that was broken: OkHttp is to fail
    } catch (InterruptedException e) { // the user's own executor is shut down
      throw OkHttpFailures.interrupted(e);
    }
  }

  // ---- caller -------------------------------------------------------------------------------

  /** OkHttp's response with the body that the caller reads. */
  Response response() {
    Reader reader = new Reader();
    long declared = length.declared();
    if ((declared < 0 || declared > WINDOW) && !exchange.isConversation()) {
      dropped = Dropped.register(reader, exchange::drop);
      if (exchange.isLeft()) { // whoever leaves sees what is registered, or is seen here
        left();
      }
    }
    return OkHttpResponseBody.install(exchange.chain(), own, reader, pipe);
  }

  ResponseBodyPipe pipe() {
    return pipe;
  }

  /** Whether nobody reads it any more. */
  boolean isClosed() {
    return closing || pipe.isClosed();
  }

  /** Whether there is nothing of it to wait for: it has ended, or its reader has closed it. */
  boolean isOver() {
    return closing || pipe.isDone();
  }

  @Override
  public void request(int bytes) {
    long before = returned; // which this thread alone writes
    returned = before + bytes;
    room.ring(); // wakes the worker in awaitRoom
  }

  /**
   * Gives up the rest of the body, as a close of OkHttp's own does: the worker closes it, which on
   * HTTP/1.1 keeps the connection if little is left, and on HTTP/2 resets the stream. A worker that
   * cannot, since the server has stalled, is freed by a cancel.
   */
  void close() {
    closing = !broken;
    pipe.closing();
    if (!pipe.cancel()) { // it had ended
      pipe.close();
      return;
    }
    if (!exchange.awaitLeft()) {
      exchange.abortBody();
    }
  }

  /** The pipe was closed: by close, or by an interrupt or the deadline of a reader. */
  private void giveUp() {
    if (closing) {
      request(WINDOW); // wakes the worker in awaitRoom
    } else {
      broken = true;
      exchange.abortBody();
    }
  }

  /** What the caller reads, by okio's buffer. One thread at a time, as OkHttp has it. */
  private final class Reader implements Source {
    private final Buffer.UnsafeCursor cursor = new Buffer.UnsafeCursor();

    /** OkHttp's, so that what a caller sets here counts for what the worker reads from then on. */
    private final Timeout timeout = source.timeout();

    private final long originalTimeout = timeout.timeoutNanos();

    private boolean failed;
    private boolean closed;

    @Override
    public long read(Buffer sink, long byteCount) throws IOException {
      if (closed) {
        throw new IllegalStateException("closed");
      }
      OkHttpFailures.forbidWaiting();
      exchange.runTasks();
      long n = -1;
      try {
        Deadline due = deadline(timeout, originalTimeout);
        n = readInto(sink, byteCount, winding ? Deadline.none() : due); // its end is about to come
      } catch (InterruptedException | CancellationException e) {
        throw Thread.currentThread().isInterrupted()
            ? OkHttpFailures.interrupted(e)
            : OkHttpFailures.inWait(e);
      } catch (TimeoutException e) {
        throw CallSite.caused(new SocketTimeoutException("timeout"), e);
      } catch (ExecutionException e) {
        throw failed(Objects.requireNonNull(e.getCause()));
      } finally {
        if (n < 0) {
          exchange.awaitEnd();
        }
        Reference.reachabilityFence(this); // or it were dropped while it reads
      }
      return n;
    }

    /** Straight into a segment of the sink. */
    private long readInto(Buffer sink, long byteCount, Deadline deadline)
        throws InterruptedException, TimeoutException, ExecutionException {
      long size = sink.size();
      int n = -1;
      try (Buffer.UnsafeCursor at = sink.readAndWriteUnsafe(cursor)) {
        long space = at.expandBuffer(1);
        try {
          byte[] segment = Objects.requireNonNull(at.data);
          n = pipe.read(segment, at.start, (int) Math.min(byteCount, space), deadline);
        } finally {
          at.resizeBuffer(size + Math.max(0, n));
        }
      }
      return n;
    }

    private IOException failed(Throwable cause) throws IOException {
      if (failed) {
        return OkHttpFailures.again(cause);
      }
      failed = true;
      throw OkHttpFailures.rethrow(cause);
    }

    @Override
    public Timeout timeout() {
      return timeout;
    }

    @Override
    public void close() {
      closed = true;
      try {
        BodyPump.this.close();
        exchange.awaitEnd();
      } finally {
        Reference.reachabilityFence(this); // as in read
      }
    }

    @Override
    public String toString() {
      return "source(" + pipe + ")";
    }
  }

  /**
   * What okio's timeout allows from now.
   *
   * @param others nanoseconds, which are for others to heed; 0 if none are
   */
  static Deadline deadline(Timeout timeout, long others) {
    long nanos = timeout.timeoutNanos();
    Deadline deadline = nanos > 0 && nanos != others ? Deadline.afterNanos(nanos) : Deadline.none();
    if (!timeout.hasDeadline()) {
      return deadline;
    }
    try {
      long left = timeout.deadlineNanoTime() - System.nanoTime();
      return deadline.earlier(Deadline.afterNanos(Math.max(0, left)));
    } catch (IllegalStateException cleared) { // by another thread, just now
      return deadline;
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** The call was cancelled. A worker that reads learns it from OkHttp; one that waits, here. */
  void wake() {
    room.ring(); // wakes the worker in awaitRoom
  }
}
