package io.heddle.jdk;

import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the user's body and the client, which over HTTP/2 forgets a body that waits for
 * its window when the call ends: its writer would wait for ever. So the exchange cancels it.
 */
final class JdkUpload implements Flow.Subscriber<ByteBuffer>, Flow.Subscription {

  private final Flow.Subscriber<? super ByteBuffer> client;
  private volatile Flow.@Nullable Subscription user;
  private volatile boolean over;
  private volatile long movedAt = System.nanoTime();

  JdkUpload(Flow.Subscriber<? super ByteBuffer> client) {
    this.client = client;
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
    client.onNext(piece);
  }

  @Override
  public void onError(Throwable failure) {
    over = true;
    client.onError(failure);
  }

  @Override
  public void onComplete() {
    over = true;
    client.onComplete();
  }

  @Override
  public void request(long n) {
    movedAt = System.nanoTime();
    Flow.Subscription its = user;
    if (its != null && !over) {
      its.request(n);
    }
  }

  /** Ends the body, if it did not end before. Any thread, any number of times. */
  @Override
  public void cancel() {
    Flow.Subscription its = user;
    boolean first = !over;
    over = true;
    if (its != null && first) {
      its.cancel();
    }
  }

  boolean isOver() {
    return over;
  }

  /** When the client last wanted more, on the clock of {@link System#nanoTime()}. */
  long movedAt() {
    return movedAt;
  }
}
