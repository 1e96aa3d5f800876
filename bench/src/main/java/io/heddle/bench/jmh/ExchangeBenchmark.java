package io.heddle.bench.jmh;

import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Hand-over: a virtual thread gives a task to an I/O thread, a platform thread that waits on a
 * queue, and parks until that completes it. {@link CompletableFuture} is the baseline, with and
 * without a timeout.
 *
 * <pre>{@code
 * bench/run jmh ExchangeBenchmark -t 1 -prof gc
 * bench/run jmh ExchangeBenchmark -t 100 -prof gc
 * }</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 2, jvmArgsAppend = "-Djmh.executor=VIRTUAL")
public class ExchangeBenchmark {

  private static final Object RESULT = new Object();
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final WorkQueue queue = new WorkQueue();
  private final HashedWheelTimer wheel = new HashedWheelTimer(10, TimeUnit.MILLISECONDS, 1024);

  /** Starts the I/O thread. */
  @Setup
  public void start() {
    queue.start();
  }

  /** Ends the I/O thread. */
  @TearDown
  public void stop() {
    queue.stop();
    wheel.stop();
  }

  /** Ours. */
  @Benchmark
  public Object exchange() throws Exception {
    Exchange<Object> exchange = new Exchange<>();
    queue.add(() -> exchange.complete(RESULT));
    return exchange.await(Deadline.none());
  }

  /** The baseline. */
  @Benchmark
  public Object future() throws Exception {
    CompletableFuture<Object> future = new CompletableFuture<>();
    queue.add(() -> future.complete(RESULT));
    return future.get();
  }

  /** Ours, with a deadline that does not come. */
  @Benchmark
  public Object exchangeWithDeadline() throws Exception {
    Exchange<Object> exchange = new Exchange<>();
    queue.add(() -> exchange.complete(RESULT));
    return exchange.await(Deadline.after(MINUTE));
  }

  /** What ours was weighed against: the deadline on a timer wheel, and a park without a timeout. */
  @Benchmark
  public Object exchangeOnTimerWheel() throws Exception {
    Exchange<Object> exchange = new Exchange<>();
    Timeout timeout = wheel.newTimeout(t -> exchange.cancel(), 1, TimeUnit.MINUTES);
    queue.add(() -> exchange.complete(RESULT));
    Object result = exchange.await(Deadline.none());
    timeout.cancel();
    return result;
  }

  /** The baseline, with a timeout that does not come. */
  @Benchmark
  public Object futureWithTimeout() throws Exception {
    CompletableFuture<Object> future = new CompletableFuture<>();
    queue.add(() -> future.complete(RESULT));
    return future.get(1, TimeUnit.MINUTES);
  }
}
