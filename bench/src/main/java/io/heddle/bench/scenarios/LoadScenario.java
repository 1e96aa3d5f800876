package io.heddle.bench.scenarios;

import io.heddle.bench.load.Task;

/** The scenarios in which each contestant calls one server. */
public enum LoadScenario {
  CLOSED_100("closed-100", "100 callers, each one call after the other", 0, 0),
  CLOSED_1000("closed-1000", "1,000 callers, each one call after the other", 0, 0),
  CLOSED_1("closed-1", "One caller, one call after the other", 0, 0),
  CLOSED_10("closed-10", "10 callers, each one call after the other", 0, 0),
  AT_ONCE("at-once", "10,000 calls answered at once, 100,000 a second meant", 0, 100_000),
  TENTH("tenth", "10,000 calls of 100 ms, 10,000 a second meant", 100, 10_000),
  SECOND("second", "10,000 calls of 1 s, 1,000 a second meant", 1_000, 1_000),
  LONG("long", "41,000 calls in flight at once", 0, 0);

  private final String key;
  private final String title;
  private final int delayMillis;
  private final int perSecond;

  LoadScenario(String key, String title, int delayMillis, int perSecond) {
    this.key = key;
    this.title = title;
    this.delayMillis = delayMillis;
    this.perSecond = perSecond;
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
    return this == CLOSED_100 || this == CLOSED_1000 || isFew();
  }

  /** Whether there are so few callers that it is the latency of a call that counts. */
  public boolean isFew() {
    return this == CLOSED_1 || this == CLOSED_10;
  }

  public boolean isOpen() {
    return perSecond > 0;
  }

  /** Meant to start in a second; 0 if it is no open loop. */
  int perSecond() {
    return perSecond;
  }

  /** How many calls there are at a time, or callers, in the full size. */
  public int fullCalls() {
    return switch (this) {
      case CLOSED_1 -> 1;
      case CLOSED_10 -> 10;
      case CLOSED_100 -> 100;
      case CLOSED_1000 -> 1_000;
      case LONG -> 41_000;
      default -> 10_000;
    };
  }

  int calls(Size size) {
    return switch (this) {
      case CLOSED_1, CLOSED_10, CLOSED_100, CLOSED_1000 -> fullCalls();
      case LONG -> size == Size.PROMISES ? fullCalls() : size.pick(200, 1_000, fullCalls());
      case SECOND, TENTH, AT_ONCE -> size.pick(500, 5_000, 10_000);
    };
  }

  /** How often it is done, in turn with the other contestants. */
  int rounds(Size size) {
    return isClosed() ? size == Size.PROMISES ? 5 : size.pick(1, 3, 5) : size.pick(1, 1, 3);
  }

  /**
   * How often it is done before, in the same way, and not counted: each round opens a client of its
   * own, to which a JVM has to warm up as well as to calls.
   */
  int warmUpRounds(Size size) {
    return isClosed() ? size.pick(0, 2, 2) : 0;
  }

  /** Whether it is done in this size. */
  public boolean isIn(Size size) {
    return switch (size) {
      case SMOKE, DEFAULT -> this != CLOSED_1000 && this != SECOND && !isFew();
      case PROMISES -> isClosed() || this == LONG;
      case FULL -> true;
    };
  }

  /**
   * What a worker is told.
   *
   * @param isFirst whether the worker is new to it
   */
  Task.Load load(Size size, int calls, boolean isFirst) {
    return switch (this) {
      case CLOSED_1, CLOSED_10, CLOSED_100, CLOSED_1000 ->
          Task.Load.closed(
              calls,
              size.pick(300, 700, 5_000),
              isFirst ? size.pick(300, 3_000, 10_000) : size.pick(0, 50, 500));
      case LONG -> Task.Load.held(calls, size.pick(5, 15, 60));
      default -> Task.Load.open(calls, perSecond, size.pick(5, 15, 60));
    };
  }

  /** What is asked of the server. */
  String path() {
    return this == LONG ? "/?hold=1" : delayMillis == 0 ? "/" : "/?delay=" + delayMillis;
  }
}
