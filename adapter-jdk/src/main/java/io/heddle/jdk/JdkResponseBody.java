package io.heddle.jdk;

import io.heddle.core.DeclaredLength;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
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
 * <p>The user's subscriber hears one signal at a time (Reactive Streams, 1.3), in the order in
 * which they came. He who comes first tells it; one who comes meanwhile leaves his signal to him,
 * and does not wait.
 *
 * @param <T> what the user makes of the body
 */
final class JdkResponseBody<T> implements BodySubscriber<T>, Flow.Subscription {

  private final BodySubscriber<T> user;
  private final JdkExchange<?> exchange;
  private final DeclaredLength length;

  private final Queue<Runnable> signals = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean telling = new AtomicBoolean();

  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicLong demand = new AtomicLong();
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
    if (length.declared() < 0 || length.admits(bytes(piece))) {
      tell(() -> user.onNext(piece));
    } else {
      end(new ProtocolException(length.toString()));
    }
  }

  private static long bytes(List<ByteBuffer> piece) {
    long bytes = 0;
    for (ByteBuffer each : piece) {
      bytes += each.remaining();
    }
    return bytes;
  }

  @Override
  public void onError(Throwable its) {
    failure.compareAndSet(null, exchange.failureOfBody(its));
    exchange.release(false);
    tell(this::fail);
  }

  @Override
  public void onComplete() {
    if (!length.isReached()) {
      onError(new ProtocolException(length.toString()));
      return;
    }
    exchange.release(true);
    tell(
        () -> {
          over = true;
          user.onComplete();
        });
  }

  // ---- the user's threads ---------------------------------------------------------------------

  @Override
  public void request(long n) {
    Flow.Subscription its = client;
    if (its != null) {
      exchange.heard(); // until now the silence was the reader's
      demand.accumulateAndGet(n, JdkUpload::sum);
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
      tell(this::fail);
    }
  }

  /** What the body has failed with; null if it has not. */
  @Nullable Throwable failure() {
    return failure.get();
  }

  /** Whether the reader wants more than has come. */
  boolean isAwaited() {
    return demand.get() > 0;
  }

  private void tell(Runnable signal) {
    signals.add(signal);
    while (!signals.isEmpty() && telling.compareAndSet(false, true)) {
      try {
        for (Runnable next = signals.poll(); next != null; next = signals.poll()) {
          if (!over) {
            next.run();
          }
        }
      } catch (Throwable t) {
        cancel(); // the client may still bring the failure
        throw t;
      } finally {
        telling.set(false);
      }
    }
  }

  private void subscribe() {
    if (!subscribed) {
      subscribed = true;
      user.onSubscribe(this);
    }
  }

  private void fail() {
    over = true;
    subscribe();
    user.onError(failure.get());
  }
}
