package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.escape;
import static io.heddle.bench.report.Markup.format;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.scenarios.LoadPart;
import io.heddle.bench.scenarios.LoadScenario;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The charts of {@link LoadPart}; empty where there are no figures. */
record LoadCharts(RunRecord run) {

  private static final List<Double> SHOWN = List.of(50.0, 90.0, 95.0, 99.0, 99.9, 100.0);
  private static final List<String> SHOWN_AS = List.of("50", "90", "95", "99", "99.9", "max");

  static String legend(List<Mode> modes) {
    StringBuilder legend = new StringBuilder("<div class='legend'>");
    for (Mode mode : modes) {
      legend.append(format("<span class='%s'>%s</span>", Markup.style(mode), escape(mode.label())));
    }
    return legend.append("</div>").toString();
  }

  private static String figure(String title, String caption, String legend, String chart) {
    return format(
        "<figure><h3>%s</h3><figcaption>%s</figcaption>%s%s</figure>",
        escape(title), escape(caption), legend, chart);
  }

  private boolean hasFigures(LoadScenario scenario) {
    return run.cells(scenario.key()).stream().anyMatch(cell -> !cell.rounds().isEmpty());
  }

  String throughput() {
    StringBuilder html = new StringBuilder();
    for (LoadScenario scenario : LoadScenario.values()) {
      if (scenario.isClosed() && hasFigures(scenario)) {
        html.append(
            figure(
                scenario.title(),
                "Calls a second; answers of 128 bytes, given at once. Longer is better.",
                legend(List.of(Mode.values())),
                bars(scenario, Figures::perSecond, "calls a second", cell -> true)));
      }
    }
    return html.toString();
  }

  private String bars(
      LoadScenario scenario,
      ToDoubleFunction<Figures> figure,
      String title,
      Predicate<Cell> which) {
    BarChart chart = new BarChart();
    for (Library library : Library.values()) {
      chart.group(library.label());
      for (Mode mode : Mode.values()) {
        for (Wire wire : Wire.values()) {
          run.cell(scenario, library, mode, wire)
              .filter(which)
              .filter(cell -> !cell.rounds().isEmpty() || !cell.note().isEmpty())
              .ifPresent(
                  cell ->
                      chart.bar(
                          mode.suffix() + ", " + wire,
                          Markup.style(mode, wire),
                          cell.spread(figure),
                          words(cell)));
        }
      }
    }
    return chart.svg(title);
  }

  /** What goes wrong is said beside the bar. */
  private static String words(Cell cell) {
    if (cell.rounds().isEmpty()) {
      return cell.absence();
    }
    return cell.errorCount() == 0 ? "" : format("%,d errors", cell.errorCount());
  }

  String ratios() {
    StringBuilder html = new StringBuilder();
    for (LoadScenario scenario : LoadScenario.values()) {
      if (scenario.isClosed() && hasFigures(scenario)) {
        html.append(ratios(scenario, "calls a second", Figures::perSecond, false));
        html.append(ratios(scenario, "CPU for a call", Figures::cpuMicrosPerCall, true));
      }
    }
    return html.toString();
  }

  private String ratios(
      LoadScenario scenario, String what, ToDoubleFunction<Figures> figure, boolean lessIsBetter) {
    Verdicts verdicts = new Verdicts(run);
    RatioChart chart = new RatioChart(lessIsBetter ? "as much" : "as fast");
    for (Library library : Library.bridged()) {
      for (Wire wire : Wire.values()) {
        ratio(chart, verdicts, scenario, library, wire, Mode.STOCK_VIRTUAL, Wire.HTTP_1, figure);
        ratio(chart, verdicts, scenario, library, wire, Mode.STOCK_PLATFORM, Wire.HTTP_1, figure);
        if (wire == Wire.HTTP_2) {
          ratio(chart, verdicts, scenario, library, wire, Mode.STOCK_VIRTUAL, wire, figure);
        }
        ratio(chart, verdicts, scenario, library, wire, Mode.PEER, wire, figure);
        ratio(chart, verdicts, scenario, library, wire, Mode.ASYNC, wire, figure);
      }
    }
    return chart.isEmpty()
        ? ""
        : figure(
            "Heddle's " + what + " ÷ that of others, " + scenario.title(),
            "Each pair was measured in turn. "
                + (lessIsBetter
                    ? "To the left of the line Heddle takes less, to the right more."
                    : "To the right of the line Heddle does more, to the left less."),
            legend(List.of(Mode.STOCK_PLATFORM, Mode.STOCK_VIRTUAL, Mode.ASYNC, Mode.PEER)),
            chart.svg(what));
  }

  private static void ratio(
      RatioChart chart,
      Verdicts verdicts,
      LoadScenario scenario,
      Library library,
      Wire wire,
      Mode other,
      Wire otherWire,
      ToDoubleFunction<Figures> figure) {
    chart.ratio(
        format(
            "%s, %s ÷ %s%s",
            library.label(), wire, other.suffix(), wire == otherWire ? "" : ", " + otherWire),
        Markup.style(other),
        verdicts.ratio(scenario, library, wire, other, otherWire, figure));
  }

  String latency() {
    StringBuilder html = new StringBuilder();
    for (LoadScenario scenario : LoadScenario.values()) {
      if (scenario.isOpen() && hasFigures(scenario)) {
        html.append(latency(scenario));
      }
    }
    return html.toString();
  }

  private String latency(LoadScenario scenario) {
    List<Cell> cells = run.cells(scenario.key());
    double least = latencies(cells).min().orElse(1);
    double most = latencies(cells).max().orElse(1);
    StringBuilder panels = new StringBuilder("<div class='panels'>");
    for (Library library : Library.values()) {
      LineChart chart = new LineChart(true, SHOWN_AS);
      chart.range(least, most);
      for (Cell cell : cells) {
        if (cell.library() == library && !cell.rounds().isEmpty()) {
          chart.series(cell.name(), Markup.style(cell.mode(), cell.wire()), points(cell));
        }
      }
      if (!chart.isEmpty()) {
        panels.append(
            format(
                "<div><h4>%s</h4>%s</div>",
                escape(library.label()), chart.svg(library.label() + " latency")));
      }
    }
    panels.append("</div>");
    return figure(
        scenario.title(),
        "Latency in ms (logarithmic) by percentile, from the moment at which a call was meant to"
            + " start. Dashed: HTTP/2. Lower is better."
            + scaled(scenario),
        legend(List.of(Mode.values())),
        panels.toString());
  }

  /** What was scaled. */
  private String scaled(LoadScenario scenario) {
    String notes =
        run.cells(scenario.key()).stream()
            .filter(cell -> !cell.rounds().isEmpty())
            .map(Cell::note)
            .filter(note -> !note.isEmpty())
            .distinct()
            .limit(3)
            .collect(Collectors.joining(" / "));
    return notes.isEmpty() ? "" : " In this run: " + notes + ".";
  }

  private static java.util.stream.DoubleStream latencies(List<Cell> cells) {
    return cells.stream()
        .flatMap(cell -> cell.rounds().stream())
        .flatMapToDouble(figures -> SHOWN.stream().mapToDouble(figures::latency))
        .filter(each -> each > 0);
  }

  private static List<LineChart.Point> points(Cell cell) {
    List<LineChart.Point> points = new ArrayList<>();
    for (int i = 0; i < SHOWN.size(); i++) {
      double percentile = SHOWN.get(i);
      Spread spread = cell.spread(figures -> figures.latency(percentile));
      if (spread != null) {
        points.add(new LineChart.Point(i, spread.median()));
      }
    }
    return points;
  }

  String memory() {
    LoadScenario scenario = LoadScenario.LONG;
    if (!hasFigures(scenario)) {
      return "";
    }
    Predicate<Cell> all = cell -> true;
    String legend = legend(List.of(Mode.values()));
    return figure(
            "Heap that a waiting call holds, KiB",
            "Live heap after a collection while the server held all calls, less what was live"
                + " before, for each call. Shorter is better. Platform threads' stacks are not heap:"
                + " see the next chart.",
            legend,
            bars(scenario, each -> Verdicts.heapPerCall(each) / 1024, "heap for a call", all))
        + figure(
            "Resident memory that a waiting call takes, KiB",
            "Growth of the process while the calls went out, garbage included, for each call: stacks,"
                + " buffers outside the heap, and what the collector had not taken yet. The kernel's"
                + " socket buffers are not in it.",
            legend,
            bars(
                scenario,
                each -> Math.max(0, Verdicts.rssPerCall(each)) / 1024,
                "resident memory for a call",
                all))
        + figure(
            "Calls in flight at once",
            "How many calls the server had before it at a time." + scaled(scenario),
            legend,
            bars(
                scenario,
                each -> {
                  Figures.Held held = each.held();
                  return held == null ? Double.NaN : held.calls();
                },
                "calls at once",
                all))
        + figure(
            "Platform threads meanwhile",
            "At their peak, carriers and I/O threads among them.",
            legend,
            bars(scenario, Figures::peakThreads, "platform threads", all));
  }
}
