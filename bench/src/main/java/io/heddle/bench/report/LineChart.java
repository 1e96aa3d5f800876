package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.escape;
import static io.heddle.bench.report.Markup.format;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/** Lines over one axis, in a small panel. */
final class LineChart {

  private static final int WIDTH = 360;
  private static final int HEIGHT = 210;
  private static final int LEFT = 52;
  private static final int RIGHT = 12;
  private static final int TOP = 10;
  private static final int BOTTOM = 30;

  /** One point; x is what it is on the axis, or the index of a label. */
  record Point(double x, double y) {}

  private record Series(String name, String style, List<Point> points) {}

  private final boolean isLog;
  private final List<String> labels;
  private final List<Series> series = new ArrayList<>();
  private final List<Double> turns = new ArrayList<>();
  private double least = Double.NaN;
  private double most = Double.NaN;

  /**
   * Makes a chart.
   *
   * @param isLog whether the values are on a logarithmic axis
   * @param labels of the x axis, at 0, 1 and so on; empty for numbers
   */
  LineChart(boolean isLog, List<String> labels) {
    this.isLog = isLog;
    this.labels = labels;
  }

  /** A line; it is broken at a point without a value. */
  void series(String name, String style, List<Point> points) {
    if (points.stream().anyMatch(each -> Double.isFinite(each.y()))) {
      series.add(new Series(name, style, points));
    }
  }

  /** A mark across the chart. */
  void turn(double x) {
    turns.add(x);
  }

  /** Values that the axis has at least, so that several charts have the same. */
  void range(double least, double most) {
    this.least = least;
    this.most = most;
  }

  boolean isEmpty() {
    return series.isEmpty();
  }

  String svg(String title) {
    Axis x = xAxis();
    Axis y = yAxis();
    StringBuilder svg =
        new StringBuilder(
            format(
                "<svg role='img' aria-label='%s' viewBox='0 0 %d %d'>",
                escape(title), WIDTH, HEIGHT));
    for (double tick : y.ticks()) {
      double at = y.at(tick);
      svg.append(
          format(
              "<line class='grid' x1='%d' x2='%d' y1='%.1f' y2='%.1f'/>",
              LEFT, WIDTH - RIGHT, at, at));
      svg.append(
          format(
              "<text class='small soft' text-anchor='end' x='%d' y='%.1f'>%s</text>",
              LEFT - 6, at + 4, Markup.tick(tick)));
    }
    for (double tick : labels.isEmpty() ? x.ticks() : indexes()) {
      String label = labels.isEmpty() ? Markup.tick(tick) : labels.get((int) tick);
      svg.append(
          format(
              "<text class='small soft' text-anchor='middle' x='%.1f' y='%d'>%s</text>",
              x.at(tick), HEIGHT - 10, escape(label)));
    }
    for (double turn : turns) {
      svg.append(
          format(
              "<line class='turn' x1='%.1f' x2='%.1f' y1='%d' y2='%d'/>",
              x.at(turn), x.at(turn), TOP, HEIGHT - BOTTOM));
    }
    series.forEach(each -> line(svg, each, x, y));
    return svg.append("</svg>").toString();
  }

  private List<Double> indexes() {
    return DoubleStream.iterate(0, i -> i + 1).limit(labels.size()).boxed().toList();
  }

  private Axis xAxis() {
    double to =
        labels.isEmpty()
            ? series.stream()
                .flatMap(each -> each.points().stream())
                .mapToDouble(Point::x)
                .max()
                .orElse(1)
            : Math.max(1, labels.size() - 1);
    return Axis.linear(0, to, LEFT + 6, WIDTH - RIGHT - 10);
  }

  private Axis yAxis() {
    double low = points().mapToDouble(Point::y).min().orElse(1);
    double high = points().mapToDouble(Point::y).max().orElse(1);
    if (Double.isFinite(least)) {
      low = Math.min(low, least);
      high = Math.max(high, most);
    }
    return isLog
        ? Axis.log(low, high, HEIGHT - BOTTOM, TOP)
        : Axis.linear(0, high > 0 ? high : 1, HEIGHT - BOTTOM, TOP);
  }

  private java.util.stream.Stream<Point> points() {
    return series.stream()
        .flatMap(each -> each.points().stream())
        .filter(each -> Double.isFinite(each.y()));
  }

  private static void line(StringBuilder svg, Series series, Axis x, Axis y) {
    StringBuilder path = new StringBuilder();
    boolean isBroken = true;
    for (Point point : series.points()) {
      if (Double.isFinite(point.y())) {
        path.append(format("%s%.1f %.1f", isBroken ? "M" : "L", x.at(point.x()), y.at(point.y())));
      }
      isBroken = !Double.isFinite(point.y());
    }
    svg.append(
        format(
            "<path class='series %s' d='%s' style='fill:none'><title>%s</title></path>",
            series.style(), path, escape(series.name())));
    if (series.points().size() <= 12) {
      for (Point point : series.points()) {
        if (!Double.isFinite(point.y())) {
          continue;
        }
        svg.append(
            format(
                "<circle class='%s' r='2.6' cx='%.1f' cy='%.1f' style='stroke-dasharray:none'><title>%s: %s</title></circle>",
                series.style(),
                x.at(point.x()),
                y.at(point.y()),
                escape(series.name()),
                Markup.number(point.y())));
      }
    }
  }
}
