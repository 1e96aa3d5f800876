package io.heddle.bench.measure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Some values of the same thing: their median, and between what they lie.
 *
 * @param count how many there are
 */
public record Spread(double median, double min, double max, int count) {

  /** Of these; null if there are none. NaN is left out. */
  static @Nullable Spread of(DoubleStream values) {
    double[] sorted = values.filter(Double::isFinite).sorted().toArray();
    if (sorted.length == 0) {
      return null;
    }
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], Arrays.stream(sorted).max().orElseThrow(), sorted.length);
  }

  /** Of what one is, divided by what the other was in the same round; null if there is no pair. */
  public static @Nullable Spread ofRatios(List<Double> ones, List<Double> others) {
    return of(
        IntStream.range(0, Math.min(ones.size(), others.size()))
            .mapToDouble(i -> ones.get(i) / others.get(i)));
  }
}
