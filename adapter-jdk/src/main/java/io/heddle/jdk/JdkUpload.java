package io.heddle.jdk;

import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the user's body and the client, which over HTTP/2 forgets a body that waits for
 * its window when the call ends: its writer would wait for ever. So the exchange cancels it.
 *
 * <p>The client also forgets one whose stream is beyond the server's GOAWAY: the call would wait
 * for ever. It finds out when it next looks for a window, so the exchange {@link #nudge nudges} it.
 */
final class JdkUpload implements Flow.Subscriber<ByteBuffer>, Flow.Subscription {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final Flow.Subscriber<? super ByteBuffer> client;
  private volatile Flow.@Nullable Subscription user;
  private volatile boolean over;
  private volatile boolean held;
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
    held = true;
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
    held = false;
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

  /**
   * Has a client that holds a piece look again whether it may be sent. Over HTTP/2 it takes an
   * empty piece at any time, from any thread, and for that asks for none more.
   */
  void nudge() {
    if (held && !over) {
      client.onNext(NOTHING);
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
