package io.heddle.core;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A point in time, on the clock of {@link System#nanoTime()}, up to which a caller is ready to
 * wait; or {@linkplain #none() none}. Immutable.
 */
public final class Deadline {

  /** As long as {@code nanoTime} differences may grow before they wrap: 292 years. */
  private static final long FOREVER = Long.MAX_VALUE;

  private static final Deadline NONE = new Deadline(0);

  private final long at;

  private Deadline(long at) {
    this.at = at;
  }

  /** The deadline that never comes. */
  public static Deadline none() {
    return NONE;
  }

  /**
   * A deadline that is so far away from now.
   *
   * @param timeout zero is a deadline that is over; more than 146 years is {@link #none()}
   * @throws IllegalArgumentException if {@code timeout} is negative
   */
  public static Deadline after(Duration timeout) {
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("negative timeout: " + timeout);
    }
    return afterNanos(saturatedNanos(timeout));
  }

  /**
   * A deadline that is so many nanoseconds away from now.
   *
   * @param nanos zero is a deadline that is over; more than 146 years is {@link #none()}
   * @throws IllegalArgumentException if {@code nanos} is negative
   */
  public static Deadline afterNanos(long nanos) {
    if (nanos < 0) {
      throw new IllegalArgumentException("negative timeout: " + nanos + " ns");
    }
    return nanos > FOREVER / 2 ? NONE : new Deadline(System.nanoTime() + nanos);
  }

  /** Whether this is the deadline that never comes. */
  public boolean isNone() {
    return this == NONE;
  }

  /** Whether the deadline is over. */
  public boolean isExpired() {
    return this != NONE && at - System.nanoTime() <= 0;
  }

  /** The time left; zero once the deadline is over, {@link Long#MAX_VALUE} ns for none. */
  public Duration remaining() {
    return Duration.ofNanos(remainingNanos());
  }

  /** The time left, in ns; 0 once the deadline is over, {@link Long#MAX_VALUE} for none. */
  public long remainingNanos() {
    return this == NONE ? FOREVER : Math.max(0, at - System.nanoTime());
  }

  /** The one of the two that comes first. */
  public Deadline earlier(Deadline other) {
    if (this == NONE) {
      return other;
    }
    return other == NONE || at - other.at <= 0 ? this : other;
  }

  @Override
  public String toString() {
    return this == NONE
        ? "no deadline"
        : "deadline in " + TimeUnit.NANOSECONDS.toMillis(at - System.nanoTime()) + " ms";
  }

  private static long saturatedNanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException tooLong) {
      return FOREVER;
    }
  }
}
