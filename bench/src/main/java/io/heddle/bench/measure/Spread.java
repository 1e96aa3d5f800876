package io.heddle.bench.measure;

import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.jspecify.annotations.Nullable;

/**
 * What some rounds found of the same thing: their median, and an interval for the median of all
 * rounds that there might be.
 *
 * <p>The interval is that of order statistics: how many of n rounds lie below the true median is
 * binomial with a chance of one half, whatever the rounds' distribution is. So the interval from
 * the k-th least to the k-th greatest misses it with a chance of 2 P(X &lt; k). It needs no normal
 * distribution, no resampling and no seed; it takes the rounds as independent of each other. The
 * narrowest is taken that has a confidence of {@link #ENOUGH}; if there are too few rounds for one,
 * all that they saw, with what confidence that has.
 *
 * @param low where the interval begins
 * @param high where it ends
 * @param confidence the chance that such an interval has the true median in it
 * @param count how many rounds there are
 */
public record Spread(double median, double low, double high, double confidence, int count) {

  /**
   * With less an interval decides nothing. A bar lies on one side of it, so that a decision is
   * wrong with a chance of 5 % at most.
   */
  static final double ENOUGH = 0.9;

  private static final double HALF = 0.5;

  /** Of these; null if there are none. NaN is left out. */
  public static @Nullable Spread of(DoubleStream values) {
    double[] sorted = values.filter(Double::isFinite).sorted().toArray();
    int count = sorted.length;
    if (count == 0) {
      return null;
    }
    BinomialDistribution below = BinomialDistribution.of(count, HALF);
    int k = Math.max(1, below.inverseCumulativeProbability((1 - ENOUGH) / 2));
    return new Spread(
        (sorted[(count - 1) / 2] + sorted[count / 2]) / 2,
        sorted[k - 1],
        sorted[count - k],
        1 - 2 * below.cumulativeProbability(k - 1),
        count);
  }

  /** Of what comes of the two in the same round; null if there is no pair. */
  public static @Nullable Spread ofPairs(
      List<Double> ones, List<Double> others, DoubleBinaryOperator what) {
    return of(
        IntStream.range(0, Math.min(ones.size(), others.size()))
            .mapToDouble(i -> what.applyAsDouble(ones.get(i), others.get(i))));
  }

  /** Of what one is, divided by what the other was in the same round; null if there is no pair. */
  public static @Nullable Spread ofRatios(List<Double> ones, List<Double> others) {
    return ofPairs(ones, others, (one, other) -> one / other);
  }

  /** Whether there were rounds enough to say on which side of a bar the median lies. */
  public boolean decides() {
    return confidence >= ENOUGH;
  }
}
