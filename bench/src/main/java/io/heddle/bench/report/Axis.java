package io.heddle.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Values on a line of a chart.
 *
 * @param from the least value, at {@code start}
 * @param to the greatest, at {@code end}
 */
record Axis(double from, double to, double start, double end, boolean isLog) {

  static Axis linear(double from, double to, double start, double end) {
    return new Axis(from, Math.max(to, from + 1e-9), start, end, false);
  }

  /** From the power of ten below to that above. */
  static Axis log(double least, double most, double start, double end) {
    double from = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1e-6))));
    double to = Math.pow(10, Math.ceil(Math.log10(Math.max(most, from * 1.01))));
    return new Axis(from, to, start, end, true);
  }

  /** Where the value is; one outside lies at the nearer end. */
  double at(double value) {
    double part =
        isLog
            ? Math.log(Math.max(value, from) / from) / Math.log(to / from)
            : (value - from) / (to - from);
    return start + Math.clamp(part, 0.0, 1.0) * (end - start);
  }

  /** Round values to be marked: powers of ten, or about five steps. */
  List<Double> ticks() {
    List<Double> ticks = new ArrayList<>();
    if (isLog) {
      for (double tick = from; tick <= to * 1.001; tick *= 10) {
        ticks.add(tick);
      }
      return ticks;
    }
    double step = step((to - from) / 5);
    for (long i = (long) Math.ceil(from / step); i * step <= to * 1.000_1; i++) {
      ticks.add(i * step);
    }
    return ticks;
  }

  private static double step(double rough) {
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    double digit = rough / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  }
}
