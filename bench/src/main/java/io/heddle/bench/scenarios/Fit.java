package io.heddle.bench.scenarios;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Machine;
import java.util.Locale;

/**
 * Fits a load to the machine: descriptors, ports, threads and memory, with something to spare.
 *
 * @param javaFeature the version of the JDK that runs it
 */
public record Fit(Machine machine, int javaFeature) {

  /** What the process has open besides connections. */
  private static final int OTHER_DESCRIPTORS = 700;

  /** The part of ports, threads and memory that is used; others have some too. */
  private static final double USED = 0.75;

  /** What a waiting call may take; stock Apache takes most, 111 KiB of heap and more outside. */
  private static final long BYTES_HTTP_1 = 200 * 1024;

  private static final long BYTES_HTTP_2 = 48 * 1024;
  private static final long BYTES_THREAD = 160 * 1024;

  /** With fewer calls a load says nothing. */
  private static final int FEWEST = 100;

  /**
   * How many calls there are to be at a time.
   *
   * @param calls 0 if the load is refused
   * @param note what was scaled or refused, and why; empty if nothing was
   */
  record Plan(int calls, String note) {

    boolean isRefused() {
      return calls == 0;
    }
  }

  /**
   * Decides.
   *
   * @param calls at a time, as the scenario has it
   * @param addresses that the server listens on
   */
  Plan plan(Contestant contestant, int calls, int addresses) {
    Plan plan = new Plan(calls, "");
    boolean isHttp1 = contestant.wire() == Wire.HTTP_1;
    long bytes = isHttp1 ? BYTES_HTTP_1 : BYTES_HTTP_2;
    if (isHttp1) {
      plan =
          limit(
              plan,
              calls,
              machine.descriptors() - OTHER_DESCRIPTORS,
              count(machine.descriptors()) + " file descriptors for a process");
      plan =
          limit(
              plan,
              calls,
              (long) (USED * machine.ports() * addresses),
              count(machine.ports()) + " ports for each of " + addresses + " addresses");
    }
    if (takesThreadPerCall(contestant)) {
      bytes += BYTES_THREAD;
      plan =
          limit(
              plan,
              calls,
              (long) (machine.threads() * USED),
              count(machine.threads()) + " further threads on this machine");
    }
    return limit(
        plan,
        calls,
        (long) (machine.availableBytes() * USED) / bytes,
        count(machine.availableBytes() >> 20) + " MiB of memory");
  }

  /**
   * Decides for a front end that makes a call for each connection that it has.
   *
   * @param contestant that calls
   * @param connections to the front end
   */
  Plan planFront(Contestant contestant, int connections) {
    Plan plan = new Plan(connections, "");
    int perCall = contestant.wire() == Wire.HTTP_1 ? 2 : 1;
    plan =
        limit(
            plan,
            connections,
            (machine.descriptors() - OTHER_DESCRIPTORS) / perCall,
            count(machine.descriptors())
                + " file descriptors for a process, and each connection takes "
                + perCall);
    if (takesThreadPerCall(contestant)) {
      plan =
          limit(
              plan,
              connections,
              (long) (machine.threads() * USED),
              count(machine.threads()) + " further threads on this machine");
    }
    return limit(
        plan,
        connections,
        (long) (machine.availableBytes() * USED) / (BYTES_HTTP_1 + BYTES_THREAD),
        count(machine.availableBytes() >> 20) + " MiB of memory");
  }

  /** Whether each call in flight holds a platform thread. */
  boolean takesThreadPerCall(Contestant contestant) {
    return contestant.mode() == Mode.STOCK_PLATFORM
        || (contestant.library() == Library.OKHTTP
            && (contestant.mode() == Mode.ASYNC
                || (contestant.mode() == Mode.HEDDLE && javaFeature < 24)));
  }

  private static Plan limit(Plan plan, int wanted, long most, String because) {
    if (plan.calls() <= most) {
      return plan;
    }
    int round = roundDown(most);
    if (round < FEWEST) {
      return new Plan(0, "refused: there are only " + because);
    }
    return new Plan(
        round, count(round) + " instead of " + count(wanted) + ": there are " + because);
  }

  /** Two digits, and zeros. */
  private static int roundDown(long number) {
    long unit = 1;
    while (number / unit >= 100) {
      unit *= 10;
    }
    return (int) Math.max(0, number / unit * unit);
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
