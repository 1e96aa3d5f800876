package io.heddle.core;

import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * How often one request goes again, and after what pause. For adapters, each of which knows what
 * its library tells of a failure.
 *
 * <table>
 *   <caption>What goes again, of requests whose body can be sent again</caption>
 *   <tr><th>What failed</th><th>Which</th><th>How often</th></tr>
 *   <tr><td>the server says that it did not process it, by a GOAWAY with a lower stream or by
 *       REFUSED_STREAM (RFC 9113, 6.8 and 8.7); or it was never sent</td>
 *       <td>any</td><td>until the deadline, {@value #MOST_UNPROCESSED} times, with pauses from the
 *       eleventh on</td></tr>
 *   <tr><td>a connection that had served others ended before the response began, so the server had
 *       probably left it before (RFC 9110, 9.2.2; RFC 9112, 9.3.1)</td>
 *       <td>{@linkplain #isSafe safe} ones without a body</td><td>{@value #MOST_LOST}
 *       times, unless the library has a setting for it</td></tr>
 * </table>
 *
 * <p>A server that ends each connection after ten requests refuses fifty of sixty callers each
 * time; one that refuses as often as this processes nothing. The pauses keep such a server from
 * being stormed.
 *
 * <p>One thread at a time counts; any thread may look.
 */
public final class Resends {

  /** So often goes what was not processed. */
  public static final int MOST_UNPROCESSED = 1_000;

  /** So often goes what was lost: a server that leaves one connection leaves others too. */
  public static final int MOST_LOST = 3;

  private static final int AT_ONCE = 10;

  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(32);

  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

  private final Deadline deadline;
  private final int most;
  private volatile int unprocessed;
  private volatile int lost;

  /** None yet, of a call that has so much time. */
  public Resends(Deadline deadline) {
    this(deadline, MOST_UNPROCESSED);
  }

  /**
   * The same for a library that sends more than one request each time.
   *
   * @param most how often goes what was not processed
   */
  public Resends(Deadline deadline, int most) {
    this.deadline = deadline;
    this.most = most;
  }

  /** Whether a request with this method changes nothing on the server (RFC 9110, 9.2.1). */
  public static boolean isSafe(String method) {
    return SAFE.contains(method);
  }

  /** Whether a request with this method may be processed twice (RFC 9110, 9.2.2). */
  public static boolean isIdempotent(String method) {
    return IDEMPOTENT.contains(method);
  }

  /**
   * Counts a request that was not processed; whether it may go again, after {@link #pauseNanos}.
   */
  public boolean unprocessed() {
    int times = unprocessed + 1;
    unprocessed = times;
    return times <= most && !deadline.isExpired();
  }

  /** Counts a request that was lost with its connection; whether it may go again, at once. */
  public boolean lost() {
    int times = lost + 1;
    lost = times;
    return times <= MOST_LOST && !deadline.isExpired();
  }

  /**
   * How long to wait before what was not processed goes again, in nanoseconds: 0 at first; then
   * longer each time, up to {@code 32} ms; and by chance up to half of that less, so that those who
   * were refused together do not come again together.
   */
  public long pauseNanos() {
    int late = unprocessed - AT_ONCE;
    if (late <= 0) {
      return 0;
    }
    long longest = Math.min(LONGEST_PAUSE, TimeUnit.MILLISECONDS.toNanos(1) << Math.min(late, 10));
    return ThreadLocalRandom.current().nextLong(longest / 2, longest);
  }

  /**
   * Waits for {@link #pauseNanos}, or until the deadline.
   *
   * @throws InterruptedException if the caller is interrupted; the flag is cleared
   */
  public void pause() throws InterruptedException {
    long nanos = pauseNanos();
    if (nanos > 0) {
      new Signal().await(deadline.earlier(Deadline.afterNanos(nanos))); // which nobody raises
    }
  }
}
