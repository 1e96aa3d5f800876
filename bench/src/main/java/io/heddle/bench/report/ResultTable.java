package io.heddle.bench.report;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.measure.Measured;
import io.heddle.pinning.PinningReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The table at the end of a run, and the verdict under it. */
public final class ResultTable {

  private static final List<String> HEAD =
      List.of(
          "client",
          "calls",
          "errors",
          "calls/s",
          "p50 ms",
          "p99 ms",
          "CPU µs/call",
          "B/call",
          "threads",
          "carriers",
          "pinned");

  private final Map<Contestant, Measured> results;

  public ResultTable(Map<Contestant, Measured> results) {
    this.results = new LinkedHashMap<>(results);
  }

  /** The table, with the errors by kind and the pins of our own contestants below it. */
  public String text() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEAD);
    results.forEach((contestant, result) -> rows.add(row(contestant, result)));
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      for (int column = 0; column < row.size(); column++) {
        int width = width(rows, column);
        String format = column == 0 ? "%-" + width + "s" : "  %" + width + "s";
        text.append(String.format(Locale.ROOT, format, row.get(column)));
      }
      text.append(System.lineSeparator());
    }
    for (Map.Entry<Contestant, Measured> each : results.entrySet()) {
      String name = each.getKey().name();
      Measured result = each.getValue();
      for (Map.Entry<String, Long> error : result.errors().entrySet()) {
        text.append(
            String.format(Locale.ROOT, "%n%s: %,d × %s", name, error.getValue(), error.getKey()));
      }
      if (!result.pinning().isClean()) {
        text.append(String.format(Locale.ROOT, "%n%s: %s", name, result.pinning().describe()));
      }
    }
    return text.toString();
  }

  private static int width(List<List<String>> rows, int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }

  private static List<String> row(Contestant contestant, Measured result) {
    long calls = Math.max(1, result.calls());
    PinningReport pinning = result.pinning();
    return List.of(
        contestant.name(),
        number("%,d", result.calls()),
        number("%,d", result.errorCount()),
        number("%,.0f", result.calls() / result.seconds()),
        number("%.2f", result.latency().getValueAtPercentile(50) / 1e6),
        number("%.2f", result.latency().getValueAtPercentile(99) / 1e6),
        number("%.1f", result.reading().cpuNanos() / 1e3 / calls),
        number("%,d", result.reading().allocatedBytes() / calls),
        number("%d", result.reading().peakThreads()),
        number("%d", pinning.peakCarriers()),
        number("%,d", pinning.events().size()));
  }

  private static String number(String format, Object value) {
    return String.format(Locale.ROOT, format, value);
  }

  /** Whether our own contestants pinned nothing and had no error. */
  public boolean isGood() {
    return ours().allMatch(result -> result.pinning().isClean() && result.errorCount() == 0);
  }

  /** One line. */
  public String verdict() {
    long pins = ours().mapToLong(result -> result.pinning().events().size()).sum();
    long errors = ours().mapToLong(Measured::errorCount).sum();
    return String.format(
        Locale.ROOT,
        "%s: Heddle pinned %s, with %s, on JDK %s.",
        isGood() ? "PASSED" : "FAILED",
        pins == 0 ? "nothing" : String.format(Locale.ROOT, "%,d times", pins),
        errors == 0 ? "no error" : String.format(Locale.ROOT, "%,d errors", errors),
        Runtime.version());
  }

  private Stream<Measured> ours() {
    return results.entrySet().stream()
        .filter(each -> each.getKey().isOurs())
        .map(Map.Entry::getValue);
  }
}
