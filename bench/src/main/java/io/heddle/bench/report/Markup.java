package io.heddle.bench.report;

import io.heddle.bench.contestants.Mode;
import io.heddle.bench.measure.Spread;
import java.util.Locale;

/** Numbers as a reader wants them. */
public final class Markup {

  /** What a figure and its brackets are. */
  static final String METHOD_IN_BRIEF =
      "Medians of the rounds. In brackets the interval in which the median of all such rounds lies"
          + " with a confidence of 90 % or more. ÷ stock compares with the library's own client"
          + " over HTTP/1.1, round by round.";

  private Markup() {}

  /** As {@link String#format}, whatever the machine's language. */
  @SuppressWarnings("AnnotateFormatMethod") // its annotation would be one more dependency
  public static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** With three digits that count, and thousands apart; a dash for no number. */
  static String number(double value) {
    if (!Double.isFinite(value)) {
      return "–";
    }
    double size = Math.abs(value);
    if (size >= 100 || size == 0) {
      return format("%,.0f", value);
    }
    return format(size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.3f", value);
  }

  /** A ratio, with two digits behind the point. */
  static String ratio(double value) {
    return Double.isFinite(value) ? format("%.2f", value) : "–";
  }

  /** A ratio of several rounds: its median, its interval, and how sure that is if too little. */
  static String spread(Spread spread) {
    return spread.count() == 1
        ? ratio(spread.median())
        : format(
            spread.decides() ? "%.2f (%.2f–%.2f)" : "%.2f (%.2f–%.2f: %.0f %%)",
            spread.median(),
            spread.low(),
            spread.high(),
            spread.confidence() * 100);
  }

  /** The style's name of a mode. */
  static String style(Mode mode) {
    return mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
