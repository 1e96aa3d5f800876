package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.escape;
import static io.heddle.bench.report.Markup.format;

import io.heddle.bench.measure.Spread;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Horizontal bars in groups, each with its figure and, measured several times, its spread. */
final class BarChart {

  private static final int WIDTH = 1_000;
  private static final int LABELS = 250;
  private static final int FIGURES = 110;
  private static final int ROW = 21;
  private static final int HEAD = 30;

  /**
   * One bar.
   *
   * @param style its colour
   * @param spread null for none
   * @param words beside the bar, or instead of it
   */
  private record Bar(String label, String style, @Nullable Spread spread, String words) {}

  private record Group(String title, List<Bar> bars) {}

  private final List<Group> groups = new ArrayList<>();

  void group(String title) {
    groups.add(new Group(title, new ArrayList<>()));
  }

  /** A bar of the last group. */
  void bar(String label, String style, @Nullable Spread spread, String words) {
    groups.get(groups.size() - 1).bars().add(new Bar(label, style, spread, words));
  }

  String svg(String title) {
    double most =
        groups.stream()
            .flatMap(group -> group.bars().stream())
            .map(Bar::spread)
            .mapToDouble(spread -> spread == null ? 0 : spread.max())
            .max()
            .orElse(0);
    Axis axis = Axis.linear(0, Math.max(most, 1e-9), LABELS, WIDTH - FIGURES);
    StringBuilder rows = new StringBuilder();
    int y = 22;
    for (Group group : groups) {
      if (!group.bars().isEmpty()) {
        rows.append(
            format("<text class='group' x='0' y='%d'>%s</text>", y + 16, escape(group.title())));
        y += HEAD - 6;
        for (Bar bar : group.bars()) {
          row(rows, axis, bar, y);
          y += ROW;
        }
        y += 6;
      }
    }
    StringBuilder svg = new StringBuilder();
    svg.append(
        format(
            "<svg role='img' aria-label='%s' viewBox='0 0 %d %d'>", escape(title), WIDTH, y + 4));
    for (double tick : axis.ticks()) {
      double x = axis.at(tick);
      svg.append(format("<line class='grid' x1='%.1f' x2='%.1f' y1='18' y2='%d'/>", x, x, y));
      svg.append(
          format(
              "<text class='small soft' text-anchor='middle' x='%.1f' y='12'>%s</text>",
              x, Markup.tick(tick)));
    }
    return svg.append(rows).append("</svg>").toString();
  }

  private static void row(StringBuilder rows, Axis axis, Bar bar, int y) {
    int middle = y + ROW / 2;
    rows.append(
        format(
            "<text x='%d' y='%d' text-anchor='end'>%s</text>",
            LABELS - 8, middle + 4, escape(bar.label())));
    Spread spread = bar.spread();
    double end = LABELS;
    String figure = "";
    if (spread != null) {
      end = Math.max(LABELS, axis.at(spread.median()));
      rows.append(
          format(
              "<rect class='bar %s' x='%d' y='%d' width='%.1f' height='%d' rx='2'><title>%s</title></rect>",
              bar.style(), LABELS, y + 3, end - LABELS, ROW - 6, escape(bar.label())));
      if (spread.count() > 1) {
        rows.append(
            format(
                "<line class='whisker' x1='%.1f' x2='%.1f' y1='%d' y2='%d'/>",
                Math.max(LABELS, axis.at(spread.min())), axis.at(spread.max()), middle, middle));
        end = Math.max(end, axis.at(spread.max()));
      }
      figure = Markup.number(spread.median());
    }
    rows.append(
        format(
            "<text class='small' x='%.1f' y='%d'>%s <tspan class='soft'>%s</tspan></text>",
            end + 6, middle + 4, figure, escape(shorten(bar.words()))));
  }

  private static String shorten(String words) {
    return words.length() <= 90 ? words : words.substring(0, 88) + " …";
  }
}
