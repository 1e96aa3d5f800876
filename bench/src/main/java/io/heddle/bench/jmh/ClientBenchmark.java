package io.heddle.bench.jmh;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.load.Callers;
import io.heddle.bench.load.TargetProcess;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
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
 * Calls through each client, in each mode. An operation is a call; they are made in batches, which
 * so many callers share: threads, or chains of callbacks for a client without. A call that fails
 * fails the benchmark. The server is a JVM of its own.
 *
 * <pre>{@code
 * bench/run jmh ClientBenchmark -p contestant=APACHE-HEDDLE-HTTP_1 -p callers=100 -p bytes=1024
 * }</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(org.openjdk.jmh.annotations.Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(2)
public class ClientBenchmark {

  static final int BATCH = 1_000;

  /** Library, mode and wire: all that there are. */
  @Param({
    "APACHE-STOCK_PLATFORM-HTTP_1",
    "APACHE-STOCK_VIRTUAL-HTTP_1",
    "APACHE-HEDDLE-HTTP_1",
    "APACHE-HEDDLE-HTTP_2",
    "APACHE-PEER-HTTP_1",
    "APACHE-PEER-HTTP_2",
    "APACHE-ASYNC-HTTP_1",
    "APACHE-ASYNC-HTTP_2",
    "OKHTTP-STOCK_PLATFORM-HTTP_1",
    "OKHTTP-STOCK_PLATFORM-HTTP_2",
    "OKHTTP-STOCK_VIRTUAL-HTTP_1",
    "OKHTTP-STOCK_VIRTUAL-HTTP_2",
    "OKHTTP-HEDDLE-HTTP_1",
    "OKHTTP-HEDDLE-HTTP_2",
    "OKHTTP-ASYNC-HTTP_1",
    "OKHTTP-ASYNC-HTTP_2",
    "JETTY-STOCK_PLATFORM-HTTP_1",
    "JETTY-STOCK_PLATFORM-HTTP_2",
    "JETTY-STOCK_VIRTUAL-HTTP_1",
    "JETTY-STOCK_VIRTUAL-HTTP_2",
    "JETTY-HEDDLE-HTTP_1",
    "JETTY-HEDDLE-HTTP_2",
    "JETTY-ASYNC-HTTP_1",
    "JETTY-ASYNC-HTTP_2",
    "AHC-STOCK_PLATFORM-HTTP_1",
    "AHC-STOCK_PLATFORM-HTTP_2",
    "AHC-STOCK_VIRTUAL-HTTP_1",
    "AHC-STOCK_VIRTUAL-HTTP_2",
    "AHC-HEDDLE-HTTP_1",
    "AHC-HEDDLE-HTTP_2",
    "AHC-ASYNC-HTTP_1",
    "AHC-ASYNC-HTTP_2",
    "JDK-STOCK_PLATFORM-HTTP_1",
    "JDK-STOCK_PLATFORM-HTTP_2",
    "JDK-STOCK_VIRTUAL-HTTP_1",
    "JDK-STOCK_VIRTUAL-HTTP_2",
    "JDK-HEDDLE-HTTP_1",
    "JDK-HEDDLE-HTTP_2",
    "JDK-ASYNC-HTTP_1",
    "JDK-ASYNC-HTTP_2"
  })
  String contestant = "";

  /** The length of the response's body. */
  @Param({"0", "1024", "1048576"})
  int bytes;

  /** How many calls are under way at a time. */
  @Param({"1", "100", "1000"})
  int callers;

  private @Nullable Contestant chosen;
  private @Nullable TargetProcess server;
  private Contestant.@Nullable Running client;

  static String idOf(Contestant contestant) {
    return contestant.library().name() + "-" + contestant.mode() + "-" + contestant.wire().name();
  }

  private static Contestant contestant(String id) {
    return Library.MEASURED.stream()
        .flatMap(library -> library.all().stream())
        .filter(each -> idOf(each).equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no contestant " + id));
  }

  /** Starts the server and makes the client. */
  @Setup
  public void start() throws IOException {
    Contestant contestant = contestant(this.contestant);
    TargetProcess started = TargetProcess.start();
    URI uri = started.uri().resolve("/?bytes=" + bytes);
    chosen = contestant;
    server = started;
    client = contestant.open(uri, callers);
  }

  /** Ends both. */
  @TearDown
  public void stop() {
    if (client != null) {
      client.close();
    }
    if (server != null) {
      server.close();
    }
  }

  /** A batch of calls. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void call() throws Exception {
    Batch batch = new Batch(callers, BATCH / callers);
    if (client instanceof Contestant.Async async) {
      batch.run(async);
    } else if (client instanceof Contestant.Blocking blocking && chosen != null) {
      batch.run(blocking, chosen.mode());
    }
  }

  /** So many callers, so many calls each. */
  static final class Batch {
    private final int callers;
    private final int callsEach;
    private final CountDownLatch ended;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Batch(int callers, int callsEach) {
      this.callers = callers;
      this.callsEach = callsEach;
      this.ended = new CountDownLatch(callers);
    }

    void run(Contestant.Blocking client, Mode mode) throws Exception {
      try (Callers threads = Callers.forMode(mode)) {
        for (int i = 0; i < callers; i++) {
          threads.start(
              () -> {
                try {
                  for (int call = 0; call < callsEach; call++) {
                    client.call();
                  }
                } catch (Exception e) {
                  failure.set(e);
                } finally {
                  ended.countDown();
                }
              });
        }
        await();
      }
    }

    void run(Contestant.Async client) throws Exception {
      for (int i = 0; i < callers; i++) {
        new Chain(client, callsEach).start();
      }
      await();
    }

    private void await() throws Exception {
      ended.await();
      Throwable failed = failure.get();
      if (failed != null) {
        throw new IOException("a call failed", failed);
      }
    }

    /** One call after the other, each started where the one before has ended. */
    private final class Chain implements Contestant.Outcome {
      private final Contestant.Async client;
      private int left;

      Chain(Contestant.Async client, int calls) {
        this.client = client;
        this.left = calls;
      }

      void start() {
        if (left-- == 0) {
          ended.countDown();
          return;
        }
        try {
          client.start(this);
        } catch (Exception e) {
          failed(e);
        }
      }

      @Override
      public void succeeded() {
        start();
      }

      @Override
      public void failed(Throwable cause) {
        failure.set(cause);
        ended.countDown();
      }
    }
  }

  /** The contestants that this knows; for a test that none is left out. */
  static List<String> known() throws NoSuchFieldException {
    return List.of(
        ClientBenchmark.class.getDeclaredField("contestant").getAnnotation(Param.class).value());
  }
}
