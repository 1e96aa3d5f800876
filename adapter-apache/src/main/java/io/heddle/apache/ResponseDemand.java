package io.heddle.apache;

import io.heddle.core.Demand;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.jspecify.annotations.Nullable;

/**
 * How much more of a response body the engine may deliver: what the caller has read, and what came
 * while the caller still wrote its request, and could not read. A server that reads on only as it
 * gets rid of its answer would wait for the reader, and the writer for the server: so the answer is
 * taken in, to a bound.
 *
 * <pre>{@code
 * came, to a writer ──▶ owed ──as soon as there is a channel──▶ paid   and again when it is read:
 * read ───────────────▶ owed, but for what was paid ahead              not twice
 * }</pre>
 */
final class ResponseDemand implements Demand {

  /**
   * How much of a response may wait, in bytes, while its caller still writes the request, beyond
   * the window that it has anyway.
   */
  static final int MOST_AHEAD = 8 * 1024 * 1024;

  private static final AtomicIntegerFieldUpdater<ResponseDemand> OWED =
      AtomicIntegerFieldUpdater.newUpdater(ResponseDemand.class, "owed");

  private static final AtomicIntegerFieldUpdater<ResponseDemand> PAID_AHEAD =
      AtomicIntegerFieldUpdater.newUpdater(ResponseDemand.class, "paidAhead");

  private final Consumer<Exception> broken;

  // I/O thread only.
  private long ahead;

  // Written by the I/O thread, read by any.
  private volatile @Nullable CapacityChannel channel;

  // Shared, under compare-and-set.
  private volatile int owed;
  private volatile int paidAhead;

  /**
   * Nothing is owed yet.
   *
   * @param broken told if the engine cannot be told; any thread
   */
  ResponseDemand(Consumer<Exception> broken) {
    this.broken = broken;
  }

  /** The caller has read so much. */
  @Override
  public void request(int bytes) {
    int paid = paidAhead == 0 ? 0 : PAID_AHEAD.getAndUpdate(this, all -> Math.max(0, all - bytes));
    owe(bytes - Math.min(bytes, paid));
  }

  /**
   * So much came to a caller that still writes; I/O thread.
   *
   * @return false if that is too much in all
   */
  boolean takeAhead(int bytes) {
    ahead += bytes;
    if (ahead > MOST_AHEAD) {
      return false;
    }
    PAID_AHEAD.addAndGet(this, bytes);
    owe(bytes);
    return true;
  }

  /** The engine is ready to be told; I/O thread. */
  void goesTo(CapacityChannel channel) {
    this.channel = channel;
    pay(channel);
  }

  private void owe(int bytes) {
    OWED.addAndGet(this, bytes);
    CapacityChannel to = channel;
    if (to != null) {
      pay(to);
    }
  }

  /** Called after a change on either side, so that one of the two sees both. */
  private void pay(CapacityChannel to) {
    int bytes = owed == 0 ? 0 : OWED.getAndSet(this, 0);
    if (bytes > 0) {
      ReactorSession.unlessClosing(
          () -> {
            try {
              to.update(bytes);
            } catch (IOException e) {
              broken.accept(e);
            }
          });
    }
  }
}
