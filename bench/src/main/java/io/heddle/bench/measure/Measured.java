package io.heddle.bench.measure;

import io.heddle.bench.load.Tally;
import io.heddle.pinning.PinningReport;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What one contestant did in one run.
 *
 * @param successes calls that ended well
 * @param errors other calls, by what they were
 * @param maxInFlight how many calls there were at most at a time
 * @param latency of the successful calls, in ns
 */
public record Measured(
    long successes,
    Map<String, Long> errors,
    int maxInFlight,
    Histogram latency,
    Meter.Reading reading) {

  public static Measured of(Tally tally, Meter.Reading reading) {
    return new Measured(
        tally.successes(), tally.errors(), tally.maxInFlight(), tally.latency(), reading);
  }

  /** Calls that ended, with success or not. */
  public long calls() {
    return successes + errorCount();
  }

  public long errorCount() {
    return errors.values().stream().mapToLong(Long::longValue).sum();
  }

  public double seconds() {
    return reading.nanos() / 1e9;
  }

  public PinningReport pinning() {
    return reading.pinning();
  }
}
