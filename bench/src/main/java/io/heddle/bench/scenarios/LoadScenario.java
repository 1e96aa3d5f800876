package io.heddle.bench.scenarios;

import io.heddle.bench.load.Task;
import io.heddle.bench.measure.Cell;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** The scenarios in which each contestant calls one server. */
public enum LoadScenario {
  CLOSED_100(Cell.CLOSED + 100, "100 callers, each one call after the other", 100),
  CLOSED_100_TLS(
      Cell.CLOSED + "100-tls", "100 callers over TLS, each one call after the other", 100),
  CLOSED_1000(Cell.CLOSED + 1_000, "1,000 callers, each one call after the other", 1_000),
  CLOSED_1(Cell.CLOSED + 1, "One caller, one call after the other", 1),
  CLOSED_10(Cell.CLOSED + 10, "10 callers, each one call after the other", 10),
  AT_ONCE("at-once", "10,000 calls answered at once, 100,000 a second meant", 0, 100_000),
  TENTH("tenth", "10,000 calls of 100 ms, 10,000 a second meant", 100, 10_000),
  SECOND("second", "10,000 calls of 1 s, 1,000 a second meant", 1_000, 1_000),
  LONG("long", "41,000 calls in flight at once", 41_000);

  private final String key;
  private final String title;
  private final int calls;
  private final int delayMillis;
  private final int perSecond;

  LoadScenario(String key, String title, int calls) {
    this(key, title, calls, 0, 0);
  }

  LoadScenario(String key, String title, int delayMillis, int perSecond) {
    this(key, title, 10_000, delayMillis, perSecond);
  }

  LoadScenario(String key, String title, int calls, int delayMillis, int perSecond) {
    this.key = key;
    this.title = title;
    this.calls = calls;
    this.delayMillis = delayMillis;
    this.perSecond = perSecond;
  }

  /** Those that a size has unless others are chosen. */
  public static Set<LoadScenario> in(Size size) {
    return switch (size) {
      case SMOKE, DEFAULT -> EnumSet.of(CLOSED_100, AT_ONCE, TENTH, LONG);
      case PROMISES -> EnumSet.of(CLOSED_100, CLOSED_1000, CLOSED_1, CLOSED_10, LONG);
      case FULL -> EnumSet.allOf(LoadScenario.class);
    };
  }

  /** What files and options call it. */
  public String key() {
    return key;
  }

  /** What a reader calls it. */
  public String title() {
    return title;
  }

  public boolean isClosed() {
    return key.startsWith(Cell.CLOSED);
  }

  /** Whether there are so few callers that it is the latency of a call that counts. */
  public boolean isFew() {
    return this == CLOSED_1 || this == CLOSED_10;
  }

  public boolean isOpen() {
    return perSecond > 0;
  }

  public boolean isTls() {
    return this == CLOSED_100_TLS;
  }

  /** How many calls there are at a time, or callers, in the full size. */
  public int fullCalls() {
    return calls;
  }

  int calls(Size size) {
    if (isClosed()) {
      return calls;
    }
    return this == LONG
        ? size == Size.PROMISES ? calls : size.pick(200, 1_000, calls)
        : size.pick(500, 5_000, calls);
  }

  /** How often it is done, in turn with the other contestants. */
  int rounds(Size size) {
    return isClosed() ? size.pick(2, Turns.ROUNDS, 8) : size.pick(1, 1, 3);
  }

  /** What a worker is told. */
  Task.Load load(Size size, int calls) {
    if (isClosed()) {
      Duration round = Turns.MEASURED.dividedBy(Turns.ROUNDS);
      return Task.Load.closed(
          calls,
          size.pick(Duration.ofMillis(150), round, Turns.MEASURED),
          size.pick(Duration.ofMillis(300), warmUp(), warmUp()));
    }
    int patienceSeconds = size.pick(5, 15, 60);
    return this == LONG
        ? Task.Load.held(calls, patienceSeconds)
        : Task.Load.open(calls, perSecond, patienceSeconds);
  }

  /** Over TLS there is more code to compile. */
  private Duration warmUp() {
    return isTls() ? Turns.WARM_UP.multipliedBy(2) : Turns.WARM_UP;
  }

  /** What is asked of the server. */
  String path() {
    return this == LONG ? "/?hold=1" : delayMillis == 0 ? "/" : "/?delay=" + delayMillis;
  }
}
