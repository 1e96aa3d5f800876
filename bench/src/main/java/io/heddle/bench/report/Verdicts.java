package io.heddle.bench.report;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Spread;
import io.heddle.bench.scenarios.LoadScenario;
import io.heddle.bench.scenarios.Matrix;
import io.heddle.bench.scenarios.PayloadPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What was promised, and whether this run bears it out. */
record Verdicts(RunRecord run) {

  /** What became of a promise for one library. */
  enum Finding {
    MET,
    MISSED,
    /** There are no figures for it in this run. */
    UNKNOWN
  }

  /** One promise for one library. */
  record Verdict(Finding finding, String text) {
    static final Verdict UNKNOWN = new Verdict(Finding.UNKNOWN, "not measured");
  }

  /**
   * A promise.
   *
   * @param bar what is to be reached
   * @param verdicts in the order of {@link Library#bridged}
   */
  record Promise(String what, String bar, List<Verdict> verdicts) {}

  private static final int MOST_THREADS = 20;

  List<Promise> all() {
    List<Promise> all = new ArrayList<>();
    for (LoadScenario scenario : List.of(LoadScenario.CLOSED_100, LoadScenario.CLOSED_1000)) {
      for (Wire wire : Wire.values()) {
        all.add(
            atLeast(
                "throughput ÷ async callbacks, " + wire + ", " + callers(scenario),
                0.95,
                library -> ratio(scenario, library, wire, Mode.ASYNC, wire, Figures::perSecond)));
      }
      all.add(
          atLeast(
              "throughput ÷ stock on virtual threads, HTTP/1.1, " + callers(scenario),
              1.0,
              library ->
                  ratio(
                      scenario,
                      library,
                      Wire.HTTP_1,
                      Mode.STOCK_VIRTUAL,
                      Wire.HTTP_1,
                      Figures::perSecond)));
      all.add(
          atLeast(
              "throughput on HTTP/2 ÷ stock on HTTP/1.1, " + callers(scenario),
              1.3,
              library ->
                  ratio(
                      scenario,
                      library,
                      Wire.HTTP_2,
                      Mode.STOCK_VIRTUAL,
                      Wire.HTTP_1,
                      Figures::perSecond)));
    }
    for (Wire wire : Wire.values()) {
      all.add(
          new Promise(
              "bytes allocated for a call beyond async callbacks, " + wire,
              "≤ 256",
              each(library -> allocation(library, wire))));
    }
    for (String variant : List.of(PayloadPart.LONG_GET, PayloadPart.LONG_POST)) {
      all.add(atLeast("speed ÷ stock, " + variant, 1.0, library -> longBody(library, variant)));
    }
    for (Wire wire : Wire.values()) {
      all.add(
          new Promise(
              "heap held by a waiting call, KiB, " + wire,
              wire == Wire.HTTP_1
                  ? "Apache ≤ 16, OkHttp ≤ 20, others ≤ stock"
                  : "Apache ≤ 5, others ≤ async",
              each(library -> heap(library, wire))));
      all.add(
          new Promise(
              "all calls in flight at once, no error, " + wire,
              "≤ " + MOST_THREADS + " platform threads",
              each(library -> inFlight(library, wire))));
    }
    all.add(new Promise("pins", "0", each(this::pins)));
    return all;
  }

  private static String callers(LoadScenario scenario) {
    return scenario == LoadScenario.CLOSED_100 ? "100 callers" : "1,000 callers";
  }

  private interface Judge {
    Verdict of(Library library);
  }

  private interface Ratio {
    @Nullable Spread of(Library library);
  }

  private static List<Verdict> each(Judge judge) {
    return Library.bridged().stream().map(judge::of).toList();
  }

  private static Promise atLeast(String what, double bar, Ratio ratio) {
    return new Promise(
        what,
        Markup.format("≥ %.2f", bar),
        each(
            library -> {
              Spread spread = ratio.of(library);
              return spread == null
                  ? Verdict.UNKNOWN
                  : judged(spread.median() >= bar, Markup.spread(spread));
            }));
  }

  private static Verdict judged(boolean isMet, String text) {
    return new Verdict(isMet ? Finding.MET : Finding.MISSED, text);
  }

  /** Of Heddle on one wire to another mode, pair by pair. */
  @Nullable Spread ratio(
      LoadScenario scenario,
      Library library,
      Wire wire,
      Mode other,
      Wire otherWire,
      ToDoubleFunction<Figures> figure) {
    Optional<Cell> ours = run.cell(scenario, library, Mode.HEDDLE, wire);
    Optional<Cell> theirs = run.cell(scenario, library, other, otherWire);
    return ours.isEmpty() || theirs.isEmpty()
        ? null
        : Spread.ofRatios(ours.get().values(figure), theirs.get().values(figure));
  }

  private Verdict allocation(Library library, Wire wire) {
    Spread ours = closed(library, Mode.HEDDLE, wire);
    Spread limit = closed(library, Mode.ASYNC, wire);
    if (ours == null || limit == null) {
      return Verdict.UNKNOWN;
    }
    double more = ours.median() - limit.median();
    return judged(more <= 256, Markup.format("%+,.0f", more));
  }

  private @Nullable Spread closed(Library library, Mode mode, Wire wire) {
    return run.cell(LoadScenario.CLOSED_100, library, mode, wire)
        .map(cell -> cell.spread(Figures::bytesPerCall))
        .orElse(null);
  }

  private @Nullable Spread longBody(Library library, String variant) {
    Optional<Cell> ours = run.cell(PayloadPart.LONG, variant, library, Mode.HEDDLE, Wire.HTTP_1);
    Optional<Cell> stock =
        run.cell(PayloadPart.LONG, variant, library, Mode.STOCK_VIRTUAL, Wire.HTTP_1);
    return ours.isEmpty() || stock.isEmpty()
        ? null
        : Spread.ofRatios(
            ours.get().values(Figures::perSecond), stock.get().values(Figures::perSecond));
  }

  private Verdict heap(Library library, Wire wire) {
    double ours = heldKib(library, Mode.HEDDLE, wire);
    if (!Double.isFinite(ours)) {
      return Verdict.UNKNOWN;
    }
    Mode baseline = wire == Wire.HTTP_1 ? Mode.STOCK_VIRTUAL : Mode.ASYNC;
    double theirs = heldKib(library, baseline, wire);
    double most =
        switch (library) {
          case APACHE -> wire == Wire.HTTP_1 ? 16 : 5;
          case OKHTTP -> wire == Wire.HTTP_1 ? 20 : theirs;
          default -> theirs;
        };
    if (!Double.isFinite(most)) {
      return new Verdict(Finding.UNKNOWN, Markup.number(ours) + ", nothing to compare with");
    }
    return judged(
        ours <= most,
        Markup.number(ours)
            + (Double.isFinite(theirs)
                ? Markup.format(
                    " (%s %s)", wire == Wire.HTTP_1 ? "stock" : "async", Markup.number(theirs))
                : ""));
  }

  private double heldKib(Library library, Mode mode, Wire wire) {
    Spread spread =
        run.cell(LoadScenario.LONG, library, mode, wire)
            .map(cell -> cell.spread(Verdicts::heapPerCall))
            .orElse(null);
    return spread == null ? Double.NaN : spread.median() / 1024;
  }

  /** NaN if calls were not held. */
  static double heapPerCall(Figures figures) {
    Figures.Held held = figures.held();
    return held == null || held.calls() == 0 ? Double.NaN : held.heapPerCall();
  }

  /** NaN if calls were not held. */
  static double rssPerCall(Figures figures) {
    Figures.Held held = figures.held();
    return held == null || held.calls() == 0 ? Double.NaN : held.rssPerCall();
  }

  private Verdict inFlight(Library library, Wire wire) {
    Cell cell = run.cell(LoadScenario.LONG, library, Mode.HEDDLE, wire).orElse(null);
    if (cell == null
        || cell.absence().equals(Matrix.NOT_IN_SIZE)
        || cell.absence().equals(Matrix.NOT_REACHED)) {
      return Verdict.UNKNOWN;
    }
    if (cell.rounds().isEmpty()) {
      return judged(false, cell.absence());
    }
    int held =
        cell.rounds().stream()
            .map(Figures::held)
            .mapToInt(each -> each == null ? 0 : each.calls())
            .min()
            .orElse(0);
    int threads = cell.rounds().stream().mapToInt(Figures::peakThreads).max().orElse(0);
    return judged(
        cell.errorCount() == 0 && threads <= MOST_THREADS,
        Markup.format("%,d calls, %,d errors, %d threads", held, cell.errorCount(), threads));
  }

  private Verdict pins(Library library) {
    List<Cell> ours =
        run.cells().stream()
            .filter(cell -> cell.library() == library && cell.mode() == Mode.HEDDLE)
            .filter(cell -> !cell.rounds().isEmpty())
            .toList();
    if (ours.isEmpty()) {
      return Verdict.UNKNOWN;
    }
    long pins =
        ours.stream().flatMap(cell -> cell.rounds().stream()).mapToLong(Figures::pins).sum();
    return judged(pins == 0, Markup.format("%,d", pins));
  }
}
