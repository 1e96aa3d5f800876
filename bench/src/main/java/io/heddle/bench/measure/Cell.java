package io.heddle.bench.measure;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One client in one mode on one wire in one scenario: figures, or in words why there are none.
 *
 * @param scenario its key
 * @param variant within the scenario; empty if it has none
 * @param rounds the figures of each round; empty if there are none
 * @param note what was scaled, or went wrong in a round; empty if nothing
 * @param absence why there are no figures; empty if there are
 */
public record Cell(
    String scenario,
    String variant,
    Library library,
    Mode mode,
    Wire wire,
    List<Figures> rounds,
    String note,
    String absence) {

  /** How the keys begin of scenarios in which each caller makes one call after the other. */
  public static final String CLOSED = "closed-";

  public Cell {
    rounds = List.copyOf(rounds);
  }

  /** The variant of the JDK's client that takes turns with a library's, as a baseline. */
  public static String beside(Library library) {
    return "beside " + library.label();
  }

  /** What a table calls the client. */
  public String name() {
    return library.label() + " " + mode.suffix() + ", " + wire;
  }

  /** That, and the variant. */
  public String fullName() {
    return name() + (variant.isEmpty() ? "" : ", " + variant);
  }

  /** Whether it is of the same client in the same scenario. */
  public boolean isSameCell(Cell other) {
    return scenario.equals(other.scenario)
        && variant.equals(other.variant)
        && library == other.library
        && mode == other.mode
        && wire == other.wire;
  }

  /** Of a figure in each round; null without figures. */
  public @Nullable Spread spread(ToDoubleFunction<Figures> figure) {
    return Spread.of(rounds.stream().mapToDouble(figure));
  }

  /** The figure in each round. */
  public List<Double> values(ToDoubleFunction<Figures> figure) {
    return rounds.stream().map(figure::applyAsDouble).toList();
  }

  /** Of all rounds. */
  public long sum(ToLongFunction<Figures> figure) {
    return rounds.stream().mapToLong(figure).sum();
  }

  /** In any round. */
  public long most(ToLongFunction<Figures> figure) {
    return rounds.stream().mapToLong(figure).max().orElse(0);
  }

  public long errorCount() {
    return sum(Figures::errorCount);
  }
}
