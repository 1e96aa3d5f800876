package io.heddle.bench.load;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;

/** What a {@link Worker} is told to measure. */
public record Task(Library library, Mode mode, Wire wire, Ask ask, Load load, Target target) {

  /** How calls are made. */
  enum Kind {
    CLOSED,
    OPEN,
    HELD
  }

  /**
   * How many calls are made, and when.
   *
   * @param calls of an open loop and of a held load; callers of a closed loop
   * @param perSecond of an open loop
   * @param millis of a closed loop
   * @param warmUpCalls before, for an open loop and a held load
   * @param warmUpMillis before, for a closed loop
   * @param patienceSeconds how long calls may take to end after they should have
   */
  public record Load(
      Kind kind,
      int calls,
      double perSecond,
      long millis,
      int warmUpCalls,
      long warmUpMillis,
      long patienceSeconds) {

    public static Load closed(int callers, long millis, long warmUpMillis) {
      return new Load(Kind.CLOSED, callers, 0, millis, 0, warmUpMillis, 0);
    }

    public static Load open(int calls, double perSecond, long patienceSeconds) {
      return new Load(Kind.OPEN, calls, perSecond, 0, 1_000, 0, patienceSeconds);
    }

    public static Load held(int calls, long patienceSeconds) {
      return new Load(Kind.HELD, calls, 0, 0, 1_000, 0, patienceSeconds);
    }
  }

  public Contestant contestant() {
    return contestant(library, mode, wire);
  }

  /**
   * The one that is all this.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Contestant contestant(Library library, Mode mode, Wire wire) {
    return library.all().stream()
        .filter(each -> each.mode() == mode && each.wire() == wire)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no such contestant: " + library + " " + mode + ", " + wire));
  }
}
