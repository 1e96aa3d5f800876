package io.heddle.bench.report;

import static io.heddle.bench.report.Markup.format;

import io.heddle.bench.contestants.Mode;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Ratio;
import io.heddle.bench.measure.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The tables at the end of a run, and the verdict under them. */
public record ResultTable(List<Cell> cells) {

  private static final String LINE = System.lineSeparator();

  /** The tables, and below them what went wrong, and what our own contestants pinned. */
  public String text() {
    List<List<String>> speed = new ArrayList<>();
    speed.add(List.of("client", "calls/s", "÷ stock", "÷ JDK's", "CPU µs/call", "÷ stock"));
    List<List<String>> rest = new ArrayList<>();
    rest.add(List.of("", "p50 ms", "p99 ms", "B/call", "threads", "carriers", "pinned", "errors"));
    StringBuilder words = new StringBuilder();
    for (Cell cell : cells) {
      speed.add(
          List.of(
              cell.fullName(),
              median(cell, Figures::perSecond),
              CellTable.ratio(cell, Ratio.stock(cells, cell), Ratio.Of.THROUGHPUT),
              CellTable.ratio(cell, Ratio.baseline(cells, cell), Ratio.Of.THROUGHPUT),
              median(cell, Figures::cpuMicrosPerCall),
              CellTable.ratio(cell, Ratio.stock(cells, cell), Ratio.Of.CPU)));
      rest.add(
          List.of(
              cell.fullName(),
              median(cell, each -> each.latency(50)),
              median(cell, each -> each.latency(99)),
              median(cell, Figures::bytesPerCall),
              format("%d", cell.most(Figures::peakThreads)),
              format("%d", cell.most(Figures::peakCarriers)),
              format("%,d", cell.sum(Figures::pins)),
              format("%,d", cell.errorCount())));
      String said = CellTable.words(cell);
      if (!said.isEmpty()) {
        words.append(LINE).append(cell.fullName()).append(": ").append(said);
      }
    }
    return text(speed) + LINE + text(rest) + LINE + Markup.METHOD_IN_BRIEF + LINE + words;
  }

  private static String median(Cell cell, ToDoubleFunction<Figures> figure) {
    Spread spread = cell.spread(figure);
    return spread == null ? "–" : Markup.number(spread.median());
  }

  private static String text(List<List<String>> rows) {
    List<Integer> widths =
        IntStream.range(0, rows.get(0).size())
            .map(i -> rows.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
            .boxed()
            .toList();
    return rows.stream()
        .map(
            row ->
                IntStream.range(0, row.size())
                    .mapToObj(
                        i -> format("%" + (i == 0 ? "-" : "") + widths.get(i) + "s", row.get(i)))
                    .collect(Collectors.joining("  ")))
        .collect(Collectors.joining(LINE, "", LINE));
  }

  /** Whether our own contestants pinned nothing and had no error, and were measured. */
  public boolean isGood() {
    return ours().stream().noneMatch(cell -> cell.rounds().isEmpty())
        && pins() == 0
        && errors() == 0;
  }

  /** One line. */
  public String verdict() {
    return format(
        "%s: Heddle pinned %s, with %s, on JDK %s.",
        isGood() ? "PASSED" : "FAILED",
        pins() == 0 ? "nothing" : format("%,d times", pins()),
        errors() == 0 ? "no error" : format("%,d errors", errors()),
        Runtime.version());
  }

  private long pins() {
    return ours().stream().mapToLong(cell -> cell.sum(Figures::pins)).sum();
  }

  private long errors() {
    return ours().stream().mapToLong(Cell::errorCount).sum();
  }

  private List<Cell> ours() {
    return cells.stream().filter(each -> each.mode() == Mode.HEDDLE).toList();
  }
}
