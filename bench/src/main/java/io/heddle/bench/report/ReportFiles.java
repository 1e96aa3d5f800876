package io.heddle.bench.report;

import io.heddle.bench.load.Json;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.RunRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a run leaves: a page to look at, its data as JSON, and a line for each cell as CSV. */
public final class ReportFiles {

  public static final String HTML = "report.html";
  public static final String JSON = "run.json";
  static final String CSV = "cells.csv";

  private static final List<String> HEAD =
      List.of(
          "scenario",
          "variant",
          "library",
          "mode",
          "wire",
          "round",
          "calls_per_second",
          "p50_ms",
          "p90_ms",
          "p99_ms",
          "p99.9_ms",
          "max_ms",
          "successes",
          "errors",
          "max_in_flight",
          "seconds",
          "cpu_us_per_call",
          "server_cpu_seconds",
          "bytes_per_call",
          "platform_threads",
          "carriers",
          "pins",
          "heap_max_bytes",
          "heap_average_bytes",
          "rss_max_bytes",
          "virtual_max_bytes",
          "held",
          "heap_per_held_call",
          "rss_per_held_call",
          "note",
          "absence");

  private final RunRecord run;

  public ReportFiles(RunRecord run) {
    this.run = run;
  }

  public void writeTo(Path directory) throws IOException {
    Files.writeString(directory.resolve(JSON), Json.pretty(run));
    Files.writeString(directory.resolve(CSV), csv());
    Files.writeString(directory.resolve(HTML), new HtmlReport(run).html());
  }

  /** A line for each round, or for each cell without one. */
  String csv() {
    List<List<String>> lines = new ArrayList<>();
    lines.add(HEAD);
    for (Cell cell : run.cells()) {
      if (cell.rounds().isEmpty()) {
        lines.add(line(cell, 0, List.of()));
      }
      for (int i = 0; i < cell.rounds().size(); i++) {
        lines.add(line(cell, i + 1, figures(cell.rounds().get(i))));
      }
    }
    return lines.stream()
            .map(line -> line.stream().map(ReportFiles::quote).collect(Collectors.joining(",")))
            .collect(Collectors.joining("\r\n"))
        + "\r\n";
  }

  private static List<String> line(Cell cell, int round, List<String> figures) {
    List<String> line =
        new ArrayList<>(
            List.of(
                cell.scenario(),
                cell.variant(),
                cell.library().label(),
                cell.mode().label(),
                cell.wire().toString(),
                round == 0 ? "" : Integer.toString(round)));
    line.addAll(figures);
    while (line.size() < HEAD.size() - 2) {
      line.add("");
    }
    line.add(cell.note());
    line.add(cell.absence());
    return line;
  }

  private static List<String> figures(Figures figures) {
    List<String> line =
        new ArrayList<>(
            List.of(
                number(figures.perSecond()),
                number(figures.latency(50)),
                number(figures.latency(90)),
                number(figures.latency(99)),
                number(figures.latency(99.9)),
                number(figures.latency(100)),
                Long.toString(figures.successes()),
                Long.toString(figures.errorCount()),
                Integer.toString(figures.maxInFlight()),
                number(figures.seconds()),
                number(figures.cpuMicrosPerCall()),
                number(figures.serverCpuSeconds()),
                number(figures.bytesPerCall()),
                Integer.toString(figures.peakThreads()),
                Integer.toString(figures.peakCarriers()),
                Integer.toString(figures.pins()),
                Long.toString(figures.heapMax()),
                Long.toString(figures.heapAverage()),
                Long.toString(figures.rssMax()),
                Long.toString(figures.virtualMax())));
    Figures.Held held = figures.held();
    if (held != null) {
      line.add(Integer.toString(held.calls()));
      line.add(number(held.heapPerCall()));
      line.add(number(held.rssPerCall()));
    }
    return line;
  }

  private static String number(double number) {
    return Double.isFinite(number) ? String.format(Locale.ROOT, "%.3f", number) : "";
  }

  /** As RFC 4180 has it. */
  private static String quote(String text) {
    return text.matches("[^\",\r\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
