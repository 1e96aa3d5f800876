package io.heddle.bench.load;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.measure.Measured;
import io.heddle.bench.measure.Meter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleConsumer;

/**
 * So many callers, each of which makes one call after the other. The load follows the answers: a
 * slow contestant is asked less often, so that its latencies tell less than its throughput.
 *
 * <p>A caller is a thread; for an asynchronous contestant it is a chain of calls, each started by
 * the callback of the one before.
 */
public final class ClosedLoop {

  /** How long after the end a call may still take. */
  private static final Duration GRACE = Duration.ofSeconds(15);

  private final Contestant contestant;
  private final Contestant.Running client;
  private final int callers;
  private final long serverPid;

  public ClosedLoop(Contestant contestant, Contestant.Running client, int callers, long serverPid) {
    this.contestant = contestant;
    this.client = client;
    this.callers = callers;
    this.serverPid = serverPid;
  }

  /**
   * Calls for this long, and measures.
   *
   * @param progress is told the part that is done, a few times a second
   */
  public Measured run(Duration time, DoubleConsumer progress) throws InterruptedException {
    Tally tally = new Tally();
    return run(time, progress, tally, Meter.start(tally::inFlight, serverPid));
  }

  /** Calls for this long, and forgets. */
  public void warmUp(Duration time, DoubleConsumer progress) throws InterruptedException {
    Tally tally = new Tally();
    run(time, progress, tally, Meter.startForWarmUp(tally::inFlight));
  }

  private Measured run(Duration time, DoubleConsumer progress, Tally tally, Meter meter)
      throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(callers);
    try (meter;
        Callers threads = Callers.forMode(contestant.mode())) {
      long start = System.nanoTime();
      long end = start + time.toNanos();
      for (int i = 0; i < callers; i++) {
        if (client instanceof Contestant.Async async) {
          new Chain(async, end, tally, ended).next();
        } else {
          Contestant.Blocking blocking = (Contestant.Blocking) client;
          threads.start(() -> callUntil(end, blocking, tally, ended));
        }
      }
      while (!ended.await(100, TimeUnit.MILLISECONDS)) {
        long now = System.nanoTime();
        progress.accept(Math.min(1, (now - start) / (double) time.toNanos()));
        if (now - end > GRACE.toNanos()) {
          tally.givenUp(Tally.NO_END + GRACE.toSeconds() + " s");
          break;
        }
      }
      return Measured.of(tally, meter.stop());
    }
  }

  private static void callUntil(
      long end, Contestant.Blocking client, Tally tally, CountDownLatch ended) {
    try {
      for (long before = System.nanoTime(); before - end < 0; ) {
        tally.started();
        try {
          client.call();
          long now = System.nanoTime();
          tally.succeeded(now - before);
          before = now;
        } catch (Exception e) {
          tally.failed(e);
          before = System.nanoTime();
        }
      }
    } finally {
      ended.countDown();
    }
  }

  /** One caller of an asynchronous contestant. */
  private static final class Chain implements Contestant.Outcome {
    private final Contestant.Async client;
    private final long end;
    private final Tally tally;
    private final CountDownLatch ended;

    // Who starts calls: one that ends inside its own start is followed by the loop there, not by
    // one that is nested in it.
    private final AtomicInteger wanted = new AtomicInteger();
    private volatile long before;

    Chain(Contestant.Async client, long end, Tally tally, CountDownLatch ended) {
      this.client = client;
      this.end = end;
      this.tally = tally;
      this.ended = ended;
    }

    void next() {
      if (wanted.getAndIncrement() > 0) {
        return;
      }
      do {
        before = System.nanoTime();
        if (before - end >= 0) {
          ended.countDown();
          return;
        }
        tally.started();
        try {
          client.start(this);
        } catch (Exception e) {
          tally.failed(e);
          wanted.incrementAndGet();
        }
      } while (wanted.decrementAndGet() > 0);
    }

    @Override
    public void succeeded() {
      tally.succeeded(System.nanoTime() - before);
      next();
    }

    @Override
    public void failed(Throwable failure) {
      tally.failed(failure);
      next();
    }
  }
}
