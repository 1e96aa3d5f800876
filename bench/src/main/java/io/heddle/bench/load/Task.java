package io.heddle.bench.load;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import java.time.Duration;

/** What a {@link Worker} is told to measure. */
public record Task(Library library, Mode mode, Wire wire, Ask ask, Load load, Target target) {

  /** How calls are made. */
  enum Kind {
    CLOSED,
    /** As {@link #CLOSED}, but only until the client is warm. */
    WARM_UP,
    /** As {@link #CLOSED}, while system calls are counted. */
    TRACED,
    OPEN,
    HELD
  }

  /**
   * How many calls are made, and when.
   *
   * @param calls of an open loop and of a held load; callers of a closed loop
   * @param perSecond of an open loop
   * @param millis of a closed loop, once its client is warm
   * @param warmUpCalls before, for an open loop and a held load
   * @param warmUpMillis of a closed loop with a new client, at most
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

    Duration time() {
      return Duration.ofMillis(millis);
    }

    public boolean isClosed() {
      return kind == Kind.CLOSED;
    }

    public boolean isHeld() {
      return kind == Kind.HELD;
    }

    /** As {@code millis} and {@code warmUpMillis} have it. */
    public static Load closed(int callers, Duration time, Duration warmUp) {
      return new Load(Kind.CLOSED, callers, 0, time.toMillis(), 0, warmUp.toMillis(), 0);
    }

    public static Load open(int calls, double perSecond, long patienceSeconds) {
      return new Load(Kind.OPEN, calls, perSecond, 0, 1_000, 0, patienceSeconds);
    }

    public static Load held(int calls, long patienceSeconds) {
      return new Load(Kind.HELD, calls, 0, 0, 1_000, 0, patienceSeconds);
    }
  }

  public static Task of(Contestant contestant, Ask ask, Load load, Target target) {
    return new Task(contestant.library(), contestant.mode(), contestant.wire(), ask, load, target);
  }

  /** The same calls of a closed loop until its client is warm. */
  public Task warmUp() {
    return as(Kind.WARM_UP, Duration.ZERO);
  }

  /** The same calls of a closed loop for this long, while system calls are counted. */
  public Task traced(Duration time) {
    return as(Kind.TRACED, time);
  }

  private Task as(Kind kind, Duration time) {
    Load other = new Load(kind, load.calls, 0, time.toMillis(), 0, load.warmUpMillis, 0);
    return new Task(library, mode, wire, ask, other, target);
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
