package io.heddle.bench.load;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.measure.Measured;
import io.heddle.bench.measure.Meter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

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

  /** What the one who does not call does meanwhile; callers stop when it ends. */
  interface Watch {
    void watch(Tally tally) throws InterruptedException;
  }

  /** Calls for this long, and measures. */
  public Measured run(Duration time) throws InterruptedException {
    return run(tally -> Thread.sleep(time));
  }

  /** Calls for as long as this takes, and measures. */
  Measured run(Watch watch) throws InterruptedException {
    Tally tally = new Tally();
    CountDownLatch ended = new CountDownLatch(callers);
    AtomicBoolean isOver = new AtomicBoolean();
    try (Meter meter = Meter.start(tally::inFlight, serverPid);
        Callers threads = Callers.forMode(contestant.mode())) {
      if (client instanceof Contestant.Async async) {
        // Not here: a chain whose calls end inside their own start goes on where it began.
        Thread.ofPlatform()
            .daemon()
            .name("chains")
            .start(() -> startChains(async, isOver, tally, ended));
      } else {
        Contestant.Blocking blocking = (Contestant.Blocking) client;
        for (int i = 0; i < callers; i++) {
          threads.start(() -> callUntil(isOver, blocking, tally, ended));
        }
      }
      watch.watch(tally);
      isOver.set(true);
      if (!ended.await(GRACE.toSeconds(), TimeUnit.SECONDS)) {
        tally.givenUp(Tally.NO_END + GRACE.toSeconds() + " s");
      }
      return Measured.of(tally, meter.stop());
    } finally {
      isOver.set(true);
    }
  }

  private void startChains(
      Contestant.Async client, AtomicBoolean isOver, Tally tally, CountDownLatch ended) {
    for (int i = 0; i < callers; i++) {
      new Chain(client, isOver, tally, ended).next();
    }
  }

  private static void callUntil(
      AtomicBoolean isOver, Contestant.Blocking client, Tally tally, CountDownLatch ended) {
    try {
      long before = System.nanoTime();
      while (!isOver.get()) {
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
    private final AtomicBoolean isOver;
    private final Tally tally;
    private final CountDownLatch ended;

    // Who starts calls: one that ends inside its own start is followed by the loop there, not by
    // one that is nested in it.
    private final AtomicInteger wanted = new AtomicInteger();
    private volatile long before;

    Chain(Contestant.Async client, AtomicBoolean isOver, Tally tally, CountDownLatch ended) {
      this.client = client;
      this.isOver = isOver;
      this.tally = tally;
      this.ended = ended;
    }

    void next() {
      if (wanted.getAndIncrement() > 0) {
        return;
      }
      do {
        if (isOver.get()) {
          ended.countDown();
          return;
        }
        before = System.nanoTime();
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
