package io.heddle.bench.load;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.measure.Measured;
import io.heddle.bench.measure.Meter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls that start when they are meant to, whatever has become of those before. Latency counts from
 * the moment at which a call was meant to start, not from that at which it did: a contestant that
 * holds up the start of others pays for it (no <i>coordinated omission</i>).
 */
public final class OpenLoop {

  private final Contestant contestant;
  private final Contestant.Running client;
  private final long serverPid;
  private final Duration patience;

  /**
   * Makes a loop.
   *
   * @param patience how long after the last start a call may take
   */
  OpenLoop(Contestant contestant, Contestant.Running client, long serverPid, Duration patience) {
    this.contestant = contestant;
    this.client = client;
    this.serverPid = serverPid;
    this.patience = patience;
  }

  /** When calls are meant to start: at even distances. */
  public record Schedule(long startNanos, double perSecond) {

    /** On the clock of {@link System#nanoTime}. */
    public long startOf(int call) {
      return startNanos + (long) (call * (1e9 / perSecond));
    }
  }

  /** Makes so many calls, and measures until the last has ended. */
  Measured run(int calls, double perSecond) throws InterruptedException {
    Tally tally = new Tally();
    CountDownLatch ended = new CountDownLatch(calls);
    try (Meter meter = Meter.start(tally::inFlight, serverPid);
        Callers threads = Callers.forMode(contestant.mode())) {
      Schedule schedule = new Schedule(System.nanoTime(), perSecond);
      for (int i = 0; i < calls; i++) {
        long intended = schedule.startOf(i);
        await(intended);
        OneCall.start(client, threads, intended, tally, ended);
      }
      if (!ended.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        tally.givenUp(Tally.NO_END + patience.toSeconds() + " s");
      }
      return Measured.of(tally, meter.stop());
    }
  }

  private static void await(long time) {
    for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
