package io.heddle.bench;

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
record Measured(
    long successes,
    Map<String, Long> errors,
    int maxInFlight,
    Histogram latency,
    Meter.Reading reading) {

  static Measured of(Tally tally, Meter.Reading reading) {
    return new Measured(
        tally.successes(), tally.errors(), tally.maxInFlight(), tally.latency(), reading);
  }

  /** Calls that ended, with success or not. */
  long calls() {
    return successes + errorCount();
  }

  long errorCount() {
    return errors.values().stream().mapToLong(Long::longValue).sum();
  }

  double seconds() {
    return reading.nanos() / 1e9;
  }

  PinningReport pinning() {
    return reading.pinning();
  }
}
