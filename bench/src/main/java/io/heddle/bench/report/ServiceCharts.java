package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.format;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.measure.Timeline;
import io.heddle.bench.report.Chart.Line;
import io.heddle.bench.report.Chart.Point;
import io.heddle.bench.report.Chart.Style;
import io.heddle.bench.report.Page.Figure;
import io.heddle.bench.report.Page.Panel;
import io.heddle.bench.report.Page.Swatch;
import io.heddle.bench.scenarios.LoomPart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jfree.data.Range;

/** The charts of services that call others; none where there are no figures. */
record ServiceCharts(RunRecord run) {

  List<Figure> service() {
    return Library.MEASURED.stream().flatMap(this::service).toList();
  }

  private Stream<Figure> service(Library library) {
    List<Timeline> own =
        run.timelines().stream().filter(each -> each.library() == library).toList();
    return own.isEmpty() ? Stream.of() : Stream.of(answers(library, own), latency(library, own));
  }

  private static Figure answers(Library library, List<Timeline> own) {
    return timelines(
        own,
        "Answers a second to requests that need only A, calls made with " + library.label(),
        "Of 80 that come each second, beside 320 that need B too. Red lines: B turns from 10 ms to"
            + " 5 s, then to 20 s. A pool of 200 threads fills with calls to B, and nothing is left"
            + " for the others. What a stock client on virtual threads reaches too is the virtual"
            + " thread's merit; only what lies between that line and Heddle's is Heddle's. What else"
            + " Heddle adds is not in this picture: HTTP/2 behind a blocking interface, deadlines,"
            + " interrupts that end one call and no other. Higher is better. Seconds on the axis"
            + " below.",
        Timeline.Slot::answeredPerSecond,
        false,
        own.stream().map(ServiceCharts::unanswered).toList());
  }

  private static String unanswered(Timeline timeline) {
    int errors = timeline.slots().stream().mapToInt(Timeline.Slot::errors).sum();
    return format(
        "%s, %s: %s requests that need only A were not answered by the end",
        timeline.server(), timeline.name(), errors == 0 ? "no" : format("%,d", errors));
  }

  private static Figure latency(Library library, List<Timeline> own) {
    return timelines(
        own,
        "Their latency, 99th percentile, ms, calls made with " + library.label(),
        "By the moment at which a request came (logarithmic). A line that ends: no request that came"
            + " later was answered before the end.",
        slot -> Objects.requireNonNullElse(slot.p99(), Double.NaN),
        true,
        List.of());
  }

  private static Figure timelines(
      List<Timeline> own,
      String title,
      String caption,
      ToDoubleFunction<Timeline.Slot> figure,
      boolean isLog,
      List<String> items) {
    Range range = isLog ? new Range(10, 1_000) : new Range(0, 80);
    for (Timeline timeline : own) {
      for (Timeline.Slot slot : timeline.slots()) {
        double value = figure.applyAsDouble(slot);
        range = Double.isFinite(value) ? Range.expandToInclude(range, value) : range;
      }
    }
    List<Panel> panels = new ArrayList<>();
    for (String server : own.stream().map(Timeline::server).distinct().toList()) {
      List<Timeline> these = own.stream().filter(each -> each.server().equals(server)).toList();
      List<Line> lines = these.stream().map(each -> line(each, figure)).toList();
      List<Double> turns = these.get(0).turns().stream().map(turn -> turn.millis() / 1e3).toList();
      panels.add(new Panel(server, Chart.lines(server, lines, isLog, List.of(), range, turns)));
    }
    List<Swatch> legend =
        own.stream()
            .map(each -> new Swatch(Markup.style(each.mode()), each.name()))
            .distinct()
            .toList();
    return new Figure(title, caption, legend, panels, List.of(), items);
  }

  private static Line line(Timeline timeline, ToDoubleFunction<Timeline.Slot> figure) {
    return new Line(
        timeline.name(),
        new Style(timeline.mode(), timeline.wire()),
        timeline.slots().stream()
            .map(slot -> new Point(slot.millis() / 1e3, figure.applyAsDouble(slot)))
            .toList());
  }

  List<Figure> loom() {
    return Library.MEASURED.stream().flatMap(this::loom).toList();
  }

  private Stream<Figure> loom(Library library) {
    List<Cell> own =
        run.cells(LoomPart.SCENARIO).stream()
            .filter(cell -> cell.library() == library && !cell.rounds().isEmpty())
            .toList();
    if (own.isEmpty()) {
      return Stream.of();
    }
    double machine = run.machine().processors() / 100.0;
    List<Panel> panels =
        List.of(
            curve("Answers a second", own, Figures::perSecond),
            curve("Latency, median, ms", own, figures -> figures.latency(50)),
            curve("Latency, 99th percentile, ms", own, figures -> figures.latency(99)),
            curve("CPU, s in all", own, Figures::cpuSeconds),
            curve(
                "CPU, % of the machine",
                own, figures -> figures.cpuSeconds() / figures.seconds() / machine),
            curve("Resident memory, MiB", own, figures -> figures.rssMax() / 1048576.0),
            curve("Virtual size, MiB", own, figures -> figures.virtualMax() / 1048576.0),
            curve("Platform threads", own, Figures::peakThreads),
            curve("Errors", own, Figures::errorCount));
    return Stream.of(
        new Figure(
            "A front end on Jetty that calls three back ends in a row, 333 ms each, with "
                + library.label(),
            "Over the number of connections, each with one request after the other, so that N"
                + " connections ask for at most N answers a second. Memory, threads and CPU are the"
                + " front end's; callers and back ends share the machine with it. Dashed: HTTP/2 to"
                + " the back ends. Platform threads: as many as there are connections.",
            Swatch.of(own.stream().map(Cell::mode).toList()),
            panels,
            List.of(),
            List.of()));
  }

  private static Panel curve(String title, List<Cell> own, ToDoubleFunction<Figures> figure) {
    Map<String, Line> lines = new LinkedHashMap<>();
    for (Cell cell : own) {
      Spread spread = cell.spread(figure);
      if (spread != null) {
        lines
            .computeIfAbsent(
                cell.name(),
                name -> new Line(name, new Style(cell.mode(), cell.wire()), new ArrayList<>()))
            .points()
            .add(new Point(Integer.parseInt(cell.variant()), spread.median()));
      }
    }
    return new Panel(
        title, Chart.lines(title, List.copyOf(lines.values()), false, List.of(), null, List.of()));
  }
}
