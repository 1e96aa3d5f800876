package io.heddle.bench.jmh;

import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What the events of JDK Flight Recorder cost a call, while nobody records and while somebody does.
 * The baselines are the same without.
 *
 * <pre>{@code
 * bench/run jmh CallEventBenchmark -t 1 -prof gc
 * }</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class CallEventBenchmark {

  /** Whether somebody records calls. */
  @Param({"false", "true"})
  public boolean recorded;

  private final Recording recording = new Recording();

  /** Begins the recording, if there is to be one. */
  @Setup
  public void start() {
    if (recorded) {
      recording.enable("io.heddle.Call");
      recording.setMaxSize(10_000_000);
      recording.start();
    }
  }

  /** Ends it. */
  @TearDown
  public void stop() {
    recording.close();
  }

  /** A call that needs not wait for anything. */
  @Benchmark
  public void without(Blackhole sink) throws Exception {
    Exchange<Object> head = new Exchange<>();
    head.complete(sink);
    sink.consume(head.await(Deadline.none()));
  }

  /** The same, with each mark that an adapter makes. */
  @Benchmark
  public void with(Blackhole sink) throws Exception {
    CallEvent event = CallEvent.begin("bench");
    event.request("GET", "example.org", 443);
    event.at(Step.PLACE);
    event.at(Step.CONNECTION);
    event.at(Step.HEAD);
    Exchange<Object> head = new Exchange<>();
    head.complete(sink);
    event.head(200, "HTTP/1.1");
    sink.consume(head.await(Deadline.none()));
    event.completed();
  }
}
