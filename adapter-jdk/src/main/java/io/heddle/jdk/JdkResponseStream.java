package io.heddle.jdk;

import io.heddle.core.BodyInput;
import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * In place of the stream that {@code BodyHandlers.ofInputStream()} makes: one that an interrupt
 * does not rob of what has arrived, whose deadline also ends bytes that keep flowing, and that
 * reads on a little when it is closed, to spare an HTTP/1.1 connection.
 *
 * <p>At most one piece is asked of the client at a time, while less than {@value #WINDOW} bytes
 * wait to be read. Either end asks: the client's when it has brought a piece, the reader's when it
 * has read half of the window. The last of the two to come by finds little enough, and asks.
 *
 * <pre>{@code
 * ASKED ──onNext, there is room──▶ ASKED     the client's thread asks
 *   └─────onNext, a full window──▶ NOT ASKED
 *              ASKED ◀──has read── NOT ASKED   the reader asks
 * }</pre>
 *
 * <p>How the body ends, the {@link ResponseBodyPipe} decides. To close it, an interrupt and the
 * deadline cancel the subscription, on the reader's thread; or on that of {@link #onSubscribe}, if
 * it is closed before.
 */
final class JdkResponseStream extends BodyInput implements BodySubscriber<InputStream> {

  private static final int WINDOW = 128 * 1024;

  private static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long AT_WORK = Long.MIN_VALUE;

  private final Deadline deadline;
  private final boolean drain;
  private final ResponseBodyPipe pipe;

  // Shared, under compare-and-set: who makes it true asks. The client's end makes it false.
  private final AtomicBoolean asked = new AtomicBoolean(true);

  // Written by the client, which then looks whether the body is over. Who closes the body looks at
  // this afterwards: one at least cancels it.
  private volatile Flow.@Nullable Subscription subscription;

  // Written by the reader: when it left its last read, or AT_WORK; for close() of the client.
  private volatile long readAt = System.nanoTime();

  /**
   * A stream.
   *
   * @param expected bytes, if the head says; else negative
   * @param drain whether to read on when closed
   * @param event of the call, which ends with this
   */
  JdkResponseStream(Deadline deadline, long expected, boolean drain, CallEvent event) {
    this.deadline = deadline;
    this.drain = drain;
    this.pipe = new ResponseBodyPipe(WINDOW, Math.max(expected, 0), n -> ask(), this::cancel);
    this.pipe.ends(event);
  }

  // ---- the client's threads -------------------------------------------------------------------

  @Override
  public CompletionStage<InputStream> getBody() {
    return CompletableFuture.completedStage(this);
  }

  @Override
  public void onSubscribe(Flow.Subscription its) {
    subscription = its;
    if (pipe.isDone()) { // closed by a caller that was quicker
      its.cancel();
    } else {
      its.request(1);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> piece) {
    piece.forEach(pipe::gather);
    pipe.flush();
    asked.set(false);
    ask();
  }

  @Override
  public void onError(Throwable failure) {
    pipe.fail(failure);
  }

  @Override
  public void onComplete() {
    pipe.end();
  }

  private void ask() {
    Flow.Subscription its = subscription;
    if (its != null && pipe.available() < WINDOW && asked.compareAndSet(false, true)) {
      its.request(1);
    }
  }

  private void cancel() {
    Flow.Subscription its = subscription;
    if (its != null) {
      its.cancel();
    }
  }

  // ---- the reader -----------------------------------------------------------------------------

  @Override
  protected ResponseBodyPipe pipe() {
    return pipe;
  }

  @Override
  protected Deadline deadline() {
    return deadline;
  }

  @Override
  protected IOException closed() {
    return JdkFailures.closed();
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    if (pipe.available() == 0 && !pipe.isDone()) {
      JdkFailures.forbidWaiting();
    }
    readAt = AT_WORK;
    try {
      return super.read(b, off, len);
    } finally {
      readAt = System.nanoTime();
    }
  }

  @Override
  protected IOException failure(Exception end) {
    return JdkFailures.inWait("reading a body", end);
  }

  @Override
  public void close() {
    if (drain && !pipe.isDone()) {
      pipe.drain();
    }
    super.close();
  }

  /** The thread that waits in a read; null if none does. */
  @Nullable Thread waiter() {
    return pipe.waiter();
  }

  /** Whether nobody is in a read, and nobody has read for long. */
  boolean isForgotten() {
    long left = readAt;
    return left != AT_WORK && System.nanoTime() - left > FORGOTTEN_NANOS;
  }
}
