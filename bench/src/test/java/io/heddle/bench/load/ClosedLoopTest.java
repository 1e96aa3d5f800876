package io.heddle.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.measure.Measured;
import io.heddle.bench.measure.Meter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A closed loop has as many calls in flight as callers, and no more. */
@Timeout(60)
class ClosedLoopTest {

  private static final int CALLERS = 7;

  /** For some calls, on a machine that does much else. */
  private static final Duration ENOUGH = Duration.ofSeconds(1);

  @Test
  void threadsCallOneAfterTheOther() throws Exception {
    AtomicInteger inFlight = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Contestant.Running client =
        new Contestant.Blocking() {
          @Override
          public void call() throws InterruptedException {
            most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
            Thread.sleep(5);
            inFlight.decrementAndGet();
          }

          @Override
          public void close() {}
        };

    Measured measured = run(Mode.STOCK_VIRTUAL, client);

    assertEquals(CALLERS, most.get());
    assertEquals(CALLERS, measured.maxInFlight());
    assertTrue(measured.successes() > CALLERS, () -> "calls: " + measured.successes());
  }

  @Test
  void onlyTheModeAboutPlatformThreadsHasThem() throws Exception {
    for (Mode mode : Mode.values()) {
      AtomicBoolean isVirtual = new AtomicBoolean();
      run(
          mode,
          new Contestant.Blocking() {
            @Override
            public void call() throws InterruptedException {
              isVirtual.set(Thread.currentThread().isVirtual());
              Thread.sleep(5);
            }

            @Override
            public void close() {}
          });
      assertEquals(mode != Mode.STOCK_PLATFORM, isVirtual.get(), mode::toString);
    }
  }

  /** A call that ends inside its own start is no call within a call: the stack would not last. */
  @Test
  void callsThatEndAtOnceDoNotNest() throws Exception {
    AtomicInteger deepest = new AtomicInteger();
    Contestant.Running client =
        new Contestant.Async() {
          @Override
          public void start(Contestant.Outcome outcome) {
            deepest.accumulateAndGet(
                StackWalker.getInstance()
                    .<Long>walk(
                        frames ->
                            frames
                                .filter(frame -> frame.getMethodName().equals("succeeded"))
                                .count())
                    .intValue(),
                Math::max);
            outcome.succeeded();
          }

          @Override
          public void close() {}
        };

    Measured measured = run(Mode.ASYNC, client);

    assertTrue(measured.successes() > 1, () -> "calls: " + measured.successes());
    assertEquals(0, deepest.get());
    assertEquals(0, measured.errorCount());
  }

  @Test
  void aChainGoesOnAfterAFailure() throws Exception {
    AtomicInteger count = new AtomicInteger();
    Contestant.Running client =
        new Contestant.Async() {
          @Override
          public void start(Contestant.Outcome outcome) {
            switch (count.incrementAndGet() % 3) {
              case 0 -> outcome.failed(new IllegalStateException("told"));
              case 1 -> throw new IllegalStateException("thrown");
              default -> Thread.startVirtualThread(outcome::succeeded);
            }
          }

          @Override
          public void close() {}
        };

    Measured measured = run(Mode.ASYNC, client);

    assertTrue(measured.successes() > CALLERS, () -> "calls: " + measured.successes());
    assertTrue(measured.errors().containsKey("IllegalStateException: told"));
    assertTrue(measured.errors().containsKey("IllegalStateException: thrown"));
    assertEquals(CALLERS, measured.maxInFlight());
  }

  private static Measured run(Mode mode, Contestant.Running client) throws InterruptedException {
    return new ClosedLoop(new Fake(mode), client, CALLERS, Meter.NO_SERVER).run(ENOUGH);
  }
}
