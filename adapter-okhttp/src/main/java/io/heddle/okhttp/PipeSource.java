package io.heddle.okhttp;

import io.heddle.core.Deadline;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import okio.Buffer;
import okio.Source;
import okio.Timeout;

/** The reader's end of the pipe. One thread at a time, as OkHttp has it. */
final class PipeSource implements Source {
  private final BodyPump pump;
  private final ResponseBodyPipe pipe;
  private final Buffer.UnsafeCursor cursor = new Buffer.UnsafeCursor();

  /** OkHttp's, so that what a caller sets here counts for what the worker reads from then on. */
  private final Timeout timeout;

  private final long originalTimeout;

  private boolean failed;
  private boolean closed;

  PipeSource(BodyPump pump, Timeout timeout) {
    this.pump = pump;
    this.pipe = pump.pipe();
    this.timeout = timeout;
    this.originalTimeout = timeout.timeoutNanos();
  }

  @Override
  public long read(Buffer sink, long byteCount) throws IOException {
    if (byteCount < 0) {
      throw new IllegalArgumentException("byteCount < 0: " + byteCount);
    }
    if (closed) {
      throw new IllegalStateException("closed");
    }
    OkHttpFailures.forbidWaiting();
    pump.exchange().runTasks();
    long n = -1;
    try {
      n = readInto(sink, byteCount, deadline());
    } catch (InterruptedException | CancellationException e) {
      throw Thread.currentThread().isInterrupted()
          ? OkHttpFailures.interrupted(e)
          : OkHttpFailures.inWait(e);
    } catch (TimeoutException e) {
      throw OkHttpFailures.caused(new SocketTimeoutException("timeout"), e);
    } catch (ExecutionException e) {
      throw failed(Objects.requireNonNull(e.getCause()));
    } finally {
      if (n < 0) {
        pump.awaitEnd();
      }
    }
    return n;
  }

  /** Straight into a segment of the sink. */
  private long readInto(Buffer sink, long byteCount, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    if (byteCount == 0) {
      return 0;
    }
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

  /** That of the source, if a caller has changed it. */
  private Deadline deadline() {
    Deadline deadline = Deadline.none();
    long nanos = timeout.timeoutNanos();
    if (nanos != originalTimeout && nanos > 0) {
      deadline = deadline.earlier(Deadline.afterNanos(nanos));
    }
    if (timeout.hasDeadline()) {
      long left = timeout.deadlineNanoTime() - System.nanoTime();
      deadline = deadline.earlier(Deadline.afterNanos(Math.max(0, left)));
    }
    return deadline;
  }

  /** Whether the body is at its end, or was given up. */
  boolean isDone() {
    return pipe.isDone();
  }

  @Override
  public Timeout timeout() {
    return timeout;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      pump.close();
      pump.awaitEnd();
    }
  }

  @Override
  public String toString() {
    return "source(" + pipe + ")";
  }
}
