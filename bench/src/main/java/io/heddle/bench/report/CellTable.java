package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.escape;
import static io.heddle.bench.report.Markup.format;
import static io.heddle.bench.report.Markup.number;

import io.heddle.bench.contestants.Mode;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.scenarios.LoadScenario;
import io.heddle.bench.scenarios.PayloadPart;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
  String all() {
    StringBuilder html = new StringBuilder();
    Set<String> scenarios =
        run.cells().stream()
            .map(Cell::scenario)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    for (String scenario : scenarios) {
      html.append(format("<details><summary>%s</summary>", escape(titleOf(scenario))));
      html.append("<div class='scroll'><table><tr><th>client</th>");
      COLUMNS.forEach(column -> html.append("<th>").append(escape(column.head())).append("</th>"));
      html.append("<th class='words'></th></tr>");
      run.cells(scenario).forEach(cell -> row(html, cell));
      html.append("</table></div></details>");
    }
    return html.toString();
  }

  private static String titleOf(String scenario) {
    for (LoadScenario each : LoadScenario.values()) {
      if (each.key().equals(scenario)) {
        return each.title();
      }
    }
    return switch (scenario) {
      case PayloadPart.SCENARIO -> "Bodies, 16 callers";
      case PayloadPart.LONG -> "One body of 200 MiB at a time";
      default -> scenario;
    };
  }

  private static void row(StringBuilder html, Cell cell) {
    html.append(
        format(
            "<tr%s><td>%s%s</td>",
            cell.mode() == Mode.HEDDLE ? " class='ours'" : "",
            escape(cell.name()),
            cell.variant().isEmpty() ? "" : ", " + escape(cell.variant())));
    if (cell.rounds().isEmpty()) {
      html.append(
          format(
              "<td class='words' colspan='%d'>%s</td></tr>",
              COLUMNS.size() + 1, escape(cell.absence())));
      return;
    }
    for (Column column : COLUMNS) {
      html.append(format("<td>%s</td>", median(cell.spread(column.figure()))));
    }
    html.append(format("<td class='words'>%s</td></tr>", escape(words(cell))));
  }

  private static String median(@Nullable Spread spread) {
    return spread == null ? "–" : number(spread.median());
  }

  private static String words(Cell cell) {
    String errors =
        cell.rounds().stream()
            .flatMap(figures -> figures.errors().entrySet().stream())
            .collect(
                Collectors.groupingBy(
                    Map.Entry::getKey, Collectors.summingLong(Map.Entry::getValue)))
            .entrySet()
            .stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(KINDS_SHOWN)
            .map(error -> format("%,d × %s", error.getValue(), error.getKey()))
            .collect(Collectors.joining("; "));
    String pins =
        cell.rounds().stream()
            .flatMap(figures -> figures.pinnedAt().stream())
            .distinct()
            .limit(KINDS_SHOWN)
            .collect(Collectors.joining("; "));
    StringBuilder words = new StringBuilder(cell.note());
    if (!errors.isEmpty()) {
      words.append(words.isEmpty() ? "" : "; ").append(errors);
    }
    if (!pins.isEmpty()) {
      words.append(words.isEmpty() ? "" : "; ").append("pinned at ").append(pins);
    }
    return words.toString();
  }

  /** How much of the machine the server took in the closed loops; empty without them. */
  String server() {
    List<Cell> cells =
        run.cells().stream()
            .filter(cell -> cell.scenario().startsWith("closed") && !cell.rounds().isEmpty())
            .toList();
    if (cells.isEmpty()) {
      return "";
    }
    int processors = run.machine().processors();
    StringBuilder table =
        new StringBuilder(
            "<details><summary>Shares of the machine in the closed loops</summary>"
                + "<div class='scroll'><table><tr><th>client</th><th>scenario</th><th>server's</th>"
                + "<th>client's</th><th>both</th></tr>");
    double most = 0;
    int full = 0;
    for (Cell cell : cells) {
      double server = share(cell, Figures::serverCpuSeconds, processors);
      double client = share(cell, Figures::cpuSeconds, processors);
      most = Math.max(most, server);
      full += server + client >= FULL ? 1 : 0;
      table.append(
          format(
              "<tr%s><td>%s</td><td>%s</td><td>%.0f %%</td><td>%.0f %%</td><td>%.0f %%</td></tr>",
              cell.mode() == Mode.HEDDLE ? " class='ours'" : "",
              escape(cell.name()),
              escape(cell.scenario()),
              server * 100,
              client * 100,
              (server + client) * 100));
    }
    table.append("</table></div></details>");
    String verdict =
        most >= FULL
            ? "<b>Yes, in part:</b> it took up to %.0f %% of the processors."
            : "<b>No:</b> it took at most %.0f %% of the processors.";
    return format("<p>" + verdict, most * 100)
        + format(
            " In %d of %d cells server and client together took at least %.0f %% of the machine that"
                + " they share: there it is the CPU that each call costs on both sides that"
                + " decides.</p>",
            full, cells.size(), FULL * 100)
        + table;
  }

  private static double share(Cell cell, ToDoubleFunction<Figures> cpuSeconds, int processors) {
    Spread spread =
        cell.spread(figures -> cpuSeconds.applyAsDouble(figures) / figures.seconds() / processors);
    return spread == null ? 0 : spread.median();
  }
}
