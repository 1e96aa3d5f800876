package io.heddle.interleavings;

import io.heddle.core.Deadline;
import io.heddle.core.Signal;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** The races of {@link Signal}. */
public final class SignalRaces {

  private SignalRaces() {}

  private static void interruptAndRaise(AtomicReference<@Nullable Thread> waiter, Signal signal) {
    Thread there = waiter.get();
    while (there == null) {
      Thread.onSpinWait(); // the race begins when the waiter is there
      there = waiter.get();
    }
    there.interrupt();
    signal.raise();
  }

  /** A wake-up is never lost: who waits ends, whatever the order. */
  @JCStressTest(Mode.Termination)
  @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "The signal was seen.")
  @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "A lost wake-up.")
  @State
  public static class WakeUp {
    private final Signal signal = new Signal();

    /** Who waits. */
    @Actor
    public void waiter() {
      signal.awaitUninterruptibly(Deadline.none());
    }

    /** Who raises it. */
    @org.openjdk.jcstress.annotations.Signal
    public void raise() {
      signal.raise();
    }
  }

  /** What was written before it was raised is seen by who waited for it. */
  @JCStressTest
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "Seen.")
  @State
  public static class HappensBefore {
    private final Signal signal = new Signal();
    private int written;

    /** Who raises it. */
    @Actor
    public void raise() {
      written = 1;
      signal.raise();
    }

    /** Who waits. */
    @Actor
    public void waiter(I_Result r) {
      signal.awaitUninterruptibly(Deadline.none());
      r.r1 = written;
    }
  }

  /** An interrupt ends the wait, or stays a flag: it is never lost, and never told twice. */
  @JCStressTest
  @Outcome(
      id = "1, 1",
      expect = Expect.ACCEPTABLE,
      desc = "The signal was seen first: the flag is kept.")
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Interrupted: told by the exception.")
  @State
  public static class RaiseAndInterrupt {
    private final Signal signal = new Signal();
    private final AtomicReference<@Nullable Thread> waiter = new AtomicReference<>();

    /** Who waits; returns when the interrupt has come, told or as a flag. */
    @Actor
    public void waiter(II_Result r) {
      waiter.set(Thread.currentThread());
      boolean told = false;
      try {
        r.r1 = signal.await(Deadline.none()) ? 1 : 2;
      } catch (InterruptedException e) {
        told = true;
      }
      boolean flag = Thread.interrupted();
      while (!told && !flag) {
        Thread.onSpinWait(); // the interrupt is on its way
        flag = Thread.interrupted();
      }
      r.r2 = flag ? 1 : 0;
    }

    /** Somebody interrupts the thread that waits, once it is there, and raises the signal. */
    @Actor
    public void interruptAndRaise() {
      SignalRaces.interruptAndRaise(waiter, signal);
    }
  }

  /** A wait that does not end with an interrupt keeps it. */
  @JCStressTest
  @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "The flag is kept.")
  @State
  public static class InterruptIsKept {
    private final Signal signal = new Signal();
    private final AtomicReference<@Nullable Thread> waiter = new AtomicReference<>();

    /** Who waits, through the interrupt. */
    @Actor
    public void waiter(Z_Result r) {
      waiter.set(Thread.currentThread());
      signal.awaitUninterruptibly(Deadline.none());
      r.r1 = Thread.interrupted();
    }

    /** Somebody interrupts it, and raises the signal after that. */
    @Actor
    public void interruptAndRaise() {
      SignalRaces.interruptAndRaise(waiter, signal);
    }
  }
}
