package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.format;
import static io.heddle.bench.report.Markup.number;

import io.heddle.bench.contestants.Mode;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
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
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every cell as a line of a table: medians, or in words why there are none. */
record CellTable(RunRecord run) {

  /** Server and client together take the whole machine from here on, more or less. */
  private static final double FULL = 0.9;

  private static final int KINDS_SHOWN = 3;

  private record Column(String head, ToDoubleFunction<Figures> figure) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("calls/s", Figures::perSecond),
          new Column("p50 ms", figures -> figures.latency(50)),
          new Column("p99 ms", figures -> figures.latency(99)),
          new Column("p99.9 ms", figures -> figures.latency(99.9)),
          new Column("max ms", figures -> figures.latency(100)),
          new Column("at once", Figures::maxInFlight),
          new Column("errors", Figures::errorCount),
          new Column("s", Figures::seconds),
          new Column("CPU µs/call", Figures::cpuMicrosPerCall),
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
    List<String> head = new ArrayList<>(List.of("client"));
    COLUMNS.forEach(column -> head.add(column.head()));
    head.add("");
    return run.cells().stream()
        .map(Cell::scenario)
        .distinct()
        .map(
            scenario ->
                Table.of(
                    titleOf(scenario),
                    head,
                    run.cells(scenario).stream().map(CellTable::row).toList()))
        .toList();
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

  private static Row row(Cell cell) {
    List<Entry> entries = new ArrayList<>();
    entries.add(Entry.of(cell.name() + (cell.variant().isEmpty() ? "" : ", " + cell.variant())));
    if (cell.rounds().isEmpty()) {
      entries.add(new Entry(cell.absence(), "words", "", COLUMNS.size() + 1, ""));
    } else {
      for (Column column : COLUMNS) {
        Spread spread = cell.spread(column.figure());
        entries.add(Entry.of(spread == null ? "–" : number(spread.median())));
      }
      entries.add(Entry.of(words(cell), "words"));
    }
    return new Row(cell.mode() == Mode.HEDDLE, entries);
  }

  private static String words(Cell cell) {
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
      if (cell.scenario().startsWith("closed") && !cell.rounds().isEmpty()) {
        double server = share(cell, Figures::serverCpuSeconds);
        double client = share(cell, Figures::cpuSeconds);
        most = Math.max(most, server);
        full += server + client >= FULL ? 1 : 0;
        rows.add(
            new Row(
                cell.mode() == Mode.HEDDLE,
                Stream.of(
                        cell.name(),
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
