package io.heddle.jdk;

import io.heddle.core.Deadline;
import io.heddle.core.DeclaredLength;
import io.heddle.core.Exchange;
import java.net.ProtocolException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeoutException;
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
final class JdkResponseBody<T> implements Flow.Subscriber<List<ByteBuffer>>, Flow.Subscription {

  /**
   * The head of a response, and where its body comes from: the JDK's own subscriber that publishes,
   * which the client asks for its body where it is. One that it does not know it asks on its
   * executor, which costs each call a hand-over.
   */
  record Source(ResponseInfo info, BodySubscriber<Flow.Publisher<List<ByteBuffer>>> publisher) {}

  private final BodySubscriber<T> user;
  private final Exchange<T> made = new Exchange<>();
  private final JdkExchange<?> exchange;
  private final DeclaredLength length;

  /** 0: nobody tells; else one does, and what is above 1 came meanwhile, or after the end. */
  private final AtomicInteger telling = new AtomicInteger();

  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicLong demand = new AtomicLong();
  private final AtomicLong held = new AtomicLong(); // of that, what the client does not know yet
  private volatile boolean cancelled;
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

  // ---- the caller -----------------------------------------------------------------------------

  /**
   * Takes the body from there, and waits for what the user makes of it. The user's subscriber may
   * hear all of it within this.
   *
   * @throws ExecutionException what the user's, or else the body, failed with
   */
  T await(Source source, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    take(source);
    try {
      var unused = user.getBody().whenComplete(this::made);
    } catch (Throwable t) {
      end(t);
    }
    return made.await(deadline);
  }

  /** For what nobody waits for: what is not taken cannot be cancelled. Any thread. */
  void drop(Source source) {
    end(JdkFailures.closed());
    take(source);
  }

  private void take(Source source) {
    var unused = source.publisher().getBody().thenAccept(its -> its.subscribe(this));
  }

  private void made(T value, @Nullable Throwable why) {
    if (why == null) {
      made.complete(value); // wakes the caller
    } else {
      made.fail(
          why instanceof CompletionException && why.getCause() != null ? why.getCause() : why);
    }
  }

  // ---- the client's threads -------------------------------------------------------------------

  @Override
  public void onSubscribe(Flow.Subscription its) {
    tell(this::subscribe);
    client = its; // not before: the JDK's publisher may bring the first piece while it subscribes
    if (cancelled) {
      its.cancel(); // the end came first, and found nothing to cancel
    } else {
      pass(its);
    }
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
    client = null;
    failure.compareAndSet(null, exchange.failureOfBody(its));
    exchange.ended(this, false);
    tell(() -> {});
  }

  @Override
  public void onComplete() {
    client = null;
    exchange.ended(this, length.isReached());
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
    if (n <= 0) { // Reactive Streams, 3.9
      end(new IllegalArgumentException("non-positive request: " + n));
      return;
    }
    exchange.heard(); // until now the silence was the reader's
    demand.accumulateAndGet(n, JdkResponseBody::sum);
    held.accumulateAndGet(n, JdkResponseBody::sum);
    Flow.Subscription its = client;
    if (its != null) {
      pass(its);
    }
  }

  private void pass(Flow.Subscription its) {
    long n = held.getAndSet(0);
    if (n > 0) {
      its.request(n);
    }
  }

  private static long sum(long had, long more) {
    return Math.min(had, Long.MAX_VALUE - more) + more;
  }

  @Override
  public void cancel() {
    cancelled = true; // before the look at `client`: who sets that sees it
    Flow.Subscription its = client;
    if (its != null) {
      its.cancel();
    }
    exchange.ended(this, false);
  }

  // ---- any thread -----------------------------------------------------------------------------

  /** Ends the body with this failure, unless it is over. Runs the user's {@code onError}. */
  void end(Throwable why) {
    if (failure.compareAndSet(null, why)) {
      cancel();
      tell(() -> {});
      made.fail(why); // wakes the caller, even if the user's subscriber is at work still
    }
  }

  /** Whether its reader ends the call. */
  boolean isStream() {
    return user instanceof JdkResponseStream;
  }

  /** The thread that waits in a read, or for the whole; null if none does, or one cannot know. */
  @Nullable Thread reader() {
    return user instanceof JdkResponseStream stream ? stream.waiter() : made.waiter();
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
        made.fail(why); // wakes the caller, if the user's subscriber has not
      }
      teller = null;
      seen = telling.addAndGet(-seen);
      if (seen == 0) {
        return;
      }
      teller = me;
    }
  }

  /** What the user's code throws ends the body. */
  private void bring(Runnable signal) {
    if (!over) {
      try {
        signal.run();
      } catch (Throwable t) {
        failure.compareAndSet(null, t);
        cancel();
      }
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
