package io.heddle.bench.load;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.measure.Figures;
import java.time.Duration;

/**
 * A client of closed loops: it is warmed up once and then measured round by round, while others are
 * measured in between. Its connections stay.
 */
final class SteadyClient {

  /** So long a part of a round is called before it: the client has slept in between. */
  private static final int RUN_IN = 4;

  private final Contestant contestant;
  private final Ask ask;
  private final int callers;
  private final Contestant.Running client;
  private final ClosedLoop loop;
  private Duration warmUp; // until it is told

  /** Opens it, and does not return before it is warm. */
  SteadyClient(Task task) throws InterruptedException {
    contestant = task.contestant();
    ask = task.ask();
    callers = task.load().calls();
    client = contestant.open(ask, callers);
    loop = new ClosedLoop(contestant, client, callers, task.target().pid());
    Worker.prime(contestant, client, ask);
    WarmUp watch = new WarmUp(Duration.ofMillis(task.load().warmUpMillis()));
    loop.run(watch);
    warmUp = watch.took();
  }

  /** Whether the same is asked of it. */
  boolean isFor(Task task) {
    return contestant.equals(task.contestant())
        && ask.equals(task.ask())
        && callers == task.load().calls();
  }

  /** One round. */
  Figures measure(Duration time) throws InterruptedException {
    loop.run(time.dividedBy(RUN_IN));
    double before = warmUp.toNanos() / 1e9;
    warmUp = Duration.ZERO;
    return Figures.of(loop.run(time), null, before);
  }

  /** Counts system calls; those of the one who measures are among them, a few. */
  Strace.Counted count(Duration time) throws InterruptedException {
    Strace.Counted[] counted = new Strace.Counted[1];
    loop.run(tally -> counted[0] = Strace.count(time, tally::successes));
    return counted[0];
  }

  void close() throws InterruptedException {
    Worker.close(client);
  }
}
