package io.heddle.apache;

import io.heddle.Deadline;
import java.util.concurrent.TimeUnit;

/**
 * How often one request goes again of which the server said that it did not process it: by a GOAWAY
 * with a lower stream, or REFUSED_STREAM (RFC 9113, 8.7). Such a request is safe to send again,
 * whatever its method. So is one that was never sent.
 *
 * <p>It goes again until the call's deadline, or {@value #MOST} times. A server that ends each
 * connection after ten requests refuses fifty of sixty callers each time; one that refuses as often
 * as this processes nothing. Not thread-safe: it is its caller's.
 */
final class Resends {

  static final int MOST = 1_000;

  /** So often at once; from then on a server that refuses all is not asked without a pause. */
  private static final int AT_ONCE = 10;

  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(32);

  private int count;

  /** Whether the request may go again now, which is then counted. */
  boolean again(Deadline deadline) {
    return !deadline.isExpired() && ++count <= MOST;
  }

  /** How long to wait before it goes again, in nanoseconds; 0 for not at all. */
  long pauseNanos() {
    int late = count - AT_ONCE;
    return late <= 0
        ? 0
        : Math.min(LONGEST_PAUSE, TimeUnit.MILLISECONDS.toNanos(1) << Math.min(late, 10));
  }
}
