package io.heddle.bench.measure;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.scenarios.PayloadPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one client's figure is, divided by another's, in the rounds in which they took turns.
 *
 * @param scenario its key
 * @param variant within the scenario; empty if it has none
 * @param one what a table calls it; as {@code other}
 * @param figure as the CSV calls it
 */
public record Ratio(
    String scenario, String variant, String one, String other, String figure, Spread spread) {

  /** A figure that ratios are made of. */
  public enum Of {
    THROUGHPUT("calls_per_second"),
    CPU("cpu_us_per_call"),
    MEDIAN("p50_ms"),
    P99("p99_ms");

    private final String key;

    Of(String key) {
      this.key = key;
    }

    private double in(Figures figures) {
      return switch (this) {
        case THROUGHPUT -> figures.perSecond();
        case CPU -> figures.cpuMicrosPerCall();
        case MEDIAN -> figures.latency(50);
        case P99 -> figures.latency(99);
      };
    }
  }

  /** Of each of ours to the others of its library, and of each client to the baseline. */
  static List<Ratio> all(List<Cell> cells) {
    List<Ratio> all = new ArrayList<>();
    for (Cell one : cells) {
      for (Cell other : cells) {
        if (tookTurns(one, other) && (isBaseline(other) || isOurs(one, other))) {
          for (Of each : Of.values()) {
            Spread spread = spread(one, other, each);
            if (spread != null) {
              all.add(
                  new Ratio(
                      one.scenario(), one.variant(), one.name(), other.name(), each.key, spread));
            }
          }
        }
      }
    }
    return all;
  }

  /** Null if there is no round in which both have the figure. */
  public static @Nullable Spread spread(Cell one, Cell other, Of figure) {
    return Spread.ofRatios(one.values(figure::in), other.values(figure::in));
  }

  /** The stock client over HTTP/1.1 that took turns with this one. */
  public static Optional<Cell> stock(List<Cell> cells, Cell one) {
    return cells.stream()
        .filter(other -> other.library() == one.library() && other.wire() == Wire.HTTP_1)
        .filter(other -> other.mode() == Mode.STOCK_VIRTUAL && tookTurns(one, other))
        .findFirst();
  }

  /** The JDK's own client that took turns with this one. */
  public static Optional<Cell> baseline(List<Cell> cells, Cell one) {
    return cells.stream().filter(other -> isBaseline(other) && tookTurns(one, other)).findFirst();
  }

  private static boolean isBaseline(Cell cell) {
    return cell.library() == Library.JDK && cell.mode() == Mode.STOCK_VIRTUAL;
  }

  private static boolean isOurs(Cell one, Cell other) {
    boolean isStock = other.mode() == Mode.STOCK_VIRTUAL || other.mode() == Mode.STOCK_PLATFORM;
    return one.mode() == Mode.HEDDLE
        && other.mode() != Mode.HEDDLE
        && one.library() == other.library()
        && (one.wire() == other.wire() || (isStock && other.wire() == Wire.HTTP_1));
  }

  private static boolean tookTurns(Cell one, Cell other) {
    if (!one.scenario().equals(other.scenario()) || one.isSameCell(other)) {
      return false;
    }
    boolean isSameVariant = one.variant().equals(other.variant());
    return switch (one.scenario()) {
      case PayloadPart.SCENARIO, PayloadPart.LONG -> isSameVariant && one.wire() == other.wire();
      default ->
          one.scenario().startsWith(Cell.CLOSED)
              && ((isSameVariant && one.library() == other.library())
                  || (one.variant().isEmpty()
                      && other.variant().equals(Cell.beside(one.library()))));
    };
  }
}
