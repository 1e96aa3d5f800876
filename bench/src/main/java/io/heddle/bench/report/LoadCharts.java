package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.format;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Ratio;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.report.Chart.Bar;
import io.heddle.bench.report.Chart.Line;
import io.heddle.bench.report.Chart.Point;
import io.heddle.bench.report.Chart.Style;
import io.heddle.bench.report.Page.Figure;
import io.heddle.bench.report.Page.Panel;
import io.heddle.bench.report.Page.Swatch;
import io.heddle.bench.scenarios.LoadPart;
import io.heddle.bench.scenarios.LoadScenario;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jfree.data.Range;
import org.jspecify.annotations.Nullable;

/** The charts of {@link LoadPart}; none where there are no figures. */
record LoadCharts(RunRecord run) {

  private static final List<Double> SHOWN = List.of(50.0, 90.0, 95.0, 99.0, 99.9, 100.0);
  private static final List<String> SHOWN_AS = List.of("50", "90", "95", "99", "99.9", "max");

  private Stream<LoadScenario> scenarios(Predicate<LoadScenario> which) {
    return Arrays.stream(LoadScenario.values())
        .filter(which)
        .filter(each -> run.cells(each.key()).stream().anyMatch(cell -> !cell.rounds().isEmpty()));
  }

  List<Figure> throughput() {
    return scenarios(LoadScenario::isClosed)
        .map(
            scenario ->
                bars(
                    scenario,
                    scenario.title(),
                    "Calls a second, and the CPU of the client's process for a call; answers of 128"
                        + " bytes, given at once. Longer is better.",
                    Figures::perSecond,
                    LoadCharts::cpu))
        .toList();
  }

  private static String cpu(Cell cell) {
    Spread spread = cell.spread(Figures::cpuMicrosPerCall);
    return spread == null ? "" : format("  %.1f µs CPU", spread.median());
  }

  private Figure bars(
      LoadScenario scenario, String title, String caption, ToDoubleFunction<Figures> figure) {
    return bars(scenario, title, caption, figure, cell -> "");
  }

  /**
   * A bar for each client of the scenario, and for the baseline beside it.
   *
   * @param more what is said behind the figure
   */
  private Figure bars(
      LoadScenario scenario,
      String title,
      String caption,
      ToDoubleFunction<Figures> figure,
      Function<Cell, String> more) {
    List<Bar> bars = new ArrayList<>();
    for (Library library : Library.MEASURED) {
      List<Bar> own =
          run.cells(scenario.key()).stream()
              .filter(cell -> isOf(library, cell))
              .filter(cell -> !cell.rounds().isEmpty() || !cell.note().isEmpty())
              .sorted(
                  Comparator.comparing(Cell::variant)
                      .thenComparing(Cell::mode)
                      .thenComparing(Cell::wire))
              .map(
                  cell -> {
                    String label = cell.mode().suffix() + ", " + cell.wire();
                    boolean isOwn = cell.library() == library;
                    return bar(isOwn ? label : cell.name(), cell, figure, more);
                  })
              .toList();
      if (!own.isEmpty()) {
        bars.add(new Bar(library.label(), null, null, ""));
        bars.addAll(own);
      }
    }
    return Figure.of(title, caption, legend(bars), Chart.bars(title, bars));
  }

  private static boolean isOf(Library library, Cell cell) {
    return cell.variant().isEmpty()
        ? cell.library() == library
        : cell.variant().equals(Cell.beside(library));
  }

  /** What goes wrong is said beside the bar. */
  static Bar bar(
      String label, Cell cell, ToDoubleFunction<Figures> figure, Function<Cell, String> more) {
    Spread spread = cell.spread(figure);
    String words =
        spread == null
            ? cell.absence()
            : Markup.number(spread.median())
                + more.apply(cell)
                + (cell.errorCount() == 0 ? "" : format("  %,d errors", cell.errorCount()));
    return new Bar(
        label,
        new Style(cell.mode(), cell.wire()),
        spread,
        words.length() <= 90 ? words : words.substring(0, 88) + " …");
  }

  static List<Swatch> legend(List<Bar> bars) {
    return Swatch.of(
        bars.stream()
            .filter(bar -> bar.spread() != null)
            .map(Bar::style)
            .filter(Objects::nonNull)
            .map(Style::mode)
            .toList());
  }

  List<Figure> ratios() {
    return scenarios(LoadScenario::isClosed)
        .flatMap(
            scenario ->
                Stream.of(
                    ratios(scenario, "calls a second", Ratio.Of.THROUGHPUT, false),
                    ratios(scenario, "CPU for a call", Ratio.Of.CPU, true),
                    scenario.isFew()
                        ? ratios(scenario, "median latency", Ratio.Of.MEDIAN, true)
                        : List.<Figure>of()))
        .flatMap(List::stream)
        .toList();
  }

  private List<Figure> ratios(
      LoadScenario scenario, String what, Ratio.Of figure, boolean lessIsBetter) {
    List<Bar> bars = new ArrayList<>();
    for (Library library : Library.MEASURED) {
      for (Wire wire : Wire.values()) {
        ratio(bars, scenario, library, wire, Mode.STOCK_VIRTUAL, Wire.HTTP_1, figure);
        ratio(bars, scenario, library, wire, Mode.STOCK_PLATFORM, Wire.HTTP_1, figure);
        if (wire == Wire.HTTP_2) {
          ratio(bars, scenario, library, wire, Mode.STOCK_VIRTUAL, wire, figure);
        }
        ratio(bars, scenario, library, wire, Mode.PEER, wire, figure);
        ratio(bars, scenario, library, wire, Mode.ASYNC, wire, figure);
        Optional<Cell> ours = run.cell(scenario, library, Mode.HEDDLE, wire);
        ours.flatMap(cell -> Ratio.baseline(run.cells(), cell))
            .filter(baseline -> baseline.library() != library)
            .ifPresent(
                baseline ->
                    ratio(
                        bars,
                        format("%s, %s ÷ %s", library.label(), wire, baseline.name()),
                        baseline.mode(),
                        Ratio.spread(ours.get(), baseline, figure)));
      }
    }
    String caption =
        "Each pair was measured in turn. The colour is that of the other. "
            + (lessIsBetter
                ? "Left of 1 Heddle takes less, right of it more."
                : "Right of 1 Heddle does more, left of it less.");
    return bars.isEmpty()
        ? List.of()
        : List.of(
            Figure.of(
                "Heddle's " + what + " ÷ that of others, " + scenario.title(),
                caption,
                legend(bars),
                Chart.ratios(what, bars)));
  }

  private void ratio(
      List<Bar> bars,
      LoadScenario scenario,
      Library library,
      Wire wire,
      Mode other,
      Wire otherWire,
      Ratio.Of figure) {
    ratio(
        bars,
        format(
            "%s, %s ÷ %s%s",
            library.label(), wire, other.suffix(), wire == otherWire ? "" : ", " + otherWire),
        other,
        new Verdicts(run).ratio(scenario, library, wire, other, otherWire, figure));
  }

  private static void ratio(List<Bar> bars, String label, Mode other, @Nullable Spread spread) {
    if (spread != null) {
      bars.add(new Bar(label, new Style(other, Wire.HTTP_1), spread, Markup.spread(spread)));
    }
  }

  List<Figure> latency() {
    return scenarios(LoadScenario::isOpen).map(this::latency).toList();
  }

  private Figure latency(LoadScenario scenario) {
    List<Cell> cells =
        run.cells(scenario.key()).stream().filter(cell -> !cell.rounds().isEmpty()).toList();
    Range range =
        cells.stream()
            .flatMap(cell -> points(cell).stream())
            .map(point -> new Range(point.y(), point.y()))
            .reduce(Range::combine)
            .orElse(null);
    List<Panel> panels = new ArrayList<>();
    for (Library library : Library.MEASURED) {
      List<Line> lines =
          cells.stream()
              .filter(cell -> cell.library() == library)
              .map(cell -> new Line(cell.name(), new Style(cell.mode(), cell.wire()), points(cell)))
              .toList();
      if (!lines.isEmpty()) {
        String title = library.label() + " latency";
        panels.add(
            new Panel(
                library.label(), Chart.lines(title, lines, true, SHOWN_AS, range, List.of())));
      }
    }
    return new Figure(
        scenario.title(),
        "Latency in ms (logarithmic) by percentile, from the moment at which a call was meant to"
            + " start. Dashed: HTTP/2. Lower is better."
            + scaled(scenario),
        Swatch.of(cells.stream().map(Cell::mode).toList()),
        panels,
        List.of(),
        List.of());
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

  private static List<Point> points(Cell cell) {
    return IntStream.range(0, SHOWN.size())
        .mapToObj(
            i -> {
              Spread spread = cell.spread(figures -> figures.latency(SHOWN.get(i)));
              return new Point(i, spread == null ? Double.NaN : spread.median());
            })
        .filter(point -> point.y() > 0)
        .toList();
  }

  List<Figure> memory() {
    LoadScenario scenario = LoadScenario.LONG;
    if (scenarios(each -> each == scenario).findAny().isEmpty()) {
      return List.of();
    }
    return List.of(
        heap(),
        bars(
            scenario,
            "Resident memory that a waiting call takes, KiB",
            "Growth of the process while the calls went out, garbage included, for each call: stacks,"
                + " buffers outside the heap, and what the collector had not taken yet. The kernel's"
                + " socket buffers are not in it.",
            each -> Math.max(0, Verdicts.rssPerCall(each)) / 1024),
        bars(
            scenario,
            "Calls in flight at once",
            "How many calls the server had before it at a time." + scaled(scenario),
            each -> {
              Figures.Held held = each.held();
              return held == null ? Double.NaN : held.calls();
            }),
        bars(
            scenario,
            "Platform threads meanwhile",
            "At their peak, carriers and I/O threads among them.",
            Figures::peakThreads));
  }

  Figure heap() {
    return bars(
        LoadScenario.LONG,
        "Heap that a waiting call holds, KiB",
        "Live heap after a collection while the server held all calls, less what was live before,"
            + " for each call. Shorter is better. Platform threads' stacks are not heap.",
        each -> Verdicts.heapPerCall(each) / 1024);
  }
}
