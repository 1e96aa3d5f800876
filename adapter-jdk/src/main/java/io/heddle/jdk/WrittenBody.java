package io.heddle.jdk;

import io.heddle.core.BodyOutput;
import io.heddle.core.Deadline;
import io.heddle.core.RequestBodyPipe;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A request body that a writer writes to an {@link OutputStream}.
 *
 * <pre>{@code
 * request.POST(WrittenBody.of(out -> json.writeValue(out, order)))
 * }</pre>
 *
 * <p>The writer runs on a virtual thread of its own each time the body is sent: again after a
 * redirect or a challenge. It waits while more than 64 KiB wait to be sent. {@code flush()} sends
 * what has been written. If the writer throws, the call fails with that exception as the cause. If
 * the call ends first, the writer's writes fail with {@link IOException}.
 */
public final class WrittenBody implements BodyPublisher {

  private static final int CAPACITY = 64 * 1024;

  /** Writes the body. */
  @FunctionalInterface
  public interface Writer {

    /**
     * Writes all of the body.
     *
     * @param out need not be closed
     */
    void writeTo(OutputStream out) throws IOException;
  }

  private final Writer writer;

  private WrittenBody(Writer writer) {
    this.writer = Objects.requireNonNull(writer, "writer");
  }

  /** Creates a body of unknown length; {@code BodyPublishers.fromPublisher} can give it one. */
  public static BodyPublisher of(Writer writer) {
    return new WrittenBody(writer);
  }

  @Override
  public long contentLength() {
    return -1;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    Writing writing = new Writing(writer, subscriber);
    subscriber.onSubscribe(writing);
    Thread.ofVirtual()
        .name("heddle-jdk-writer")
        .inheritInheritableThreadLocals(false)
        .start(writing);
  }

  /**
   * One run of the writer. Either end comes by to move bytes; one moves, for both.
   *
   * <pre>{@code
   * NEW ──request──▶ ASKED ──the end is brought──▶ OVER   onComplete
   *  │                 ├─────the writer throws───▶ OVER   onError; what is queued is dropped
   *  └─────cancel──────┴─────────────────────────▶ OVER   nobody is told; the next write fails
   *   An end of the writer that comes in NEW is told in ASKED.
   * }</pre>
   */
  private static final class Writing extends BodyOutput implements Runnable, Flow.Subscription {
    private final Writer writer;
    private final Flow.Subscriber<? super ByteBuffer> subscriber;
    private final RequestBodyPipe pipe =
        new RequestBodyPipe(CAPACITY, CAPACITY, this::move, () -> {});

    // Raised by the client; lowered by who moves.
    private final AtomicLong demand = new AtomicLong();

    // How often somebody came by to move, and was not heeded yet: who makes it 1 moves.
    private final AtomicInteger moving = new AtomicInteger();

    // Written by the writer, before it comes by.
    private volatile @Nullable Throwable failure;

    // Written by who moves, before it tells the end; or by who cancels.
    private volatile boolean over;

    // Written by the client, once it asks for anything. Before that it may not know its subscriber:
    // an end that comes earlier meets a field of the JDK's that is null (Http1Exchange, 25).
    private volatile boolean asked;

    Writing(Writer writer, Flow.Subscriber<? super ByteBuffer> subscriber) {
      super(-1);
      this.writer = writer;
      this.subscriber = subscriber;
    }

    // ---- writer -------------------------------------------------------------------------------

    @Override
    public void run() {
      try {
        writer.writeTo(this);
        pipe.finish();
      } catch (Throwable t) {
        failure = t;
        move();
      }
    }

    @Override
    protected RequestBodyPipe pipe() {
      return pipe;
    }

    @Override
    protected Deadline deadline() {
      return Deadline.none(); // the end of the call cancels the pipe
    }

    @Override
    protected IOException noMoreWanted() {
      return new IOException("the server wants no more of the body");
    }

    @Override
    protected IOException failure(Exception end) {
      return end instanceof InterruptedException
          ? JdkFailures.inWait("writing a body", end)
          : new IOException("the call is over", end);
    }

    // ---- the client's threads -----------------------------------------------------------------

    @Override
    public void request(long n) {
      asked = true;
      demand.accumulateAndGet(n, JdkUpload::sum);
      move();
    }

    @Override
    public void cancel() {
      over = true;
      pipe.cancel(); // wakes the writer
    }

    private void move() {
      if (moving.getAndIncrement() > 0) {
        return;
      }
      int seen = 1;
      do {
        bring();
        seen = moving.addAndGet(-seen);
      } while (seen > 0);
    }

    private void bring() {
      Throwable why = failure;
      try {
        if (over || !asked) {
          return; // a request brings us here again
        }
        if (why == null && pipe.drainTo(this::bring)) {
          over = true;
          subscriber.onComplete();
        }
      } catch (IOException e) {
        why = e;
      }
      if (why != null) {
        over = true;
        pipe.cancel();
        subscriber.onError(why);
      }
    }

    /** Hands on one piece, if one is wanted. */
    private int bring(ByteBuffer src) {
      if (demand.get() == 0) {
        return 0;
      }
      demand.decrementAndGet();
      ByteBuffer piece = ByteBuffer.allocate(src.remaining()).put(src).flip();
      subscriber.onNext(piece);
      return piece.capacity();
    }
  }
}
