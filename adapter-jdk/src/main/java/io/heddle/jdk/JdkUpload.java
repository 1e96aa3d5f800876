package io.heddle.jdk;

import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the user's body and the client, which over HTTP/2 forgets a body that waits for
 * its window when the call ends, or when the client makes the request once more: its writer would
 * wait for ever. So the exchange cancels it.
 *
 * <p>Over HTTP/2 and HTTP/3 the client asks for more on the thread that reads the connection, when
 * that has brought a window. The user's body may wait there, perhaps for an answer that comes on
 * the same connection; so it is asked on a virtual thread of its own, unless it is at work already,
 * or in memory.
 *
 * <p>Over HTTP/2 the client also forgets one whose stream is beyond the server's GOAWAY: the call
 * would wait for ever. It finds out when it next looks for a window, so it is {@link #nudge
 * nudged}.
 *
 * <pre>{@code
 * NEW ──request──▶ ASKED ──onNext──▶ HELD   the client has a piece, and may wait for its window
 *                    ▲                 │
 *                    └─────request─────┘    HTTP/2: one in ASKED is a nudge's, not passed on
 *
 * from each, by onComplete, onError or cancel ──▶ OVER: nothing is asked any more
 * }</pre>
 *
 * <p>One thread asks the user's body at a time. Where a stream fails, the JDK's publisher of it may
 * say that the body is whole, and throw then (PullPublisher, in 21 and 25): what a body says of its
 * end while it is asked counts once it has returned.
 */
final class JdkUpload implements Flow.Subscriber<ByteBuffer>, Flow.Subscription {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /** How often one that waits for its window is looked after. */
  private static final long NUDGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Flow.Subscriber<? super ByteBuffer> client;
  private final boolean nudged;
  private final boolean waits;
  private final LongConsumer ended;
  private volatile Flow.@Nullable Subscription user;
  private volatile boolean over;
  private volatile boolean begun;
  private volatile boolean held;
  private final AtomicLong wanted = new AtomicLong();
  private volatile @Nullable Thread asking;
  private boolean whole; // by the thread that asks
  private volatile long bytes; // by the thread that brings them
  private volatile long movedAt = System.nanoTime();
  private volatile @Nullable Future<?> watch;

  /**
   * An upload that nothing has been sent of.
   *
   * @param nudged whether the client is to be nudged: over HTTP/2
   * @param waits whether who asks the user's body may have to wait where nobody may
   * @param ended is told how many bytes there were as it ends, once or more
   */
  JdkUpload(
      Flow.Subscriber<? super ByteBuffer> client,
      boolean nudged,
      boolean waits,
      LongConsumer ended) {
    this.client = client;
    this.nudged = nudged;
    this.waits = waits;
    this.ended = ended;
  }

  @Override
  public void onSubscribe(Flow.Subscription its) {
    user = its;
    if (over) {
      its.cancel(); // it was cancelled before
    }
    client.onSubscribe(this);
  }

  @Override
  public void onNext(ByteBuffer piece) {
    held = true;
    long before = bytes;
    bytes = before + piece.remaining();
    client.onNext(piece);
  }

  @Override
  public void onError(Throwable failure) {
    end();
    client.onError(failure);
  }

  @Override
  public void onComplete() {
    if (Thread.currentThread().equals(asking)) {
      whole = true;
    } else {
      complete();
    }
  }

  private void complete() {
    end();
    client.onComplete();
  }

  private void end() {
    ended.accept(bytes); // before it is seen to be over
    over = true;
    Future<?> its = watch;
    if (its != null) {
      its.cancel(false);
    }
  }

  @Override
  public void request(long n) {
    movedAt = System.nanoTime();
    boolean forNudge = begun && !held;
    begun = true;
    held = false;
    Flow.Subscription its = user;
    if (its == null || over || (nudged && forNudge)) {
      return;
    }
    if (wanted.getAndAccumulate(n, JdkUpload::sum) > 0) {
      return; // he who asks at the moment asks for this, too
    } else if (waits) {
      Thread.ofVirtual()
          .name("heddle-jdk-asker")
          .inheritInheritableThreadLocals(false)
          .start(() -> ask(its));
    } else {
      ask(its);
    }
  }

  /** Demand of Reactive Streams adds up to no more than this. */
  static long sum(long a, long b) {
    return Math.min(a, Long.MAX_VALUE - b) + b;
  }

  /** Within this the body brings pieces, and the client asks for more, which comes next. */
  private void ask(Flow.Subscription its) {
    long n;
    do {
      n = wanted.get();
      asking = Thread.currentThread();
      try {
        its.request(n);
      } catch (Throwable t) { // nobody else is here to catch it
        onError(t);
        return; // and nobody asks again
      } finally {
        asking = null;
      }
      if (whole) {
        complete();
        return;
      }
    } while (wanted.addAndGet(-n) > 0);
  }

  /** Ends the body, if it did not end before. Any thread, any number of times. */
  @Override
  public void cancel() {
    Flow.Subscription its = user;
    boolean first = !over;
    end();
    if (its != null && first) {
      its.cancel();
    }
  }

  /**
   * Has a client that holds a piece look again whether it may be sent. Over HTTP/2 it takes an
   * empty piece at any time, from any thread. If it has sent the other meanwhile, it asks for one
   * more than it was given, which is not passed on.
   */
  void nudge() {
    if (held && !over) {
      client.onNext(NOTHING);
    }
  }

  /** Whether nothing more comes of it. */
  boolean isOver() {
    return over;
  }

  // ---- the exchange ---------------------------------------------------------------------------

  /** Nudges it from time to time, until it is over, or the call is. */
  void watch(BooleanSupplier callIsOver) {
    if (nudged) {
      watch =
          JdkTimer.after(
              NUDGE_NANOS,
              () -> {
                if (!over && !callIsOver.getAsBoolean()) {
                  watch(callIsOver);
                  nudge();
                }
              });
      if (over) {
        end();
      }
    }
  }

  /**
   * The call is over, or the client makes the request again.
   *
   * @param whole whether there is a whole answer: then this goes on while the server takes of it
   */
  void answered(boolean whole) {
    if (!whole) {
      cancel();
    } else if (!over) {
      cancelOnceStalled();
    }
  }

  private void cancelOnceStalled() {
    long before = movedAt;
    var unused =
        JdkTimer.after(
            STALL_NANOS,
            () -> {
              if (!over && movedAt != before) {
                cancelOnceStalled();
              } else {
                cancel();
              }
            });
  }
}
