package io.heddle.bench.jmh;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.OkHttpContestants;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.TargetProcess;
import io.heddle.okhttp.BlockingOkHttpClient;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * OkHttp through Heddle with each kind of workers, whatever the JDK would have, beside stock
 * OkHttp. An operation is a call by one of so many virtual threads. The server is a JVM of its own.
 *
 * <pre>{@code
 * bench/run jmh WorkersBenchmark
 * }</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(org.openjdk.jmh.annotations.Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class WorkersBenchmark {

  /** Whose threads run a call. Virtual ones may stall on HTTP/2 before JDK 24. */
  public enum Workers {
    /** The caller's: OkHttp without Heddle. */
    STOCK,
    VIRTUAL,
    PLATFORM
  }

  /** The kind. */
  @Param Workers workers = Workers.STOCK;

  /** {@code HTTP_1} or {@code HTTP_2}. */
  @Param({"HTTP_1", "HTTP_2"})
  String wire = "HTTP_1";

  /** How many calls are under way at a time. */
  @Param({"100", "1000"})
  int callers;

  private @Nullable TargetProcess server;
  private @Nullable ExecutorService threads;
  private Contestant.@Nullable Blocking client;

  /** Starts the server and makes the client. */
  @Setup
  public void start() throws IOException {
    TargetProcess started = TargetProcess.start();
    server = started;
    Ask ask = Ask.get(started.uri());
    OkHttpClient stock = OkHttpContestants.settings(Wire.valueOf(wire), ask, callers).build();
    if (workers == Workers.STOCK) {
      client = OkHttpContestants.blocking(ask, stock);
    } else {
      ExecutorService executor =
          workers == Workers.VIRTUAL
              ? Executors.newVirtualThreadPerTaskExecutor()
              : Executors.newCachedThreadPool();
      threads = executor;
      client =
          OkHttpContestants.blocking(
              ask, BlockingOkHttpClient.builder(stock).workers(executor).build());
    }
  }

  /** Ends both. */
  @TearDown
  public void stop() {
    if (client != null) {
      client.close();
    }
    if (threads != null) {
      threads.shutdown();
    }
    if (server != null) {
      server.close();
    }
  }

  /** A batch of calls. */
  @Benchmark
  @OperationsPerInvocation(ClientBenchmark.BATCH)
  public void call() throws Exception {
    if (client != null) {
      new ClientBenchmark.Batch(callers, ClientBenchmark.BATCH / callers).run(client, Mode.HEDDLE);
    }
  }
}
