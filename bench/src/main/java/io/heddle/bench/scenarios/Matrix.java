package io.heddle.bench.scenarios;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.Task;
import io.heddle.bench.measure.Cell;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Which contestants there can be, which a size has, and in words why others are not. */
public final class Matrix {

  /** The words for what a size leaves out. */
  public static final String NOT_IN_SIZE = "not in this size; in the full one";

  /** The words for a service whose client another was chosen for. */
  static final String ONE_LIBRARY = "only in the full size, or if --library names it alone";

  /** The words for what a run was too short for. */
  public static final String NOT_REACHED = "not reached: the run was interrupted";

  private Matrix() {}

  /** Why this is not to be had, whatever the size; empty if it is. */
  static String impossible(Library library, Mode mode, Wire wire) {
    if (library.all().stream().anyMatch(each -> each.mode() == mode && each.wire() == wire)) {
      return "";
    }
    if (mode == Mode.PEER) {
      return library.label() + " has no bridge of its own from a blocking interface to its engine";
    }
    return library.label() + "'s blocking client does not speak " + wire;
  }

  /** Whether the size has it; the smaller ones leave out what says least. */
  static boolean isIn(Size size, Contestant contestant) {
    if (size == Size.FULL) {
      return true;
    }
    if (size == Size.PROMISES) {
      return isPromised(contestant);
    }
    boolean isJdk = contestant.library() == Library.JDK;
    return switch (contestant.mode()) {
      case HEDDLE -> true;
      case ASYNC -> !isJdk && contestant.library() != Library.OKHTTP; // those say least of a limit
      case STOCK_VIRTUAL -> isJdk || contestant.wire() == Wire.HTTP_1;
      case STOCK_PLATFORM ->
          contestant.wire() == Wire.HTTP_1 && !isJdk && contestant.library() != Library.AHC;
      case PEER -> contestant.wire() == Wire.HTTP_1;
    };
  }

  private static boolean isPromised(Contestant contestant) {
    return switch (contestant.mode()) {
      case HEDDLE, ASYNC -> true;
      case STOCK_VIRTUAL -> contestant.wire() == Wire.HTTP_1;
      case STOCK_PLATFORM, PEER -> false;
    };
  }

  /** Those that a scenario of services has figures for. */
  public static List<Contestant> contestants(
      Size size, List<Library> libraries, List<Mode> modes, Predicate<Contestant> isIn) {
    return inServices(size, libraries).stream()
        .flatMap(library -> library.all().stream())
        .filter(each -> modes.contains(each.mode()))
        .filter(isIn)
        .toList();
  }

  /** Whose clients services are measured with: of all those chosen, or of the first of them. */
  private static List<Library> inServices(Size size, List<Library> libraries) {
    return size == Size.FULL || libraries.isEmpty() ? libraries : libraries.subList(0, 1);
  }

  /**
   * The cells that a scenario of services has no figures for, each with the words for why.
   *
   * @param isIn as in {@link #contestants}
   */
  public static List<Cell> absent(
      Size size,
      String scenario,
      String variant,
      List<Library> libraries,
      List<Mode> modes,
      Predicate<Contestant> isIn) {
    List<Cell> cells = new ArrayList<>();
    for (Library library : libraries) {
      for (Mode mode : modes) {
        for (Wire wire : Wire.values()) {
          String why = impossible(library, mode, wire);
          if (why.isEmpty() && !inServices(size, libraries).contains(library)) {
            why = ONE_LIBRARY;
          } else if (why.isEmpty() && !isIn.test(Task.contestant(library, mode, wire))) {
            why = NOT_IN_SIZE;
          }
          if (!why.isEmpty()) {
            cells.add(new Cell(scenario, variant, library, mode, wire, List.of(), "", why));
          }
        }
      }
    }
    return cells;
  }
}
