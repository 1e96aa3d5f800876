package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.escape;
import static io.heddle.bench.report.Markup.format;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.measure.Timeline;
import io.heddle.bench.scenarios.FrontServer;
import io.heddle.bench.scenarios.LoomPart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** The charts of services that call others; empty where there are no figures. */
record ServiceCharts(RunRecord run) {

  String service() {
    if (run.timelines().isEmpty()) {
      return "";
    }
    StringBuilder html = new StringBuilder();
    for (Library library : Library.values()) {
      List<Timeline> own =
          run.timelines().stream().filter(each -> each.library() == library).toList();
      if (!own.isEmpty()) {
        html.append(service(library, own));
      }
    }
    return html.toString();
  }

  private static String service(Library library, List<Timeline> own) {
    return timelines(
            own,
            "Answers a second to requests that need only A, calls made with " + library.label(),
            "Of 80 that come each second, beside 320 that need B too. Red lines: B turns from 10 ms"
                + " to 5 s, then to 20 s. A pool of 200 threads fills with calls to B, and nothing"
                + " is left for the others. Higher is better. Seconds on the axis below.",
            Timeline.Slot::answeredPerSecond,
            false)
        + timelines(
            own,
            "Their latency, 99th percentile, ms, calls made with " + library.label(),
            "By the moment at which a request came (logarithmic). A line that ends: no request that"
                + " came later was answered before the end.",
            slot -> Objects.requireNonNullElse(slot.p99(), Double.NaN),
            true)
        + unanswered(own);
  }

  private static String timelines(
      List<Timeline> own,
      String title,
      String caption,
      ToDoubleFunction<Timeline.Slot> figure,
      boolean isLog) {
    StringBuilder panels = new StringBuilder("<div class='panels'>");
    for (FrontServer.Kind kind : FrontServer.Kind.values()) {
      LineChart chart = new LineChart(isLog, List.of());
      chart.range(isLog ? 10 : 0, most(own, figure, isLog ? 1_000 : 80));
      for (Timeline timeline : own) {
        if (timeline.server().equals(kind.label())) {
          chart.series(
              timeline.name(),
              Markup.style(timeline.mode(), timeline.wire()),
              timeline.slots().stream()
                  .map(slot -> new LineChart.Point(slot.millis() / 1e3, figure.applyAsDouble(slot)))
                  .toList());
          timeline.turns().forEach(turn -> chart.turn(turn.millis() / 1e3));
        }
      }
      if (!chart.isEmpty()) {
        panels.append(
            format("<div><h4>%s</h4>%s</div>", escape(kind.label()), chart.svg(kind.label())));
      }
    }
    return figure(title, caption, legend(), panels.append("</div>").toString());
  }

  /** The greatest value of all, so that the servers' charts are on one scale. */
  private static double most(
      List<Timeline> own, ToDoubleFunction<Timeline.Slot> figure, double atLeast) {
    return own.stream()
        .flatMap(timeline -> timeline.slots().stream())
        .mapToDouble(figure)
        .filter(Double::isFinite)
        .reduce(atLeast, Math::max);
  }

  private static String legend() {
    return format(
        "<div class='legend'><span class='%s'>200 platform threads, stock client</span>"
            + "<span class='%s'>virtual threads, Heddle (dashed: HTTP/2)</span></div>",
        Markup.style(Mode.STOCK_PLATFORM), Markup.style(Mode.HEDDLE));
  }

  private static String figure(String title, String caption, String legend, String chart) {
    return format(
        "<figure><h3>%s</h3><figcaption>%s</figcaption>%s%s</figure>",
        escape(title), escape(caption), legend, chart);
  }

  private static String unanswered(List<Timeline> own) {
    StringBuilder list = new StringBuilder("<ul>");
    for (Timeline timeline : own) {
      int errors = timeline.slots().stream().mapToInt(Timeline.Slot::errors).sum();
      list.append(
          format(
              "<li>%s, %s: %s requests that need only A were not answered by the end</li>",
              escape(timeline.server()),
              escape(timeline.name()),
              errors == 0 ? "no" : format("%,d", errors)));
    }
    return list.append("</ul>").toString();
  }

  String loom() {
    StringBuilder html = new StringBuilder();
    for (Library library : Library.values()) {
      List<Cell> own =
          run.cells(LoomPart.SCENARIO).stream()
              .filter(cell -> cell.library() == library && !cell.rounds().isEmpty())
              .toList();
      if (!own.isEmpty()) {
        html.append(loom(library, own));
      }
    }
    return html.toString();
  }

  private String loom(Library library, List<Cell> own) {
    String panels =
        "<div class='panels'>"
            + curve("Answers a second", own, Figures::perSecond)
            + curve("Latency, median, ms", own, figures -> figures.latency(50))
            + curve("Latency, 99th percentile, ms", own, figures -> figures.latency(99))
            + curve("CPU, s in all", own, Figures::cpuSeconds)
            + curve(
                "CPU, % of the machine",
                own,
                figures ->
                    figures.cpuSeconds() / figures.seconds() / run.machine().processors() * 100)
            + curve("Resident memory, MiB", own, figures -> figures.rssMax() / 1048576.0)
            + curve("Virtual size, MiB", own, figures -> figures.virtualMax() / 1048576.0)
            + curve("Platform threads", own, Figures::peakThreads)
            + curve("Errors", own, Figures::errorCount)
            + "</div>";
    return figure(
        "A front end on Jetty that calls three back ends in a row, 333 ms each, with "
            + library.label(),
        "Over the number of connections, each with one request after the other, so that N"
            + " connections ask for at most N answers a second. Memory, threads and CPU are the"
            + " front end's; callers and back ends share the machine with it. Dashed: HTTP/2 to"
            + " the back ends. Platform threads: as many as there are connections.",
        LoadCharts.legend(LoomPart.MODES),
        panels);
  }

  private static String curve(String title, List<Cell> own, ToDoubleFunction<Figures> figure) {
    Map<String, List<LineChart.Point>> curves = new LinkedHashMap<>();
    Map<String, String> styles = new HashMap<>();
    for (Cell cell : own) {
      Spread spread = cell.spread(figure);
      if (spread != null) {
        curves
            .computeIfAbsent(cell.name(), name -> new ArrayList<>())
            .add(new LineChart.Point(Integer.parseInt(cell.variant()), spread.median()));
        styles.put(cell.name(), Markup.style(cell.mode(), cell.wire()));
      }
    }
    LineChart chart = new LineChart(false, List.of());
    curves.forEach(
        (name, points) -> chart.series(name, Objects.requireNonNull(styles.get(name)), points));
    return format("<div><h4>%s</h4>%s</div>", escape(title), chart.svg(title));
  }
}
