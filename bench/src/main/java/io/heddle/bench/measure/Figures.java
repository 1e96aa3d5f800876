package io.heddle.bench.measure;

import io.heddle.bench.load.HeldLoad;
import io.heddle.bench.load.Tally;
import io.heddle.bench.scenarios.FrontProcess;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What was measured in one run of one cell, as it goes into the report.
 *
 * @param successes calls that ended well
 * @param errors other calls, by kind
 * @param maxInFlight how many calls there were at most at a time
 * @param latencyMillis of the successful calls, by percentile; {@code "100"} is the maximum
 * @param cpuSeconds of the client's process
 * @param serverCpuSeconds of the target server's
 * @param allocatedBytes by all threads
 * @param peakThreads platform threads
 * @param pinnedAt the frames that pinned
 * @param heapMax bytes used, with what is garbage already; as {@code heapAverage}
 * @param held null if calls were not held
 * @param warmUpSeconds before, if the client was new; else 0, as in older files
 */
public record Figures(
    long successes,
    Map<String, Long> errors,
    int maxInFlight,
    double seconds,
    Map<String, Double> latencyMillis,
    double cpuSeconds,
    double serverCpuSeconds,
    long allocatedBytes,
    int peakThreads,
    int peakCarriers,
    int pins,
    List<String> pinnedAt,
    long heapMax,
    long heapAverage,
    long rssMax,
    long virtualMax,
    @Nullable Held held,
    double warmUpSeconds,
    List<Sample> samples) {

  /** The percentiles that are kept. */
  static final List<Double> PERCENTILES =
      List.of(0.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0);

  /** What a number of calls that wait cost: see {@link HeldLoad.Held}. */
  public record Held(
      int calls, double rampSeconds, long heapBase, long heapHeld, long rssBase, long rssHeld) {

    /** Heap that stays live for each waiting call, in bytes. */
    public double heapPerCall() {
      return (heapHeld - heapBase) / (double) Math.max(1, calls);
    }

    /** Resident memory for each waiting call, in bytes. */
    public double rssPerCall() {
      return (rssHeld - rssBase) / (double) Math.max(1, calls);
    }
  }

  public static Figures of(Measured measured, @Nullable Held held, double warmUpSeconds) {
    Meter.Reading reading = measured.reading();
    List<Sample> samples = reading.samples();
    return new Figures(
        measured.successes(),
        measured.errors(),
        measured.maxInFlight(),
        measured.seconds(),
        percentiles(measured.latency()),
        reading.cpuNanos() / 1e9,
        reading.serverCpuNanos() / 1e9,
        reading.allocatedBytes(),
        reading.peakThreads(),
        reading.pinning().peakCarriers(),
        reading.pinning().events().size(),
        reading.pinning().events().stream()
            .map(event -> event.culprit())
            .distinct()
            .limit(5)
            .toList(),
        samples.stream().mapToLong(Sample::heapBytes).max().orElse(0),
        (long) samples.stream().mapToLong(Sample::heapBytes).average().orElse(0),
        samples.stream().mapToLong(Sample::rssBytes).max().orElse(0),
        samples.stream().mapToLong(Sample::virtualBytes).max().orElse(0),
        held,
        warmUpSeconds,
        samples);
  }

  /** What callers saw of a service, and what that cost: allocation and heap are not known. */
  static Figures ofService(
      Measured callers,
      double cpuSeconds,
      double serverCpuSeconds,
      FrontProcess.Seen seen,
      List<Sample> samples) {
    return new Figures(
        callers.successes(),
        callers.errors(),
        callers.maxInFlight(),
        callers.seconds(),
        percentiles(callers.latency()),
        cpuSeconds,
        serverCpuSeconds,
        0,
        samples.stream().mapToInt(Sample::threads).max().orElse(0),
        seen.carriers(),
        seen.pins(),
        seen.pinnedAt(),
        0,
        0,
        samples.stream().mapToLong(Sample::rssBytes).max().orElse(0),
        samples.stream().mapToLong(Sample::virtualBytes).max().orElse(0),
        null,
        0,
        samples);
  }

  private static Map<String, Double> percentiles(Histogram latency) {
    Map<String, Double> millis = new LinkedHashMap<>();
    if (latency.getTotalCount() > 0) {
      for (double each : PERCENTILES) {
        millis.put(key(each), latency.getValueAtPercentile(each) / 1e6);
      }
    }
    return millis;
  }

  private static String key(double percentile) {
    return percentile == Math.rint(percentile)
        ? Long.toString((long) percentile)
        : Double.toString(percentile);
  }

  /** Latency at this percentile, in ms; NaN if no call succeeded. */
  public double latency(double percentile) {
    return latencyMillis.getOrDefault(key(percentile), Double.NaN);
  }

  /** Successful calls in a second. */
  public double perSecond() {
    return successes / seconds;
  }

  public double cpuMicrosPerCall() {
    return cpuSeconds * 1e6 / Math.max(1, calls());
  }

  public double bytesPerCall() {
    return allocatedBytes / (double) Math.max(1, calls());
  }

  long calls() {
    return successes + errorCount();
  }

  public long errorCount() {
    return errors.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Whether calls did not end, so that the process that made them is not fit for others. */
  public boolean hasStalled() {
    return errors.keySet().stream().anyMatch(each -> each.startsWith(Tally.NO_END));
  }
}
