package io.heddle.interleavings;

import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.L_Result;

/** The races of {@link Exchange}. */
public final class ExchangeRaces {

  private ExchangeRaces() {}

  private static final Deadline FAR = Deadline.after(Duration.ofDays(1));

  /** What a caller got, as a word. */
  private static String outcomeOf(Exchange<String> exchange, Deadline deadline) {
    try {
      return exchange.await(deadline);
    } catch (InterruptedException e) {
      return "interrupted";
    } catch (TimeoutException e) {
      return "timed out";
    } catch (CancellationException e) {
      return "cancelled";
    } catch (ExecutionException e) {
      return "failed";
    }
  }

  /** A wake-up is never lost: the caller ends, whatever the order. */
  @JCStressTest(Mode.Termination)
  @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "The caller got the result.")
  @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "A lost wake-up.")
  @State
  public static class WakeUp {
    private final Exchange<String> exchange = new Exchange<>();

    /** The caller. */
    @Actor
    public void caller() {
      outcomeOf(exchange, Deadline.none());
    }

    /** The I/O thread. */
    @Signal
    public void complete() {
      exchange.complete("result");
    }
  }

  /** The same with a timed park. */
  @JCStressTest(Mode.Termination)
  @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "The caller got the result.")
  @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "A lost wake-up.")
  @State
  public static class TimedWakeUp {
    private final Exchange<String> exchange = new Exchange<>();

    /** The caller. */
    @Actor
    public void caller() {
      outcomeOf(exchange, FAR);
    }

    /** The I/O thread. */
    @Signal
    public void complete() {
      exchange.complete("result");
    }
  }

  /** An interrupt before, in, or after the park is seen. */
  @JCStressTest(Mode.Termination)
  @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "The caller gave up.")
  @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "A lost interrupt.")
  @State
  public static class Interrupt {
    private final Exchange<String> exchange = new Exchange<>();
    private volatile Thread caller = Thread.currentThread();
    private volatile boolean started;

    /** The caller. */
    @Actor
    public void caller() {
      caller = Thread.currentThread();
      started = true;
      outcomeOf(exchange, Deadline.none());
    }

    /** Somebody interrupts it, once it is there. */
    @Signal
    public void interrupt() {
      while (!started) {
        Thread.onSpinWait(); // the race begins when the caller is there
      }
      caller.interrupt();
    }
  }

  /** One of the two ends it; the result goes to the caller or to the disposer, never to both. */
  @JCStressTest
  @Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "Completed first.")
  @Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "Cancelled first: disposed of.")
  @State
  public static class CompleteAndCancel {
    private final AtomicInteger disposed = new AtomicInteger();
    private final Exchange<String> exchange = new Exchange<>(late -> disposed.incrementAndGet());

    /** The I/O thread. */
    @Actor
    public void complete(III_Result r) {
      r.r1 = exchange.complete("result") ? 1 : 0;
    }

    /** Another thread. */
    @Actor
    public void cancel(III_Result r) {
      r.r2 = exchange.cancel() ? 1 : 0;
    }

    /** At the end. */
    @Arbiter
    public void count(III_Result r) {
      r.r3 = disposed.get();
    }
  }

  /** Two completions: one is the outcome, the other is disposed of. */
  @JCStressTest
  @Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "The first was first.")
  @Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "The second was first.")
  @State
  public static class CompleteTwice {
    private final AtomicInteger disposed = new AtomicInteger();
    private final Exchange<String> exchange = new Exchange<>(late -> disposed.incrementAndGet());

    /** One thread. */
    @Actor
    public void one(III_Result r) {
      r.r1 = exchange.complete("one") ? 1 : 0;
    }

    /** Another. */
    @Actor
    public void two(III_Result r) {
      r.r2 = exchange.complete("two") ? 1 : 0;
    }

    /** At the end. */
    @Arbiter
    public void count(III_Result r) {
      r.r3 = disposed.get();
    }
  }

  /** The canceller runs exactly once, whether it is registered before, in, or after the cancel. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Cancelled, and aborted once.")
  @State
  public static class RegisterAndCancel {
    private final AtomicInteger aborted = new AtomicInteger();
    private final Exchange<String> exchange = new Exchange<>();

    /** The caller, whose start of the call returned. */
    @Actor
    public void register() {
      exchange.onAbandon(aborted::incrementAndGet);
    }

    /** Another thread. */
    @Actor
    public void cancel(II_Result r) {
      r.r1 = exchange.cancel() ? 1 : 0;
    }

    /** At the end. */
    @Arbiter
    public void count(II_Result r) {
      r.r2 = aborted.get();
    }
  }

  /** Two that cancel: one of them, and one abort. */
  @JCStressTest
  @Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "The first was first.")
  @Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "The second was first.")
  @State
  public static class CancelTwice {
    private final AtomicInteger aborted = new AtomicInteger();
    private final Exchange<String> exchange = new Exchange<>();

    /** With a canceller. */
    public CancelTwice() {
      exchange.onAbandon(aborted::incrementAndGet);
    }

    /** One thread. */
    @Actor
    public void one(III_Result r) {
      r.r1 = exchange.cancel() ? 1 : 0;
    }

    /** Another. */
    @Actor
    public void two(III_Result r) {
      r.r2 = exchange.cancel() ? 1 : 0;
    }

    /** At the end. */
    @Arbiter
    public void count(III_Result r) {
      r.r3 = aborted.get();
    }
  }

  /** A caller whose deadline is over, and a completion: the result is returned or disposed of. */
  @JCStressTest
  @Outcome(id = "result", expect = Expect.ACCEPTABLE, desc = "Completed first.")
  @Outcome(id = "timed out, disposed", expect = Expect.ACCEPTABLE, desc = "Over first.")
  @State
  public static class CompleteAndDeadline {
    private final AtomicInteger disposed = new AtomicInteger();
    private final Exchange<String> exchange = new Exchange<>(late -> disposed.incrementAndGet());

    /** The caller. */
    @Actor
    public void caller(L_Result r) {
      r.r1 = outcomeOf(exchange, Deadline.afterNanos(0));
    }

    /** The I/O thread. */
    @Actor
    public void complete() {
      exchange.complete("result");
    }

    /** At the end. */
    @Arbiter
    public void count(L_Result r) {
      if (disposed.get() > 0) {
        r.r1 = r.r1 + ", disposed";
      }
    }
  }
}
