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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What was promised, and whether this run bears it out. */
record Verdicts(RunRecord run) {

  // ---- the bars -------------------------------------------------------------------------------

  private static final String AT_LEAST = "≥ ";
  private static final String AT_MOST = "≤ ";
  private static final String EXACTLY = "";
  private static final String STOCK = " ÷ stock on virtual threads, HTTP/1.1";
  private static final String ASYNC = "throughput ÷ async callbacks, ";
  private static final String ALLOCATED = "bytes allocated for a call beyond async callbacks, ";
  private static final String HEAP = "KiB of heap held by a waiting call, beside ";
  private static final String IN_FLIGHT =
      "platform threads, with all calls in flight at once and no error, ";
  private static final double NO_BAR = Double.NaN;

  /** What it is compared with is the bar. */
  private static final double THE_OTHER = Double.POSITIVE_INFINITY;

  /** The table of all that was promised. */
  private static final List<Bar> BARS =
      List.of(
          few("median latency" + STOCK, AT_MOST, 1.1, toStock(Ratio.Of.MEDIAN, Wire.HTTP_1)),
          few("p99" + STOCK, AT_MOST, 1.1, toStock(Ratio.Of.P99, Wire.HTTP_1)),
          many("throughput" + STOCK, AT_LEAST, 1.0, toStock(Ratio.Of.THROUGHPUT, Wire.HTTP_1))
              .but(Library.OKHTTP, 0.95)
              .but(Library.JDK, 0.95),
          many("CPU for a call" + STOCK, AT_MOST, 1.0, toStock(Ratio.Of.CPU, Wire.HTTP_1)),
          many("p99" + STOCK, AT_MOST, 1.0, toStock(Ratio.Of.P99, Wire.HTTP_1)),
          many(
                  "throughput on HTTP/2 ÷ stock on HTTP/1.1",
                  AT_LEAST,
                  1.5,
                  toStock(Ratio.Of.THROUGHPUT, Wire.HTTP_2))
              .but(Library.OKHTTP, NO_BAR)
              .but(Library.JDK, NO_BAR),
          many(ASYNC + Wire.HTTP_1, AT_LEAST, 0.95, toAsync(Wire.HTTP_1)),
          many(ASYNC + Wire.HTTP_2, AT_LEAST, 0.95, toAsync(Wire.HTTP_2)),
          once(
              "speed ÷ stock, " + PayloadPart.LONG_GET,
              AT_LEAST,
              0.9,
              longBody(PayloadPart.LONG_GET)),
          once(
              "speed ÷ stock, " + PayloadPart.LONG_POST,
              AT_LEAST,
              0.9,
              longBody(PayloadPart.LONG_POST)),
          once(ALLOCATED + Wire.HTTP_1, AT_MOST, 256, allocation(Wire.HTTP_1)),
          once(
                  HEAP + "stock, " + Wire.HTTP_1,
                  AT_MOST,
                  THE_OTHER,
                  heap(Wire.HTTP_1, Mode.STOCK_VIRTUAL))
              .but(Library.APACHE, 16)
              .but(Library.OKHTTP, 20),
          once(IN_FLIGHT + Wire.HTTP_1, AT_MOST, 20, inFlight(Wire.HTTP_1)),
          once(ALLOCATED + Wire.HTTP_2, AT_MOST, 256, allocation(Wire.HTTP_2)),
          once(
                  HEAP + "async callbacks, " + Wire.HTTP_2,
                  AT_MOST,
                  THE_OTHER,
                  heap(Wire.HTTP_2, Mode.ASYNC))
              .but(Library.APACHE, 8),
          once(IN_FLIGHT + Wire.HTTP_2, AT_MOST, 20, inFlight(Wire.HTTP_2)),
          once("errors", EXACTLY, 0, none(Figures::errorCount)),
          once("pins", EXACTLY, 0, none(Figures::pins)));

  /** With what a bar is to be reached. */
  private enum With {
    /** One caller, and 10. */
    FEW,
    /** 100 callers, and 1,000. */
    MANY,
    /** What its line says. */
    ITSELF;

    private static With of(LoadScenario scenario) {
      boolean isPromised = scenario.isClosed() && !scenario.isTls();
      return !isPromised ? ITSELF : scenario.isFew() ? FEW : MANY;
    }
  }

  /** What comes of a bar for a library. */
  private interface Judge {
    Verdict of(Verdicts run, LoadScenario scenario, Library library, String sense, double bar);
  }

  private static Bar few(String what, String sense, double bar, Judge judge) {
    return new Bar(what, With.FEW, sense, bar, Map.of(), judge);
  }

  private static Bar many(String what, String sense, double bar, Judge judge) {
    return new Bar(what, With.MANY, sense, bar, Map.of(), judge);
  }

  private static Bar once(String what, String sense, double bar, Judge judge) {
    return new Bar(what, With.ITSELF, sense, bar, Map.of(), judge);
  }

  /**
   * A line of the table.
   *
   * @param bar or {@link #NO_BAR}, or {@link #THE_OTHER}
   * @param own bars of libraries that have one of their own
   */
  private record Bar(
      String what, With with, String sense, double bar, Map<Library, Double> own, Judge judge) {

    private Bar but(Library library, double its) {
      Map<Library, Double> all = new EnumMap<>(Library.class);
      all.putAll(own);
      all.put(library, its);
      return new Bar(what, with, sense, bar, all, judge);
    }

    private String text() {
      StringBuilder text = new StringBuilder(text(bar));
      own.values().stream()
          .distinct()
          .forEach(each -> text.append(", ").append(those(each)).append(' ').append(text(each)));
      return text.toString();
    }

    /** Whose bar this is; {@link #NO_BAR}, too. */
    private String those(Double its) {
      return own.keySet().stream()
          .filter(each -> its.equals(own.get(each)))
          .map(Library::label)
          .collect(Collectors.joining(" and "));
    }

    private String text(double of) {
      if (Double.isNaN(of)) {
        return "none";
      }
      return sense + (Double.isInfinite(of) ? "the other" : Markup.number(of));
    }

    private Promise promise(Verdicts run, LoadScenario scenario, String title) {
      return Promise.of(
          title,
          text(),
          library -> judge.of(run, scenario, library, sense, own.getOrDefault(library, bar)));
    }
  }

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
      int callers = scenario.fullCalls();
      String with = Markup.format(", %,d caller%s", callers, callers == 1 ? "" : "s");
      for (Bar each : BARS) {
        if (each.with != With.ITSELF && each.with == With.of(scenario)) {
          all.add(each.promise(this, scenario, each.what + with));
        }
      }
    }
    for (Bar each : BARS) {
      if (each.with == With.ITSELF) {
        all.add(each.promise(this, LoadScenario.LONG, each.what));
      }
    }
    return all;
  }

  private static Judge toStock(Ratio.Of figure, Wire wire) {
    return (run, scenario, library, sense, bar) ->
        Verdict.of(
            run.ratio(scenario, library, wire, Mode.STOCK_VIRTUAL, Wire.HTTP_1, figure),
            sense,
            bar);
  }

  private static Judge toAsync(Wire wire) {
    return (run, scenario, library, sense, bar) ->
        Verdict.of(
            run.ratio(scenario, library, wire, Mode.ASYNC, wire, Ratio.Of.THROUGHPUT), sense, bar);
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

  private static Judge longBody(String variant) {
    return (of, scenario, library, sense, bar) ->
        Verdict.of(
            ratio(
                of.run.cell(PayloadPart.LONG, variant, library, Mode.HEDDLE, Wire.HTTP_1),
                of.run.cell(PayloadPart.LONG, variant, library, Mode.STOCK_VIRTUAL, Wire.HTTP_1),
                Ratio.Of.THROUGHPUT),
            sense,
            bar);
  }

  private static Judge allocation(Wire wire) {
    return (of, scenario, library, sense, bar) -> {
      Optional<Cell> ours = of.run.cell(LoadScenario.CLOSED_100, library, Mode.HEDDLE, wire);
      Optional<Cell> theirs = of.run.cell(LoadScenario.CLOSED_100, library, Mode.ASYNC, wire);
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
          sense,
          bar,
          each ->
              Markup.format("%+,.0f (%+,.0f to %+,.0f)", each.median(), each.low(), each.high()));
    };
  }

  private static Judge heap(Wire wire, Mode other) {
    return (of, scenario, library, sense, bar) -> {
      double ours = of.heapKib(library, Mode.HEDDLE, wire);
      double theirs = of.heapKib(library, other, wire);
      double most = Double.isFinite(bar) ? bar : theirs;
      if (!Double.isFinite(ours)) {
        return Verdict.UNKNOWN;
      }
      if (!Double.isFinite(most)) {
        return new Verdict(Finding.UNKNOWN, Markup.number(ours) + ", nothing to compare with");
      }
      String beside = " (" + other.suffix() + " " + Markup.number(theirs) + ")";
      return Verdict.of(
          ours <= most, Markup.number(ours) + (Double.isFinite(theirs) ? beside : ""));
    };
  }

  /** The median; NaN if there is none. */
  private double heapKib(Library library, Mode mode, Wire wire) {
    return run.cell(LoadScenario.LONG, library, mode, wire)
        .map(cell -> cell.spread(figures -> heapPerCall(figures) / 1024))
        .map(Spread::median)
        .orElse(Double.NaN);
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

  private static Judge inFlight(Wire wire) {
    return (of, scenario, library, sense, bar) -> {
      Cell cell = of.run.cell(LoadScenario.LONG, library, Mode.HEDDLE, wire).orElse(null);
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
          cell.errorCount() == 0 && threads <= bar,
          Markup.format("%,d calls, %,d errors, %d threads", held, cell.errorCount(), threads));
    };
  }

  /** Of what should not be, in all scenarios. */
  private static Judge none(ToLongFunction<Figures> figure) {
    return (of, scenario, library, sense, bar) -> {
      List<Cell> ours =
          of.run.cells().stream()
              .filter(cell -> cell.library() == library && cell.mode() == Mode.HEDDLE)
              .filter(cell -> !cell.rounds().isEmpty())
              .toList();
      long count = ours.stream().mapToLong(cell -> cell.sum(figure)).sum();
      return ours.isEmpty()
          ? Verdict.UNKNOWN
          : Verdict.of(count <= bar, Markup.format("%,d", count));
    };
  }
}
