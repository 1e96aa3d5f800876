package io.heddle.bench.report;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Figures.Held;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.scenarios.LoadScenario;
import io.heddle.bench.scenarios.Matrix;
import io.heddle.bench.scenarios.PayloadPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What was promised, and whether this run bears it out. */
record Verdicts(RunRecord run) {

  // ---- the bars -------------------------------------------------------------------------------

  private static final double NO_BAR = Double.NaN;
  private static final List<Library> DECORATED = List.of(Library.OKHTTP, Library.JDK);
  private static final String AT_LEAST = "≥ ";
  private static final String AT_MOST = "≤ ";

  /** What Heddle does ÷ what another does, pair by pair. */
  private record Ratio(
      String what,
      ToDoubleFunction<Figures> figure,
      Wire wire,
      Mode other,
      Wire otherWire,
      String sense,
      double bar,
      double decorated) {

    private static Ratio toStock(
        String what, ToDoubleFunction<Figures> figure, Wire wire, String sense, double bar) {
      return new Ratio(what, figure, wire, Mode.STOCK_VIRTUAL, Wire.HTTP_1, sense, bar, bar);
    }

    private static Ratio toAsync(Wire wire, double bar) {
      String what = "throughput ÷ async callbacks, " + wire;
      return new Ratio(what, Figures::perSecond, wire, Mode.ASYNC, wire, AT_LEAST, bar, bar);
    }

    /** Where our client is the library's own with something around it. */
    private Ratio decorated(double own) {
      return new Ratio(what, figure, wire, other, otherWire, sense, bar, own);
    }

    private double of(Library library) {
      return DECORATED.contains(library) ? decorated : bar;
    }

    private String text() {
      String others = sense + Markup.ratio(bar);
      return Double.compare(bar, decorated) == 0
          ? others
          : others
              + ", OkHttp and JDK "
              + (Double.isNaN(decorated) ? "none" : Markup.ratio(decorated));
    }
  }

  private static final String STOCK = " ÷ stock on virtual threads, HTTP/1.1";

  /** With one caller and with 10. */
  private static final List<Ratio> FEW =
      List.of(
          Ratio.toStock(
              "median latency" + STOCK, each -> each.latency(50), Wire.HTTP_1, AT_MOST, 1.1),
          Ratio.toStock("p99" + STOCK, each -> each.latency(99), Wire.HTTP_1, AT_MOST, 1.1));

  /** With 100 callers and with 1,000. */
  private static final List<Ratio> CLOSED =
      List.of(
          Ratio.toStock("throughput" + STOCK, Figures::perSecond, Wire.HTTP_1, AT_LEAST, 1.0)
              .decorated(0.95),
          Ratio.toStock(
              "CPU for a call" + STOCK, Figures::cpuMicrosPerCall, Wire.HTTP_1, AT_MOST, 1.0),
          Ratio.toStock("p99" + STOCK, each -> each.latency(99), Wire.HTTP_1, AT_MOST, 1.0),
          Ratio.toStock(
                  "throughput on HTTP/2 ÷ stock on HTTP/1.1",
                  Figures::perSecond,
                  Wire.HTTP_2,
                  AT_LEAST,
                  1.5)
              .decorated(NO_BAR),
          Ratio.toAsync(Wire.HTTP_1, 0.95),
          Ratio.toAsync(Wire.HTTP_2, 0.95));

  /** Of one body of 200 MiB at a time, ÷ stock. */
  private static final double LONG_BODY = 0.9;

  /** Bytes for a call, beyond those of async callbacks. */
  private static final double ALLOCATED = 256;

  /** KiB of heap for a call that waits; no more than stock's on HTTP/1.1 or async's on HTTP/2. */
  private static final Map<Wire, Map<Library, Double>> HEAP =
      Map.of(
          Wire.HTTP_1, Map.of(Library.APACHE, 16.0, Library.OKHTTP, 20.0),
          Wire.HTTP_2, Map.of(Library.APACHE, 8.0));

  /** Platform threads, with every call in flight. */
  private static final int THREADS = 20;

  // ---- what came of them ----------------------------------------------------------------------

  /** What became of a promise for one library. */
  enum Finding {
    MET,
    MISSED,
    /** There are no figures for it in this run, or there is no bar. */
    UNKNOWN
  }

  /** One promise for one library. */
  record Verdict(Finding finding, String text) {
    static final Verdict UNKNOWN = new Verdict(Finding.UNKNOWN, "not measured");

    private static Verdict of(boolean isMet, String text) {
      return new Verdict(isMet ? Finding.MET : Finding.MISSED, text);
    }

    private static Verdict of(@Nullable Spread spread, String sense, double bar) {
      if (spread == null) {
        return UNKNOWN;
      }
      double median = spread.median();
      String text = Markup.spread(spread);
      return Double.isNaN(bar)
          ? new Verdict(Finding.UNKNOWN, text)
          : of(sense.equals(AT_LEAST) ? median >= bar : median <= bar, text);
    }
  }

  /**
   * A promise.
   *
   * @param bar what is to be reached
   * @param verdicts in the order of {@link Library#bridged}
   */
  record Promise(String what, String bar, List<Verdict> verdicts) {

    private static Promise of(String what, String bar, Function<Library, Verdict> judge) {
      return new Promise(what, bar, Library.bridged().stream().map(judge).toList());
    }

    boolean isUnknown() {
      return verdicts.stream().allMatch(each -> each.finding() == Finding.UNKNOWN);
    }
  }

  List<Promise> all() {
    List<Promise> all = new ArrayList<>();
    for (LoadScenario scenario : LoadScenario.values()) {
      for (Ratio each : scenario.isFew() ? FEW : scenario.isClosed() ? CLOSED : List.<Ratio>of()) {
        int callers = scenario.fullCalls();
        all.add(
            Promise.of(
                Markup.format("%s, %,d caller%s", each.what(), callers, callers == 1 ? "" : "s"),
                each.text(),
                library ->
                    Verdict.of(ratio(scenario, library, each), each.sense, each.of(library))));
      }
    }
    for (String variant : List.of(PayloadPart.LONG_GET, PayloadPart.LONG_POST)) {
      all.add(
          Promise.of(
              "speed ÷ stock, " + variant,
              AT_LEAST + Markup.ratio(LONG_BODY),
              library -> Verdict.of(longBody(library, variant), AT_LEAST, LONG_BODY)));
    }
    for (Wire wire : Wire.values()) {
      all.add(
          Promise.of(
              "bytes allocated for a call beyond async callbacks, " + wire,
              AT_MOST + Markup.number(ALLOCATED),
              library -> allocation(library, wire)));
      all.add(
          Promise.of(
              "heap held by a waiting call, KiB, " + wire,
              heapText(wire),
              library -> heap(library, wire)));
      all.add(
          Promise.of(
              "all calls in flight at once, no error, " + wire,
              AT_MOST + THREADS + " platform threads",
              library -> inFlight(library, wire)));
    }
    all.add(Promise.of("pins", "0", this::pins));
    return all;
  }

  private @Nullable Spread ratio(LoadScenario scenario, Library library, Ratio of) {
    return ratio(scenario, library, of.wire, of.other, of.otherWire, of.figure);
  }

  /** Of Heddle on one wire to another mode, pair by pair. */
  @Nullable Spread ratio(
      LoadScenario scenario,
      Library library,
      Wire wire,
      Mode other,
      Wire otherWire,
      ToDoubleFunction<Figures> figure) {
    return ratio(
        run.cell(scenario, library, Mode.HEDDLE, wire),
        run.cell(scenario, library, other, otherWire),
        figure);
  }

  private static @Nullable Spread ratio(
      Optional<Cell> ours, Optional<Cell> theirs, ToDoubleFunction<Figures> figure) {
    return ours.isEmpty() || theirs.isEmpty()
        ? null
        : Spread.ofRatios(ours.get().values(figure), theirs.get().values(figure));
  }

  private @Nullable Spread longBody(Library library, String variant) {
    return ratio(
        run.cell(PayloadPart.LONG, variant, library, Mode.HEDDLE, Wire.HTTP_1),
        run.cell(PayloadPart.LONG, variant, library, Mode.STOCK_VIRTUAL, Wire.HTTP_1),
        Figures::perSecond);
  }

  /** NaN if there is none. */
  private double median(
      LoadScenario scenario,
      Library library,
      Mode mode,
      Wire wire,
      ToDoubleFunction<Figures> figure) {
    Spread spread =
        run.cell(scenario, library, mode, wire).map(cell -> cell.spread(figure)).orElse(null);
    return spread == null ? Double.NaN : spread.median();
  }

  private Verdict allocation(Library library, Wire wire) {
    LoadScenario scenario = LoadScenario.CLOSED_100;
    double more =
        median(scenario, library, Mode.HEDDLE, wire, Figures::bytesPerCall)
            - median(scenario, library, Mode.ASYNC, wire, Figures::bytesPerCall);
    return Double.isNaN(more)
        ? Verdict.UNKNOWN
        : Verdict.of(more <= ALLOCATED, Markup.format("%+,.0f", more));
  }

  private static Mode heapBaseline(Wire wire) {
    return wire == Wire.HTTP_1 ? Mode.STOCK_VIRTUAL : Mode.ASYNC;
  }

  private static Map<Library, Double> heapBars(Wire wire) {
    return HEAP.getOrDefault(wire, Map.of());
  }

  private static String heapText(Wire wire) {
    StringBuilder text = new StringBuilder();
    for (Library library : Library.bridged()) {
      Double bar = heapBars(wire).get(library);
      if (bar != null) {
        text.append(Markup.format("%s ≤ %.0f, ", library.label(), bar));
      }
    }
    return text + "others ≤ " + heapBaseline(wire).suffix();
  }

  private Verdict heap(Library library, Wire wire) {
    ToDoubleFunction<Figures> kib = figures -> heapPerCall(figures) / 1024;
    Mode baseline = heapBaseline(wire);
    double ours = median(LoadScenario.LONG, library, Mode.HEDDLE, wire, kib);
    double theirs = median(LoadScenario.LONG, library, baseline, wire, kib);
    double most = heapBars(wire).getOrDefault(library, theirs);
    if (!Double.isFinite(ours)) {
      return Verdict.UNKNOWN;
    }
    if (!Double.isFinite(most)) {
      return new Verdict(Finding.UNKNOWN, Markup.number(ours) + ", nothing to compare with");
    }
    return Verdict.of(
        ours <= most,
        Markup.number(ours)
            + (Double.isFinite(theirs)
                ? " (" + baseline.suffix() + " " + Markup.number(theirs) + ")"
                : ""));
  }

  /** NaN if calls were not held. */
  static double heapPerCall(Figures figures) {
    return perHeldCall(figures, Held::heapPerCall);
  }

  /** NaN if calls were not held. */
  static double rssPerCall(Figures figures) {
    return perHeldCall(figures, Held::rssPerCall);
  }

  private static double perHeldCall(Figures figures, ToDoubleFunction<Held> figure) {
    Held held = figures.held();
    return held == null || held.calls() == 0 ? Double.NaN : figure.applyAsDouble(held);
  }

  private Verdict inFlight(Library library, Wire wire) {
    Cell cell = run.cell(LoadScenario.LONG, library, Mode.HEDDLE, wire).orElse(null);
    if (cell == null
        || cell.absence().equals(Matrix.NOT_IN_SIZE)
        || cell.absence().equals(Matrix.NOT_REACHED)) {
      return Verdict.UNKNOWN;
    }
    if (cell.rounds().isEmpty()) {
      return Verdict.of(false, cell.absence());
    }
    int held =
        cell.rounds().stream()
            .map(Figures::held)
            .mapToInt(each -> each == null ? 0 : each.calls())
            .min()
            .orElse(0);
    int threads = cell.rounds().stream().mapToInt(Figures::peakThreads).max().orElse(0);
    return Verdict.of(
        cell.errorCount() == 0 && threads <= THREADS,
        Markup.format("%,d calls, %,d errors, %d threads", held, cell.errorCount(), threads));
  }

  private Verdict pins(Library library) {
    List<Figures> ours =
        run.cells().stream()
            .filter(cell -> cell.library() == library && cell.mode() == Mode.HEDDLE)
            .flatMap(cell -> cell.rounds().stream())
            .toList();
    long pins = ours.stream().mapToLong(Figures::pins).sum();
    return ours.isEmpty() ? Verdict.UNKNOWN : Verdict.of(pins == 0, Markup.format("%,d", pins));
  }
}
