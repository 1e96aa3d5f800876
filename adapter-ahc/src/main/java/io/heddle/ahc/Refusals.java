package io.heddle.ahc;

import io.heddle.Deadline;
import io.heddle.Exchange;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * How often the server has said of one call that it did not process it, with GOAWAY or
 * REFUSED_STREAM (RFC 9113, 6.8 and 8.7). Such a call goes again until its deadline, whatever the
 * number of its retries; a server that is well never reaches {@value #MAX}. From the fifth on the
 * caller pauses before it goes again, so that a server that turns all away is not stormed. For one
 * thread.
 */
final class Refusals {

  /** A call that was refused more often fails. */
  static final int MAX = 100;

  private static final int AT_ONCE = 4;
  private static final int MOST_MILLIS = 50;

  private final Deadline deadline;
  private int count;

  /** None yet, of a call that has so much time. */
  Refusals(Deadline deadline) {
    this.deadline = deadline;
  }

  /**
   * Counts one more, and pauses if there were some.
   *
   * @param waiting is told of a pause before it begins, so that somebody can end it
   * @return whether the call may go again
   * @throws InterruptedException if the caller was interrupted in a pause
   */
  boolean mayGoAgain(Consumer<Exchange<?>> waiting) throws InterruptedException {
    if (++count > MAX || deadline.isExpired()) {
      return false;
    }
    if (count > AT_ONCE) {
      Exchange<Boolean> pause = new Exchange<>();
      waiting.accept(pause);
      long millis = Math.min(MOST_MILLIS, 2L * (count - AT_ONCE));
      pause.awaitDone(deadline.earlier(Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(millis))));
    }
    return true;
  }
}
