package io.heddle.bench.load;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.measure.Measured;
import io.heddle.bench.measure.Meter;
import io.heddle.bench.measure.ProcessFacts;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Calls that are all in flight at once: fired as fast as can be, held by the server until each has
 * arrived, or no more do, and then released. Memory is measured while they wait.
 */
public final class HeldLoad {

  private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();

  /** When no further call has arrived for this long, no further one will. */
  private static final Duration STANDSTILL = Duration.ofSeconds(4);

  private final Contestant contestant;
  private final Ask ask;
  private final Target target;
  private final Duration patience;

  /**
   * Makes a load.
   *
   * @param ask for answers that are held
   * @param patience how long calls may take to end once they are released
   */
  HeldLoad(Contestant contestant, Ask ask, Target target, Duration patience) {
    this.contestant = contestant;
    this.ask = ask;
    this.target = target;
    this.patience = patience;
  }

  /**
   * What was held.
   *
   * @param held calls that the server had before it at a time
   * @param rampNanos until they were
   * @param heapBase bytes live before
   * @param heapHeld bytes live meanwhile
   * @param rssBase bytes before
   * @param rssHeld bytes meanwhile, before garbage was collected
   */
  public record Held(
      Measured measured,
      int held,
      long rampNanos,
      long heapBase,
      long heapHeld,
      long rssBase,
      long rssHeld) {}

  /** Makes so many calls. */
  Held run(int calls) throws InterruptedException {
    long self = ProcessHandle.current().pid();
    Tally tally = new Tally();
    CountDownLatch ended = new CountDownLatch(calls);
    long heapBase = live();
    long rssBase = ProcessFacts.rss(self);
    try (Contestant.Running client = contestant.open(ask, calls);
        Callers threads = Callers.forMode(contestant.mode());
        Meter meter = Meter.start(tally::inFlight, target.pid())) {
      target.hold();
      long start = System.nanoTime();
      for (int i = 0; i < calls; i++) {
        OneCall.start(client, threads, start, tally, ended);
      }
      int held = awaitHeld(calls, ended);
      long ramp = System.nanoTime() - start;
      long rssHeld = ProcessFacts.rss(self);
      long heapHeld = live();
      target.release();
      if (!ended.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        tally.givenUp(Tally.NO_END + patience.toSeconds() + " s after the release");
      }
      return new Held(
          Measured.of(tally, meter.stop()), held, ramp, heapBase, heapHeld, rssBase, rssHeld);
    }
  }

  private int awaitHeld(int calls, CountDownLatch ended) throws InterruptedException {
    int held = 0;
    long grewAt = System.nanoTime();
    while (held < calls && ended.getCount() > 0) {
      int now = target.held();
      if (now > held) {
        held = now;
        grewAt = System.nanoTime();
      } else if (System.nanoTime() - grewAt > STANDSTILL.toNanos()) {
        break;
      }
      Thread.sleep(20);
    }
    return held;
  }

  /** Heap in use by what can be reached. */
  static long live() throws InterruptedException {
    long live = Long.MAX_VALUE;
    for (int i = 0; i < 2; i++) {
      System.gc();
      live = Math.min(live, MEMORY.getHeapMemoryUsage().getUsed());
      Thread.sleep(20);
    }
    return live;
  }
}
