package io.heddle.jetty;

import io.heddle.core.BodyOutput;
import io.heddle.core.Canceller;
import io.heddle.core.Deadline;
import io.heddle.core.RequestBodyPipe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request, which one thread writes and Jetty's sender takes in chunks.
 *
 * <p>The sender asks when it has nothing to send ({@link #demand}); the writer that then brings
 * bytes, or the end, runs the sender on its own thread, up to the socket, if that has room.
 *
 * <pre>{@code
 * SENDING ──read says null, demand──▶ WAITING ──bytes, end, failure──▶ SENDING
 *                       on the thread that brings them; or in demand, if they came just before
 *
 * OPEN ──close───────────────▶ FINISHED   the sender gets what is queued, then the end
 *   ├────stop────────────────▶ STOPPED    the sender gets nothing more: its request ends otherwise
 *   ├────fail────────────────▶ FAILED     the sender gets the failure next
 *   └────interrupt, deadline─▶ CLOSED     so, too: the canceller fails it
 *   FINISHED can still become STOPPED or FAILED, until the sender has had the end.
 * }</pre>
 *
 * <p>In all but FINISHED what is queued is dropped, and the writer's next write fails. The {@link
 * RequestBodyPipe} decides which end comes first. To fail it with {@link NoMoreWanted} stops the
 * writer, and fails the sender.
 */
final class JettyRequestBody {

  static final int CAPACITY = 64 * 1024;

  private static final int CHUNK = 32 * 1024;

  /** The server has answered with an error before the end of the body: nobody wants the rest. */
  static final class NoMoreWanted extends IOException {
    private static final long serialVersionUID = 1L;

    NoMoreWanted() {
      super("the server has answered and wants no more of the request body");
    }
  }

  private final RequestBodyPipe pipe;
  private final Supplier<Deadline> deadline;

  // Sender only; it is one thread at a time, each after the other.
  private final ByteBuffer buffer = ByteBuffer.allocate(CHUNK);
  private boolean lent;
  private volatile boolean ended; // it has had the end; read by those that fail it
  private volatile boolean taken; // it has come by; read by the writer

  // Written by the writer.
  private volatile long length = -1;

  // Shared.
  private final AtomicReference<@Nullable Runnable> demanded = new AtomicReference<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /**
   * A body that nothing is written of yet.
   *
   * @param deadline of the call that sends it, asked at each write
   * @param canceller aborts that call
   */
  JettyRequestBody(Supplier<Deadline> deadline, Canceller canceller) {
    this.deadline = deadline;
    this.pipe = new RequestBodyPipe(CAPACITY, 1024, this::wakeSender, canceller);
  }

  /** Where the writer waits. */
  RequestBodyPipe pipe() {
    return pipe;
  }

  // ---- writer -------------------------------------------------------------------------------

  /** What the caller writes to; its end is the end of the body. */
  final class Stream extends BodyOutput {

    Stream() {
      super(-1);
    }

    @Override
    protected RequestBodyPipe pipe() {
      return pipe;
    }

    @Override
    protected Deadline deadline() {
      return deadline.get();
    }

    @Override
    protected IOException failure(Exception end) {
      return JettyFailures.inWait("writing the request body", deadline(), end);
    }

    @Override
    protected IOException noMoreWanted() {
      JettyRequestBody.this.stop();
      return new NoMoreWanted();
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      if (pipe.isFinished()) {
        throw new IOException("closed");
      }
      super.write(b, off, len);
      flush(); // each write goes out, as Jetty's do
    }

    @Override
    public void close() {
      finish();
    }
  }

  /** The body is complete; does nothing if it was given up or has failed. */
  void finish() {
    if (pipe.isFinished()) {
      return;
    }
    long whole = pipe.available(); // before the look at the sender, who may take of it from then on
    if (!taken) {
      length = whole;
    }
    try {
      pipe.finish();
    } catch (ExecutionException | CancellationException e) {
      return; // the writer was told, or did not write on
    }
  }

  // ---- sender -------------------------------------------------------------------------------

  /** The length in bytes, if the whole body was written before any of it was sent; else −1. */
  long length() {
    return length;
  }

  /** What there is to send; null if nothing is there now. */
  Content.@Nullable Chunk read() {
    taken = true;
    Throwable failed = failure.get();
    if (failed != null) {
      return Content.Chunk.from(failed);
    }
    if (ended) {
      return Content.Chunk.EOF;
    }
    boolean own = !lent;
    ByteBuffer into = own ? buffer : ByteBuffer.allocate(CHUNK);
    into.clear();
    boolean last = drainInto(into);
    into.flip();
    ended = last;
    if (!into.hasRemaining()) {
      return last ? Content.Chunk.EOF : null;
    }
    if (!own) {
      return Content.Chunk.from(into, last);
    }
    lent = true;
    return Content.Chunk.from(into, last, () -> lent = false);
  }

  private boolean drainInto(ByteBuffer into) {
    try {
      return pipe.drainTo(src -> BufferUtil.put(src, into));
    } catch (IOException e) {
      throw new AssertionError("a buffer does not fail", e);
    }
  }

  /** Has {@code task} run once there is something to read. */
  void demand(Runnable task) {
    if (!demanded.compareAndSet(null, Objects.requireNonNull(task))) {
      throw new IllegalStateException("demand pending");
    }
    // What came before the writer could see this demand has woken nobody. The end of a body that
    // is not wanted is nothing to send: that sender would ask again, at once and for ever.
    if (pipe.available() > 0 || pipe.isFinished() || failure.get() != null) {
      wakeSender();
    }
  }

  private void wakeSender() {
    Runnable task = demanded.getAndSet(null);
    if (task != null) {
      task.run();
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** The server has answered with an error, before the end of the body. */
  void answered() {
    pipe.answered();
  }

  /** The rest is not wanted: ends the writer, not the request. */
  void stop() {
    pipe.stop(); // wakes the writer
  }

  /** Ends both: the writer gets the failure, and so does the sender. */
  void fail(Throwable cause) {
    if (!ended && failure.compareAndSet(null, cause)) {
      if (cause instanceof NoMoreWanted) {
        stop();
      } else {
        pipe.fail(cause); // wakes the writer
      }
      wakeSender();
    }
  }
}
