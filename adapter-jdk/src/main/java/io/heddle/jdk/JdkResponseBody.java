package io.heddle.jdk;

import io.heddle.core.DeclaredLength;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the client and the user's {@link BodySubscriber}, so that a body can be ended from
 * outside, and that its end is seen.
 *
 * <pre>{@code
 * OPEN ──onComplete, onError──▶ OVER   the user's subscriber is told; the call's place is free
 *   ├────cancel, by the user──▶ OVER   the client is told
 *   └────end, by deadline ────▶ OVER   both are told
 * }</pre>
 *
 * <p>The user's subscriber hears one signal at a time (Reactive Streams, 1.3). He who comes first
 * tells it; one who comes meanwhile leaves a mark, and {@link #end} does not wait: he who is at it
 * then brings the failure as his last signal.
 *
 * @param <T> what the user makes of the body
 */
final class JdkResponseBody<T> implements BodySubscriber<T>, Flow.Subscription {

  private final BodySubscriber<T> user;
  private final JdkExchange<?> exchange;
  private final DeclaredLength length;

  /** 0: nobody tells; else one does, and what is above 1 came meanwhile, or after the end. */
  private final AtomicInteger telling = new AtomicInteger();

  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicLong demand = new AtomicLong();
  private volatile @Nullable Thread teller;
  private volatile Flow.@Nullable Subscription client;

  // Teller only.
  private boolean subscribed;
  private boolean over;

  /**
   * A body.
   *
   * @param declared how many bytes it must have, where the client does not look; else negative
   * @param exchange hears of what comes, and of the end, once or more
   */
  JdkResponseBody(BodySubscriber<T> user, long declared, JdkExchange<?> exchange) {
    this.user = user;
    this.exchange = exchange;
    this.length = new DeclaredLength(declared);
  }

  // ---- the client's threads -------------------------------------------------------------------

  @Override
  public CompletionStage<T> getBody() {
    return user.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription its) {
    client = its;
    if (failure.get() != null) {
      its.cancel(); // the end came first, and found nothing to cancel
    }
    tell(this::subscribe);
  }

  @Override
  public void onNext(List<ByteBuffer> piece) {
    exchange.heard();
    demand.decrementAndGet();
    tell(
        () -> {
          if (length.declared() < 0 || length.admits(bytes(piece))) {
            user.onNext(piece);
          } else if (failure.compareAndSet(null, new ProtocolException(length.toString()))) {
            cancel();
          }
        });
  }

  @Override
  public void onError(Throwable its) {
    failure.compareAndSet(null, exchange.failureOfBody(its));
    exchange.release(false);
    tell(() -> {});
  }

  @Override
  public void onComplete() {
    exchange.release(length.isReached());
    tell(
        () -> {
          if (length.isReached()) {
            over = true;
            user.onComplete();
          } else {
            failure.compareAndSet(null, new ProtocolException(length.toString()));
          }
        });
  }

  // ---- the user's threads ---------------------------------------------------------------------

  @Override
  public void request(long n) {
    Flow.Subscription its = client;
    if (its != null) {
      exchange.heard(); // until now the silence was the reader's
      demand.accumulateAndGet(n, (had, more) -> Math.min(had, Long.MAX_VALUE - more) + more);
      its.request(n);
    }
  }

  @Override
  public void cancel() {
    Flow.Subscription its = client;
    if (its != null) {
      its.cancel();
    }
    exchange.release(false);
  }

  // ---- any thread -----------------------------------------------------------------------------

  /** Ends the body with this failure, unless it is over. Runs the user's {@code onError}. */
  void end(IOException why) {
    if (failure.compareAndSet(null, why)) {
      cancel();
      tell(() -> {});
    }
  }

  /** Whether its reader ends the call. */
  boolean isStream() {
    return user instanceof JdkResponseStream;
  }

  /** The thread that waits in a read; null if none does, or one cannot know. */
  @Nullable Thread reader() {
    return user instanceof JdkResponseStream stream ? stream.waiter() : null;
  }

  /** What the body has failed with; null if it has not. */
  @Nullable Throwable failure() {
    return failure.get();
  }

  /** Whether the reader wants more than has come. */
  boolean isAwaited() {
    return demand.get() > 0;
  }

  /** Whether nobody reads it, and nobody did for so long; false where one cannot know. */
  boolean isForgotten(long nanos) {
    return user instanceof JdkResponseStream stream && stream.isForgotten(nanos);
  }

  /** Brings the signal, and then what failed the body; or leaves it to him who is at it. */
  private void tell(Runnable signal) {
    Thread me = Thread.currentThread();
    if (me.equals(teller)) { // within a signal: a request may bring the next one at once
      bring(signal);
      return;
    }
    if (telling.getAndIncrement() > 0) {
      return; // a failure, which he finds; or what comes after one
    }
    teller = me;
    int seen = 1;
    try {
      bring(signal);
      while (true) {
        Throwable why = failure.get();
        if (why != null) {
          bring(
              () -> {
                over = true;
                subscribe();
                user.onError(why);
              });
        }
        teller = null;
        seen = telling.addAndGet(-seen);
        if (seen == 0) {
          return;
        }
        teller = me;
      }
    } catch (Throwable t) {
      teller = null;
      telling.set(0); // the client may still bring the failure
      cancel();
      throw t;
    }
  }

  private void bring(Runnable signal) {
    if (!over) {
      signal.run();
    }
  }

  private void subscribe() {
    if (!subscribed) {
      subscribed = true;
      user.onSubscribe(this);
    }
  }

  private static long bytes(List<ByteBuffer> piece) {
    long bytes = 0;
    for (ByteBuffer each : piece) {
      bytes += each.remaining();
    }
    return bytes;
  }
}
