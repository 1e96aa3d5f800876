package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.escape;
import static io.heddle.bench.report.Markup.format;

import io.heddle.bench.measure.Spread;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ratios around 1, on a logarithmic axis, so that a loss is as long as a win. */
final class RatioChart {

  private static final int WIDTH = 1_000;
  private static final int LABELS = 330;
  private static final int FIGURES = 150;
  private static final int ROW = 22;

  private record Row(String label, String style, Spread spread) {}

  private final String equal;
  private final List<Row> rows = new ArrayList<>();

  /**
   * Makes a chart.
   *
   * @param equal what stands at 1
   */
  RatioChart(String equal) {
    this.equal = equal;
  }

  /** A row; none for no ratio. */
  void ratio(String label, String style, @Nullable Spread spread) {
    if (spread != null) {
      rows.add(new Row(label, style, spread));
    }
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  String svg(String title) {
    double far =
        rows.stream()
            .mapToDouble(
                row -> Math.max(row.spread().max(), 1 / Math.max(1e-3, row.spread().min())))
            .max()
            .orElse(2);
    far = Math.clamp(far * 1.05, 2, 10);
    Axis axis = new Axis(1 / far, far, LABELS, WIDTH - FIGURES, true);
    int height = 26 + rows.size() * ROW + 6;
    StringBuilder svg =
        new StringBuilder(
            format(
                "<svg role='img' aria-label='%s' viewBox='0 0 %d %d'>",
                escape(title), WIDTH, height));
    for (double tick : new double[] {0.1, 0.2, 0.5, 0.75, 1, 1.5, 2, 5, 10}) {
      if (tick >= axis.from() && tick <= axis.to()) {
        double x = axis.at(tick);
        svg.append(
            format(
                "<line class='%s' x1='%.1f' x2='%.1f' y1='20' y2='%d'/>",
                tick == 1 ? "one" : "grid", x, x, height));
        svg.append(
            format(
                "<text class='small soft' text-anchor='middle' x='%.1f' y='13'>%s</text>",
                x, tick == 1 ? equal : Markup.tick(tick) + " ×"));
      }
    }
    int y = 26;
    for (Row row : rows) {
      row(svg, axis, row, y + ROW / 2);
      y += ROW;
    }
    return svg.append("</svg>").toString();
  }

  private static void row(StringBuilder svg, Axis axis, Row row, int middle) {
    Spread spread = row.spread();
    double one = axis.at(1);
    double at = axis.at(spread.median());
    svg.append(
        format(
            "<text x='%d' y='%d' text-anchor='end'>%s</text>",
            LABELS - 8, middle + 4, escape(row.label())));
    svg.append(
        format(
            "<rect class='bar %s' x='%.1f' y='%d' width='%.1f' height='12' rx='2'><title>%s: %s</title></rect>",
            row.style(),
            Math.min(one, at),
            middle - 6,
            Math.abs(at - one),
            escape(row.label()),
            Markup.spread(spread)));
    if (spread.count() > 1) {
      svg.append(
          format(
              "<line class='whisker' x1='%.1f' x2='%.1f' y1='%d' y2='%d'/>",
              axis.at(spread.min()), axis.at(spread.max()), middle, middle));
    }
    svg.append(
        format(
            "<text class='small' x='%d' y='%d'>%s</text>",
            WIDTH - FIGURES + 12, middle + 4, Markup.spread(spread)));
  }
}
