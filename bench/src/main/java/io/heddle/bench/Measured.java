package io.heddle.bench;

import io.heddle.pinning.PinningReport;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What one contestant did in one run.
 *
 * @param calls that ended, with success or not
 * @param errors by what they were
 * @param seconds how long it took
 * @param latency of the successful calls, in ns
 * @param cpuNanos of the whole process
 * @param allocatedBytes by all threads
 * @param peakThreads platform threads
 * @param pinning what was pinned, and the carriers
 */
record Measured(
    Contestant contestant,
    long calls,
    Map<String, Long> errors,
    double seconds,
    Histogram latency,
    long cpuNanos,
    long allocatedBytes,
    int peakThreads,
    PinningReport pinning) {

  long errorCount() {
    return errors.values().stream().mapToLong(Long::longValue).sum();
  }
}
