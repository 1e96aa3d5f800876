package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.core.Waiter.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waits of virtual threads whose deadline is far away, see {@link DeadlineWatch}. */
@Timeout(120)
class DeadlineWatchTest {

  /** Far enough to do without a timer. */
  private static final Duration FAR = Duration.ofMillis(400);

  private static final Duration VERY_FAR = Duration.ofMinutes(3);

  /** A condition that somebody makes true. */
  private static final class Gate extends Waiter {
    private volatile boolean open;

    @Override
    boolean isReady() {
      return open;
    }

    void open() {
      open = true;
      wake();
    }
  }

  private final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final DeadlineWatch watch = new DeadlineWatch(this::thread, VERY_FAR);
  private final DeadlineWatch hasty = new DeadlineWatch(this::thread, Duration.ofMillis(1));

  private Thread thread(Runnable work) {
    Thread made = Thread.ofPlatform().daemon().unstarted(work);
    threads.add(made);
    return made;
  }

  private Caller<Outcome> caller(Gate gate, Duration deadline) {
    return caller(gate, deadline, watch);
  }

  private static Caller<Outcome> caller(Gate gate, Duration deadline, DeadlineWatch watch) {
    return Caller.start(Caller.Kind.VIRTUAL, () -> gate.waitUntil(Deadline.after(deadline), watch));
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + Caller.PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "in time");
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  @Test
  void aWaitEndsWithItsDeadline() throws Exception {
    long start = System.nanoTime();
    assertEquals(Outcome.EXPIRED, caller(new Gate(), FAR).result());
    assertTrue(System.nanoTime() - start >= FAR.toNanos(), "too early");
  }

  @Test
  void aWaitNeedsNoTimer() throws Exception {
    Gate gate = new Gate();
    Caller<Outcome> caller = caller(gate, VERY_FAR).awaitParked();
    assertEquals(Thread.State.WAITING, caller.thread().getState());
    gate.open();
    assertEquals(Outcome.READY, caller.result());
  }

  @Test
  void aLaterCallerMayHaveTheEarlierDeadline() throws Exception {
    Gate gate = new Gate();
    Caller<Outcome> first = caller(gate, VERY_FAR).awaitParked();
    assertEquals(Outcome.EXPIRED, caller(new Gate(), FAR).result());
    gate.open();
    assertEquals(Outcome.READY, first.result());
    assertEquals(1, threads.size());
  }

  /** As if it were meant for the wait before, which ended as its time came. */
  @Test
  void aWakeUpThatComesTooSoonLosesNoDeadline() throws Exception {
    Gate gate = new Gate();
    Caller<Outcome> caller = caller(gate, Duration.ofSeconds(2)).awaitParked();
    watch.unwatch(gate);
    gate.wake();
    assertEquals(Outcome.EXPIRED, caller.result());
  }

  @Test
  void itsThreadEndsWhenThereIsNothingToWatchAndAnotherStarts() throws Exception {
    for (int i = 1; i <= 2; i++) {
      Gate gate = new Gate();
      Caller<Outcome> caller = caller(gate, VERY_FAR, hasty).awaitParked();
      assertEquals(i, threads.size());
      gate.open();
      assertEquals(Outcome.READY, caller.result());
      await(() -> threads.stream().noneMatch(Thread::isAlive));
    }
    assertEquals(Outcome.EXPIRED, caller(new Gate(), FAR, hasty).result());
  }

  @Test
  void whereNoThreadCanBeHadTheWaitHasATimer() throws Exception {
    DeadlineWatch without =
        new DeadlineWatch(
            work ->
                new Thread(work) {
                  @Override
                  public void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                },
            VERY_FAR);
    for (int i = 0; i < 2; i++) {
      assertEquals(Outcome.EXPIRED, caller(new Gate(), FAR, without).result());
    }
  }

  /** Waits begin, end and expire at all times, some where another has just ended. */
  @ParameterizedTest
  @ValueSource(ints = {2, 1000})
  void noDeadlineIsMissedAmongMany(int callers) throws Exception {
    List<Future<Long>> latest = new ArrayList<>();
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < callers; i++) {
        Random random = new Random(i);
        latest.add(executor.submit(() -> waits(random, callers == 2 ? hasty : watch)));
      }
      for (Future<Long> each : latest) {
        assertTrue(each.get() < Caller.PATIENCE.toNanos(), "so many ns too late: " + each.get());
      }
    }
  }

  /** Returns by how much a wait was late at most, in ns. */
  private static long waits(Random random, DeadlineWatch watch) throws InterruptedException {
    long latest = 0;
    Gate gate = new Gate();
    for (int i = 0; i < 10; i++) {
      long nanos = Duration.ofMillis(150 + random.nextInt(300)).toNanos();
      Deadline deadline = Deadline.afterNanos(nanos);
      if (random.nextBoolean()) {
        assertEquals(Outcome.READY, shortWait(deadline, watch));
      } else {
        long start = System.nanoTime();
        assertEquals(Outcome.EXPIRED, gate.waitUntil(deadline, watch));
        latest = Math.max(latest, System.nanoTime() - start - nanos);
      }
    }
    return latest;
  }

  private static Outcome shortWait(Deadline deadline, DeadlineWatch watch)
      throws InterruptedException {
    Gate gate = new Gate();
    Thread opener = Thread.startVirtualThread(gate::open);
    Outcome outcome = gate.waitUntil(deadline, watch);
    opener.join();
    return outcome;
  }
}
