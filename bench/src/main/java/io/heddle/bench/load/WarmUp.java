package io.heddle.bench.load;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * Calls until a client is warm: until in a second no more calls end than in the best second before,
 * and the JVM's compilers rest. The rate alone does not tell: it stands still, too, while the
 * compilers have the processors, or somebody else.
 */
final class WarmUp implements ClosedLoop.Watch {

  private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

  private static final Duration WINDOW = Duration.ofSeconds(1);

  /** A rate that is no more than so many times the best before it has not grown. */
  private static final double GROWN = 1.03;

  /** Compilers that work for less than this part of the time rest. */
  private static final double REST = 0.1;

  private final Duration most;
  private double bestRate;
  private Duration took = Duration.ZERO;

  /**
   * Makes one.
   *
   * @param most how long it may take
   */
  WarmUp(Duration most) {
    this.most = most;
  }

  @Override
  public void watch(Tally tally) throws InterruptedException {
    long start = System.nanoTime();
    boolean isWarm = false;
    while (!isWarm && took.compareTo(most) < 0) {
      long begin = System.nanoTime();
      long calls = tally.successes();
      long compiling = COMPILERS.getTotalCompilationTime();
      Duration left = most.minus(took);
      Thread.sleep(left.compareTo(WINDOW) < 0 ? left : WINDOW);
      double seconds = (System.nanoTime() - begin) / 1e9;
      isWarm =
          isWarm(
              (tally.successes() - calls) / seconds,
              (COMPILERS.getTotalCompilationTime() - compiling) / 1e3 / seconds);
      took = Duration.ofNanos(System.nanoTime() - start);
    }
  }

  /**
   * Whether it is over after one more second.
   *
   * @param rate calls that ended in it
   * @param compiling the part of it that compilers worked
   */
  boolean isWarm(double rate, double compiling) {
    boolean hasGrown = rate > GROWN * bestRate;
    bestRate = Math.max(bestRate, rate);
    return !hasGrown && compiling < REST;
  }

  Duration took() {
    return took;
  }
}
