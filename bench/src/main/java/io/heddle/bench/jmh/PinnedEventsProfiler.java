package io.heddle.bench.jmh;

import io.heddle.pinning.PinningRecorder;
import io.heddle.pinning.PinningReport;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * A profiler for JMH that tells how often an operation pinned a carrier, and how many carriers
 * there were at most: {@code -prof io.heddle.bench.jmh.PinnedEventsProfiler}. Only measured
 * iterations count, since what is cold pins now and then.
 */
public final class PinnedEventsProfiler implements InternalProfiler {

  private @Nullable PinningRecorder recorder;

  @Override
  public String getDescription() {
    return "carriers pinned per operation, by JDK Flight Recorder without a threshold";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    recorder = PinningRecorder.start();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    PinningRecorder running = recorder;
    if (running == null) {
      return List.of();
    }
    recorder = null;
    PinningReport report = running.stop();
    long operations = Math.max(1, result.getMetadata().getAllOps());
    return List.of(
        new ScalarResult(
            "pinned.events",
            report.events().size() / (double) operations,
            "events/op",
            AggregationPolicy.AVG),
        new ScalarResult(
            "pinned.carriers", report.peakCarriers(), "carriers", AggregationPolicy.MAX));
  }
}
