package io.heddle.interleavings;

import io.heddle.core.Exchange;
import io.heddle.core.InFlightLimit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The races of {@link InFlightLimit}. */
public final class LimitRaces {

  private LimitRaces() {}

  /** One leaves while the next asks: the next has the place, or it would wait for ever. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The place was handed on.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A place that nobody has while somebody waits.")
  @State
  public static class LeaveAndAsk {
    private final InFlightLimit limit = new InFlightLimit(1);
    private Exchange<InFlightLimit> turn = new Exchange<>();

    /** The one in flight is there before. */
    public LeaveAndAsk() {
      if (!limit.tryEnter()) {
        throw new AssertionError("a new limit has a place");
      }
    }

    /** The one in flight. */
    @Actor
    public void leave() {
      limit.leave();
    }

    /** The next. */
    @Actor
    public void ask() {
      turn = limit.ask();
    }

    /** Whether the next has the place, and whether there is another. */
    @Arbiter
    public void look(II_Result r) {
      r.r1 = turn.isDone() ? 1 : 0;
      r.r2 = limit.tryEnter() ? 1 : 0;
    }
  }

  /** One leaves while the first who waits gives up: the place is his, or free. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "He gave up; the place is free.")
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "He has the place.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A place is lost, or there are two.")
  @State
  public static class LeaveAndGiveUp {
    private final InFlightLimit limit = new InFlightLimit(1);
    private final Exchange<InFlightLimit> turn;

    /** One is in flight and one waits. */
    public LeaveAndGiveUp() {
      if (!limit.tryEnter()) {
        throw new AssertionError("a new limit has a place");
      }
      turn = limit.ask();
    }

    /** The one in flight. */
    @Actor
    public void leave() {
      limit.leave();
    }

    /** The one who waits. */
    @Actor
    public void giveUp(II_Result r) {
      r.r1 = turn.cancel() ? 1 : 0;
    }

    /** Whether the place is free. */
    @Arbiter
    public void look(II_Result r) {
      r.r2 = limit.tryEnter() ? 1 : 0;
    }
  }
}
