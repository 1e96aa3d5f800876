package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.format;
import static io.heddle.bench.report.Markup.number;

import io.heddle.bench.contestants.Mode;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Ratio;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.report.Page.Entry;
import io.heddle.bench.report.Page.Row;
import io.heddle.bench.report.Page.Section;
import io.heddle.bench.report.Page.Table;
import io.heddle.bench.scenarios.LoadScenario;
import io.heddle.bench.scenarios.PayloadPart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every cell as a line of a table: medians, or in words why there are none. */
record CellTable(RunRecord run) {

  /** Server and client together take the whole machine from here on, more or less. */
  private static final double FULL = 0.9;

  private static final int KINDS_SHOWN = 3;

  private record Column(String head, ToDoubleFunction<Figures> figure) {}

  private static final List<Column> SPEED =
      List.of(
          new Column("calls/s", Figures::perSecond),
          new Column("CPU µs/call", Figures::cpuMicrosPerCall));

  private static final List<String> RATIOS =
      List.of("calls/s ÷ stock", "CPU ÷ stock", "calls/s ÷ JDK's");

  private static final List<Column> REST =
      List.of(
          new Column("p50 ms", figures -> figures.latency(50)),
          new Column("p99 ms", figures -> figures.latency(99)),
          new Column("p99.9 ms", figures -> figures.latency(99.9)),
          new Column("max ms", figures -> figures.latency(100)),
          new Column("at once", Figures::maxInFlight),
          new Column("errors", Figures::errorCount),
          new Column("s", Figures::seconds),
          new Column("B/call", Figures::bytesPerCall),
          new Column("threads", Figures::peakThreads),
          new Column("carriers", Figures::peakCarriers),
          new Column("pins", Figures::pins),
          new Column("heap max MiB", figures -> figures.heapMax() / 1048576.0),
          new Column("heap avg MiB", figures -> figures.heapAverage() / 1048576.0),
          new Column("live KiB/call", figures -> Verdicts.heapPerCall(figures) / 1024),
          new Column("RSS MiB", figures -> figures.rssMax() / 1048576.0));

  /** A table for each scenario. */
  List<Table> all() {
    return run.cells().stream().map(Cell::scenario).distinct().map(this::table).toList();
  }

  private Table table(String scenario) {
    List<Cell> cells = run.cells(scenario);
    boolean hasRatios = cells.stream().anyMatch(cell -> !ratios(cell).isEmpty());
    List<String> head = new ArrayList<>(List.of("client"));
    SPEED.forEach(column -> head.add(column.head()));
    if (hasRatios) {
      head.addAll(RATIOS);
    }
    REST.forEach(column -> head.add(column.head()));
    head.add("");
    List<Row> rows = cells.stream().map(cell -> row(cell, hasRatios, head.size() - 1)).toList();
    return Table.of(titleOf(scenario), head, rows);
  }

  /** Empty if nobody took turns with it. */
  private List<String> ratios(Cell cell) {
    Optional<Cell> stock = Ratio.stock(run.cells(), cell);
    Optional<Cell> baseline = Ratio.baseline(run.cells(), cell);
    List<String> all =
        List.of(
            ratio(cell, stock, Ratio.Of.THROUGHPUT),
            ratio(cell, stock, Ratio.Of.CPU),
            ratio(cell, baseline, Ratio.Of.THROUGHPUT));
    return all.stream().allMatch(String::isEmpty) ? List.of() : all;
  }

  /** Empty if there is none. */
  static String ratio(Cell cell, Optional<Cell> other, Ratio.Of figure) {
    Spread spread = other.map(each -> Ratio.spread(cell, each, figure)).orElse(null);
    return spread == null ? "" : Markup.spread(spread);
  }

  private static String titleOf(String scenario) {
    return switch (scenario) {
      case PayloadPart.SCENARIO -> "Bodies, 16 callers";
      case PayloadPart.LONG -> "One body of 200 MiB at a time";
      default ->
          Arrays.stream(LoadScenario.values())
              .filter(each -> each.key().equals(scenario))
              .map(LoadScenario::title)
              .findFirst()
              .orElse(scenario);
    };
  }

  private Row row(Cell cell, boolean hasRatios, int columns) {
    List<Entry> entries = new ArrayList<>();
    entries.add(Entry.of(cell.fullName()));
    if (cell.rounds().isEmpty()) {
      entries.add(new Entry(cell.absence(), "words", "", columns));
    } else {
      SPEED.forEach(column -> entries.add(median(cell, column)));
      if (hasRatios) {
        List<String> ratios = ratios(cell);
        (ratios.isEmpty() ? Collections.nCopies(RATIOS.size(), "") : ratios)
            .forEach(ratio -> entries.add(Entry.of(ratio)));
      }
      REST.forEach(column -> entries.add(median(cell, column)));
      entries.add(Entry.of(words(cell), "words"));
    }
    return new Row(cell.mode() == Mode.HEDDLE, entries);
  }

  private static Entry median(Cell cell, Column column) {
    Spread spread = cell.spread(column.figure());
    return Entry.of(spread == null ? "–" : number(spread.median()));
  }

  /** What is to be said of it beside its figures. */
  static String words(Cell cell) {
    Stream<String> errors =
        cell.rounds().stream()
            .flatMap(figures -> figures.errors().entrySet().stream())
            .collect(
                Collectors.groupingBy(
                    Map.Entry::getKey, Collectors.summingLong(Map.Entry::getValue)))
            .entrySet()
            .stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(KINDS_SHOWN)
            .map(error -> format("%,d × %s", error.getValue(), error.getKey()));
    Stream<String> pins =
        cell.rounds().stream()
            .flatMap(figures -> figures.pinnedAt().stream())
            .distinct()
            .limit(KINDS_SHOWN)
            .map(frame -> "pinned at " + frame);
    return Stream.of(Stream.of(cell.note()), errors, pins)
        .flatMap(each -> each)
        .filter(each -> !each.isEmpty())
        .collect(Collectors.joining("; "));
  }

  /** How much of the machine the server took in the closed loops; empty without them. */
  Section server() {
    double most = 0;
    int full = 0;
    List<Row> rows = new ArrayList<>();
    for (Cell cell : run.cells()) {
      if (cell.scenario().startsWith(Cell.CLOSED) && !cell.rounds().isEmpty()) {
        double server = share(cell, Figures::serverCpuSeconds);
        double client = share(cell, Figures::cpuSeconds);
        most = Math.max(most, server);
        full += server + client >= FULL ? 1 : 0;
        rows.add(
            new Row(
                cell.mode() == Mode.HEDDLE,
                Stream.of(
                        cell.fullName(),
                        cell.scenario(),
                        percent(server),
                        percent(client),
                        percent(server + client))
                    .map(Entry::of)
                    .toList()));
      }
    }
    String words =
        format(
            "%s: it took %s %s of the processors. In %d of %d cells server and client together took"
                + " at least %s of the machine that they share: there it is the CPU that each call"
                + " costs on both sides that decides.",
            most >= FULL ? "Yes, in part" : "No",
            most >= FULL ? "up to" : "at most",
            percent(most),
            full,
            rows.size(),
            percent(FULL));
    return rows.isEmpty()
        ? Section.of("server", "", List.of())
        : Section.of(
            "server",
            "Was the server the bottleneck?",
            words,
            List.of(
                Table.of(
                    "Shares of the machine in the closed loops",
                    List.of("client", "scenario", "server's", "client's", "both"),
                    rows)));
  }

  private static String percent(double part) {
    return format("%.0f %%", part * 100);
  }

  private double share(Cell cell, ToDoubleFunction<Figures> cpuSeconds) {
    int processors = run.machine().processors();
    Spread spread =
        cell.spread(figures -> cpuSeconds.applyAsDouble(figures) / figures.seconds() / processors);
    return spread == null ? 0 : spread.median();
  }
}
