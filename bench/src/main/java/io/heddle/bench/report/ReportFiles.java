package io.heddle.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import io.heddle.bench.load.Json;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Ratio;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Syscalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a run leaves: a page to look at, its data as JSON, and cells and ratios as CSV. */
public final class ReportFiles {

  public static final String HTML = "report.html";
  public static final String JSON = "run.json";
  public static final String CSV = "cells.csv";
  public static final String RATIOS = "ratios.csv";

  /** The figures of a line; whole numbers, and others with three digits behind the point. */
  private static final Map<String, Function<Figures, ? extends Number>> FIGURES =
      new LinkedHashMap<>();

  static {
    FIGURES.put("calls_per_second", Figures::perSecond);
    FIGURES.put("p50_ms", figures -> figures.latency(50));
    FIGURES.put("p90_ms", figures -> figures.latency(90));
    FIGURES.put("p99_ms", figures -> figures.latency(99));
    FIGURES.put("p99.9_ms", figures -> figures.latency(99.9));
    FIGURES.put("max_ms", figures -> figures.latency(100));
    FIGURES.put("successes", Figures::successes);
    FIGURES.put("errors", Figures::errorCount);
    FIGURES.put("max_in_flight", Figures::maxInFlight);
    FIGURES.put("seconds", Figures::seconds);
    FIGURES.put("cpu_us_per_call", Figures::cpuMicrosPerCall);
    FIGURES.put("server_cpu_seconds", Figures::serverCpuSeconds);
    FIGURES.put("bytes_per_call", Figures::bytesPerCall);
    FIGURES.put("platform_threads", Figures::peakThreads);
    FIGURES.put("carriers", Figures::peakCarriers);
    FIGURES.put("pins", Figures::pins);
    FIGURES.put("heap_max_bytes", Figures::heapMax);
    FIGURES.put("heap_average_bytes", Figures::heapAverage);
    FIGURES.put("rss_max_bytes", Figures::rssMax);
    FIGURES.put("virtual_max_bytes", Figures::virtualMax);
    FIGURES.put("held", ReportFiles::held);
    FIGURES.put("heap_per_held_call", Verdicts::heapPerCall);
    FIGURES.put("rss_per_held_call", Verdicts::rssPerCall);
    FIGURES.put("warm_up_seconds", Figures::warmUpSeconds);
  }

  /** The values of a line of ratios. */
  private static final Map<String, Function<Ratio, String>> RATIO = new LinkedHashMap<>();

  static {
    RATIO.put("scenario", Ratio::scenario);
    RATIO.put("variant", Ratio::variant);
    RATIO.put("one", Ratio::one);
    RATIO.put("other", Ratio::other);
    RATIO.put("figure", Ratio::figure);
    RATIO.put("median", each -> text(each.spread().median()));
    RATIO.put("low", each -> text(each.spread().low()));
    RATIO.put("high", each -> text(each.spread().high()));
    RATIO.put("confidence", each -> Markup.format("%.4f", each.spread().confidence()));
    RATIO.put("rounds", each -> Integer.toString(each.spread().count()));
  }

  private final RunRecord run;

  public ReportFiles(RunRecord run) {
    this.run = run;
  }

  public void writeTo(Path directory) throws IOException {
    Files.writeString(directory.resolve(JSON), Json.pretty(run));
    Files.writeString(directory.resolve(CSV), cells());
    Files.writeString(directory.resolve(RATIOS), ratios());
    Files.writeString(directory.resolve(HTML), new HtmlReport(run).html());
  }

  /** A line for each round, or for each cell without one; then those that were traced. */
  String cells() {
    List<Map<String, String>> lines = new ArrayList<>();
    for (Cell cell : run.cells()) {
      if (cell.rounds().isEmpty()) {
        lines.add(line(cell, "", null));
      }
      for (int i = 0; i < cell.rounds().size(); i++) {
        lines.add(line(cell, Integer.toString(i + 1), cell.rounds().get(i)));
      }
    }
    run.syscalls().forEach(each -> lines.add(line(each)));
    List<String> head =
        new ArrayList<>(List.of("scenario", "variant", "library", "mode", "wire", "round"));
    head.addAll(FIGURES.keySet());
    head.addAll(List.of("note", "absence", "syscalls_per_call"));
    for (Syscalls.Kind kind : Syscalls.Kind.values()) {
      head.add(kind.label() + "_per_call");
    }
    return csv(head, lines);
  }

  private static Map<String, String> line(Cell cell, String round, @Nullable Figures figures) {
    Map<String, String> line = line(cell, round);
    if (figures != null) {
      FIGURES.forEach((head, figure) -> line.put(head, text(figure.apply(figures))));
    }
    line.put("note", cell.note());
    line.put("absence", cell.absence());
    return line;
  }

  private static Map<String, String> line(Syscalls counted) {
    Map<String, String> line = line(counted.cell(), "strace");
    line.put("successes", Long.toString(counted.calls()));
    line.put("syscalls_per_call", text(counted.perCall()));
    for (Syscalls.Kind kind : Syscalls.Kind.values()) {
      line.put(kind.label() + "_per_call", text(counted.perCall(kind)));
    }
    return line;
  }

  private static Map<String, String> line(Cell cell, String round) {
    Map<String, String> line = new LinkedHashMap<>();
    line.put("scenario", cell.scenario());
    line.put("variant", cell.variant());
    line.put("library", cell.library().label());
    line.put("mode", cell.mode().label());
    line.put("wire", cell.wire().toString());
    line.put("round", round);
    return line;
  }

  /** A line for each ratio of those who took turns. */
  String ratios() {
    List<Map<String, String>> lines = new ArrayList<>();
    for (Ratio each : run.ratios()) {
      Map<String, String> line = new LinkedHashMap<>();
      RATIO.forEach((head, value) -> line.put(head, value.apply(each)));
      lines.add(line);
    }
    return csv(List.copyOf(RATIO.keySet()), lines);
  }

  private static String csv(List<String> head, List<Map<String, String>> lines) {
    CsvSchema.Builder schema = CsvSchema.builder().setUseHeader(true).setLineSeparator("\r\n");
    head.forEach(schema::addColumn);
    try {
      return CsvMapper.builder()
          .enable(CsvGenerator.Feature.STRICT_CHECK_FOR_QUOTING)
          .build()
          .writer(schema.build())
          .writeValueAsString(lines);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static Number held(Figures figures) {
    Figures.Held held = figures.held();
    return held == null ? (Number) Double.NaN : (Number) held.calls();
  }

  private static String text(Number number) {
    if (!(number instanceof Double)) {
      return number.toString();
    }
    return Double.isFinite(number.doubleValue())
        ? String.format(Locale.ROOT, "%.3f", number.doubleValue())
        : "";
  }
}
