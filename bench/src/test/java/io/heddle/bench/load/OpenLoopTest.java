package io.heddle.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Measured;
import io.heddle.bench.measure.Meter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An open loop starts calls when they are meant to start, and counts from then. */
@Timeout(60)
class OpenLoopTest {

  private static final int CALLS = 20;
  private static final double PER_SECOND = 1_000;

  @Test
  void startsAreAtEvenDistances() {
    OpenLoop.Schedule schedule = new OpenLoop.Schedule(5_000, 1_000);

    assertEquals(5_000, schedule.startOf(0));
    assertEquals(1_005_000, schedule.startOf(1));
    assertEquals(10_000_005_000L, schedule.startOf(10_000));
  }

  /**
   * Calls of 50 ms, one at a time, though one is meant to start each ms: the last is answered about
   * 1 s after it was meant to start. A loop that counted from the real start would say 50 ms.
   */
  @Test
  void latencyCountsFromTheIntendedStart() throws Exception {
    ReentrantLock oneAtATime = new ReentrantLock();
    Measured measured =
        run(
            (Blocking)
                () -> {
                  oneAtATime.lock();
                  try {
                    Thread.sleep(50);
                  } finally {
                    oneAtATime.unlock();
                  }
                });

    assertEquals(CALLS, measured.successes());
    long worst = measured.latency().getMaxValue();
    assertTrue(worst >= TimeUnit.MILLISECONDS.toNanos(900), () -> "worst: " + worst + " ns");
  }

  /** A start that blocks holds up those after it, and they pay: it is the contestant's doing. */
  @Test
  void aStartThatBlocksCountsToo() throws Exception {
    Measured measured =
        run(
            (Async)
                outcome -> {
                  Thread.sleep(20);
                  outcome.succeeded();
                });

    long worst = measured.latency().getMaxValue();
    assertTrue(worst >= TimeUnit.MILLISECONDS.toNanos(300), () -> "worst: " + worst + " ns");
  }

  @Test
  void callsDoNotWaitForEachOther() throws Exception {
    List<CompletableFuture<Void>> all = List.of(new CompletableFuture<>());
    AtomicInteger waiting = new AtomicInteger();
    Measured measured =
        run(
            (Blocking)
                () -> {
                  if (waiting.incrementAndGet() == CALLS) {
                    all.get(0).complete(null);
                  }
                  all.get(0).get();
                });

    assertEquals(CALLS, measured.successes());
    assertEquals(CALLS, measured.maxInFlight());
  }

  @Test
  void failuresAreCountedByKind() throws Exception {
    AtomicInteger count = new AtomicInteger();
    Measured measured =
        run(
            (Async)
                outcome -> {
                  int call = count.incrementAndGet();
                  if (call % 2 == 0) {
                    outcome.failed(new IOException("port " + call + " is taken"));
                  } else {
                    throw new IllegalStateException("full");
                  }
                });

    assertEquals(0, measured.successes());
    assertEquals(
        java.util.Map.of(
            "IOException: port # is taken", CALLS / 2L, "IllegalStateException: full", CALLS / 2L),
        measured.errors());
  }

  @Test
  void callsThatDoNotEndAreGivenUp() throws Exception {
    ConcurrentLinkedQueue<Contestant.Outcome> forgotten = new ConcurrentLinkedQueue<>();
    Async never = forgotten::add;
    Measured measured =
        new OpenLoop(new Fake(Mode.ASYNC), never, Meter.NO_SERVER, Duration.ofSeconds(1))
            .run(CALLS, PER_SECOND);

    assertEquals(java.util.Map.of("no end within 1 s", (long) CALLS), measured.errors());
    assertTrue(Figures.of(measured, null, 0).hasStalled());
  }

  private static Measured run(Contestant.Running client) throws InterruptedException {
    Mode mode = client instanceof Contestant.Async ? Mode.ASYNC : Mode.STOCK_VIRTUAL;
    return new OpenLoop(new Fake(mode), client, Meter.NO_SERVER, Duration.ofSeconds(30))
        .run(CALLS, PER_SECOND);
  }

  private interface Blocking extends Contestant.Blocking {
    @Override
    default void close() {}
  }

  private interface Async extends Contestant.Async {
    @Override
    default void close() {}
  }
}
