package io.heddle.bench.report;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Figures.Held;
import io.heddle.bench.measure.Ratio;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.scenarios.LoadScenario;
import io.heddle.bench.scenarios.Matrix;
import io.heddle.bench.scenarios.PayloadPart;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** What was promised, and whether this run bears it out. */
record Verdicts(RunRecord run) {

  // ---- the bars -------------------------------------------------------------------------------

  private static final double NO_BAR = Double.NaN;
  private static final List<Library> DECORATED = List.of(Library.OKHTTP, Library.JDK);
  private static final String AT_LEAST = "≥ ";
  private static final String AT_MOST = "≤ ";

  /** What Heddle does ÷ what another does, pair by pair. */
  private record Aim(
      String what,
      Ratio.Of figure,
      Wire wire,
      Mode other,
      Wire otherWire,
      String sense,
      double bar,
      double decorated) {

    private static Aim toStock(String what, Ratio.Of figure, Wire wire, String sense, double bar) {
      return new Aim(what, figure, wire, Mode.STOCK_VIRTUAL, Wire.HTTP_1, sense, bar, bar);
    }

    private static Aim toAsync(Wire wire, double bar) {
      String what = "throughput ÷ async callbacks, " + wire;
      return new Aim(what, Ratio.Of.THROUGHPUT, wire, Mode.ASYNC, wire, AT_LEAST, bar, bar);
    }

    /** Where our client is the library's own with something around it. */
    private Aim decorated(double own) {
      return new Aim(what, figure, wire, other, otherWire, sense, bar, own);
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
  private static final List<Aim> FEW =
      List.of(
          Aim.toStock("median latency" + STOCK, Ratio.Of.MEDIAN, Wire.HTTP_1, AT_MOST, 1.1),
          Aim.toStock("p99" + STOCK, Ratio.Of.P99, Wire.HTTP_1, AT_MOST, 1.1));

  /** With 100 callers and with 1,000. */
  private static final List<Aim> CLOSED =
      List.of(
          Aim.toStock("throughput" + STOCK, Ratio.Of.THROUGHPUT, Wire.HTTP_1, AT_LEAST, 1.0)
              .decorated(0.95),
          Aim.toStock("CPU for a call" + STOCK, Ratio.Of.CPU, Wire.HTTP_1, AT_MOST, 1.0),
          Aim.toStock("p99" + STOCK, Ratio.Of.P99, Wire.HTTP_1, AT_MOST, 1.0),
          Aim.toStock(
                  "throughput on HTTP/2 ÷ stock on HTTP/1.1",
                  Ratio.Of.THROUGHPUT,
                  Wire.HTTP_2,
                  AT_LEAST,
                  1.5)
              .decorated(NO_BAR),
          Aim.toAsync(Wire.HTTP_1, 0.95),
          Aim.toAsync(Wire.HTTP_2, 0.95));

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

  /** What became of a promise for one library; the worst is last. */
  enum Finding {
    /** There are no figures for it in this run, or there is no bar. */
    UNKNOWN,
    KEPT,
    /** The bar lies in the interval, or there were too few rounds to tell. */
    UNDECIDED,
    MISSED
  }

  /** One promise for one library. */
  record Verdict(Finding finding, String text) {
    static final Verdict UNKNOWN = new Verdict(Finding.UNKNOWN, "not measured");

    /** This one, unless the other is worse, or all that is told. */
    private Verdict worst(Verdict other) {
      boolean isOther = equals(UNKNOWN) || other.finding.compareTo(finding) > 0;
      return isOther ? other : this;
    }

    /** With a mark before it. */
    String marked() {
      return switch (finding) {
        case KEPT -> "✓ " + text;
        case MISSED -> "✗ " + text;
        case UNDECIDED -> "≈ " + text;
        case UNKNOWN -> text;
      };
    }

    /** Of what is counted, not timed. */
    private static Verdict of(boolean isKept, String text) {
      return new Verdict(isKept ? Finding.KEPT : Finding.MISSED, text);
    }

    private static Verdict of(@Nullable Spread spread, String sense, double bar) {
      return of(spread, sense, bar, Markup::spread);
    }

    /** By the interval: whether all of it lies on one side of the bar, and on which. */
    private static Verdict of(
        @Nullable Spread spread, String sense, double bar, Function<Spread, String> text) {
      if (spread == null) {
        return UNKNOWN;
      }
      boolean isLeast = sense.equals(AT_LEAST);
      Finding finding = Finding.UNDECIDED;
      if (Double.isNaN(bar)) {
        finding = Finding.UNKNOWN;
      } else if (spread.decides() && (isLeast ? spread.low() >= bar : spread.high() <= bar)) {
        finding = Finding.KEPT;
      } else if (spread.decides() && (isLeast ? spread.high() < bar : spread.low() > bar)) {
        finding = Finding.MISSED;
      }
      return new Verdict(finding, text.apply(spread));
    }
  }

  /**
   * A promise.
   *
   * @param bar what is to be reached
   * @param verdicts for each library
   */
  record Promise(String what, String bar, Map<Library, Verdict> verdicts) {

    private static Promise of(String what, String bar, Function<Library, Verdict> judge) {
      Map<Library, Verdict> verdicts = new EnumMap<>(Library.class);
      for (Library each : Library.MEASURED) {
        verdicts.put(each, judge.apply(each));
      }
      return new Promise(what, bar, verdicts);
    }

    Verdict of(Library library) {
      return verdicts.getOrDefault(library, Verdict.UNKNOWN);
    }

    /** The same of two runs. */
    Promise worst(Promise other) {
      return of(what, bar, library -> of(library).worst(other.of(library)));
    }

    /** Whether no library has a figure for it. */
    boolean isUnknown() {
      return verdicts.values().stream().allMatch(Verdict.UNKNOWN::equals);
    }
  }

  List<Promise> all() {
    List<Promise> all = new ArrayList<>();
    for (LoadScenario scenario : LoadScenario.values()) {
      for (Aim each : aims(scenario)) {
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
    all.add(Promise.of("errors", "0", library -> none(library, Figures::errorCount)));
    all.add(Promise.of("pins", "0", library -> none(library, Figures::pins)));
    return all;
  }

  private static List<Aim> aims(LoadScenario scenario) {
    if (!scenario.isClosed() || scenario.isTls()) {
      return List.of(); // nothing was promised
    }
    return scenario.isFew() ? FEW : CLOSED;
  }

  private @Nullable Spread ratio(LoadScenario scenario, Library library, Aim of) {
    return ratio(scenario, library, of.wire, of.other, of.otherWire, of.figure);
  }

  /** Of Heddle on one wire to another mode, pair by pair. */
  @Nullable Spread ratio(
      LoadScenario scenario,
      Library library,
      Wire wire,
      Mode other,
      Wire otherWire,
      Ratio.Of figure) {
    return ratio(
        run.cell(scenario, library, Mode.HEDDLE, wire),
        run.cell(scenario, library, other, otherWire),
        figure);
  }

  private static @Nullable Spread ratio(
      Optional<Cell> ours, Optional<Cell> theirs, Ratio.Of figure) {
    return ours.isEmpty() || theirs.isEmpty()
        ? null
        : Ratio.spread(ours.get(), theirs.get(), figure);
  }

  private @Nullable Spread longBody(Library library, String variant) {
    return ratio(
        run.cell(PayloadPart.LONG, variant, library, Mode.HEDDLE, Wire.HTTP_1),
        run.cell(PayloadPart.LONG, variant, library, Mode.STOCK_VIRTUAL, Wire.HTTP_1),
        Ratio.Of.THROUGHPUT);
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
    Optional<Cell> ours = run.cell(LoadScenario.CLOSED_100, library, Mode.HEDDLE, wire);
    Optional<Cell> theirs = run.cell(LoadScenario.CLOSED_100, library, Mode.ASYNC, wire);
    if (ours.isEmpty() || theirs.isEmpty()) {
      return Verdict.UNKNOWN;
    }
    Spread more =
        Spread.ofPairs(
            ours.get().values(Figures::bytesPerCall),
            theirs.get().values(Figures::bytesPerCall),
            (one, other) -> one - other);
    return Verdict.of(
        more,
        AT_MOST,
        ALLOCATED,
        each -> Markup.format("%+,.0f (%+,.0f to %+,.0f)", each.median(), each.low(), each.high()));
  }

  private static Mode heapBaseline(Wire wire) {
    return wire == Wire.HTTP_1 ? Mode.STOCK_VIRTUAL : Mode.ASYNC;
  }

  private static Map<Library, Double> heapBars(Wire wire) {
    return HEAP.getOrDefault(wire, Map.of());
  }

  private static String heapText(Wire wire) {
    StringBuilder text = new StringBuilder();
    for (Library library : Library.MEASURED) {
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

  /** Of what should not be, in all scenarios. */
  private Verdict none(Library library, ToLongFunction<Figures> figure) {
    List<Cell> ours =
        run.cells().stream()
            .filter(cell -> cell.library() == library && cell.mode() == Mode.HEDDLE)
            .filter(cell -> !cell.rounds().isEmpty())
            .toList();
    long count = ours.stream().mapToLong(cell -> cell.sum(figure)).sum();
    return ours.isEmpty() ? Verdict.UNKNOWN : Verdict.of(count == 0, Markup.format("%,d", count));
  }
}
