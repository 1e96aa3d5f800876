package io.heddle.conformance;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * How long the rules wait for what must happen: upper bounds, generous for a busy machine with two
 * cores. The system property {@code heddle.conformance.patience} multiplies them all.
 */
final class Bounds {

  private static final String PROPERTY = "heddle.conformance.patience";

  private static final int PATIENCE = Integer.getInteger(PROPERTY, 1);

  /** From an interrupt, a cancel, a close or a deadline to the end of the call. */
  static final Duration PROMPT = Duration.ofMillis(1500L * PATIENCE);

  /** From when something is sent to when its receiver has heeded it, which nobody else sees. */
  static final Duration ARRIVAL = Duration.ofMillis(200L * PATIENCE);

  /** From the end of a call to the end of its lease. */
  static final Duration RELEASE = Duration.ofMillis(1000L * PATIENCE);

  /** For what has to happen, but may take as long as it takes. */
  static final Duration LONG = Duration.ofSeconds(10L * PATIENCE);

  /** What has not changed for so long has come to rest. */
  private static final Duration REST = Duration.ofMillis(300L * PATIENCE);

  private Bounds() {}

  /** How the other JVM is told. */
  static String option() {
    return "-D" + PROPERTY + "=" + PATIENCE;
  }

  /**
   * A time that something must have come to pass in, or that it may cost; or one that must be
   * longer than such, or is meant to be as long on a machine that is slow.
   */
  static Duration patient(Duration time) {
    return time.multipliedBy(PATIENCE);
  }

  /** As {@link #patient}, in ms. */
  static long patientMillis(long millis) {
    return millis * PATIENCE;
  }

  static Duration limit(Rule rule) {
    return Duration.ofSeconds((long) rule.limit() * PATIENCE);
  }

  /** Waits until the condition holds, and says whether it did so in time. */
  static boolean holds(Duration within, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > within.toNanos()) {
        return condition.getAsBoolean();
      }
      sleep(2);
    }
    return true;
  }

  /** Waits until the condition holds, and fails if it does not in time. */
  static void await(Duration within, String what, BooleanSupplier condition) {
    if (!holds(within, condition)) {
      throw new AssertionError("not within " + within.toMillis() + " ms: " + what);
    }
  }

  /** Waits until a figure no longer changes for a while, and returns it. */
  static long settled(LongSupplier figure) {
    long[] last = {figure.getAsLong(), System.nanoTime()};
    await(
        LONG,
        "a figure comes to rest, last " + last[0],
        () -> {
          long now = figure.getAsLong();
          if (now != last[0]) {
            last[0] = now;
            last[1] = System.nanoTime();
          }
          return System.nanoTime() - last[1] > REST.toNanos();
        });
    return last[0];
  }

  /**
   * Waits for so long, whoever unparks the thread meanwhile, as libraries do that the rules are
   * called by. An interrupt ends it, and stays.
   */
  static void park(Duration time) {
    long until = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos();
        left > 0 && !Thread.currentThread().isInterrupted();
        left = until - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Between two looks at something that is costly to look at. */
  static void pause() {
    sleep(50);
  }

  private static void sleep(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted: the rule has reached its time limit", e);
    }
  }
}
