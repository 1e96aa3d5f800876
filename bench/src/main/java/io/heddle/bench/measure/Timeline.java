package io.heddle.bench.measure;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a service answered over time, while one that it calls turned slow.
 *
 * @param server that the service runs on
 * @param library whose client it calls others with
 * @param slots one after the other, each of the same length
 * @param turns when the other service changed
 */
public record Timeline(
    String server, Library library, Mode mode, Wire wire, List<Slot> slots, List<Turn> turns) {

  /**
   * What became of the requests that need only the quick service, and were meant to start in this
   * slot.
   *
   * @param millis when it began, since the start
   * @param answeredPerSecond with success
   * @param p50 of those, in ms; as {@code p99}; null if there were none
   * @param errors how many were not
   */
  public record Slot(
      long millis,
      double answeredPerSecond,
      @Nullable Double p50,
      @Nullable Double p99,
      int errors) {}

  /** From this moment on the other service took so long. */
  public record Turn(long millis, long toMillis) {}

  /** What a reader calls it. */
  public String name() {
    return switch (mode) {
          case HEDDLE -> "virtual threads, Heddle, ";
          case STOCK_VIRTUAL -> "virtual threads, stock client, ";
          default -> "pool of 200 platform threads, stock client, ";
        }
        + wire;
  }
}
