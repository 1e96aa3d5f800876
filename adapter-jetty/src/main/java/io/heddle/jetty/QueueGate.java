package io.heddle.jetty;

import io.heddle.Deadline;
import io.heddle.Exchange;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The places in a destination's queue of requests: a caller that finds none waits, first come first
 * served, where Jetty's queue alone would fail its request.
 *
 * <p>A request takes a place before it is queued and leaves it when it has found a connection, or
 * has failed. Requests that nobody waits for, such as those with listeners or the copies that
 * follow a redirect, take a place unasked; if that is one too many, Jetty's queue says so.
 */
final class QueueGate {

  private final int places;
  private final AtomicInteger taken = new AtomicInteger();
  private final Queue<Exchange<Boolean>> waiting = new ConcurrentLinkedQueue<>();

  QueueGate(int places) {
    this.places = places;
  }

  /**
   * Takes a place, waiting for one if need be.
   *
   * @throws TimeoutException if the deadline comes first
   * @throws InterruptedException if the caller is interrupted before there is a place; the flag is
   *     cleared
   */
  void enter(Deadline deadline) throws InterruptedException, TimeoutException {
    int now = taken.get();
    if (now < places && waiting.isEmpty() && taken.compareAndSet(now, now + 1)) {
      return;
    }
    Exchange<Boolean> turn = new Exchange<>();
    waiting.add(turn);
    admit(); // those who left before this one was to be seen
    try {
      turn.await(deadline);
    } catch (ExecutionException e) {
      throw new AssertionError("a turn does not fail", e);
    } finally {
      waiting.remove(turn); // if it was given up
    }
  }

  /** Takes a place even if there is none. */
  void enterUnasked() {
    taken.incrementAndGet();
  }

  /** Gives a place back; any thread. */
  void leave() {
    taken.decrementAndGet();
    if (!waiting.isEmpty()) {
      admit();
    }
  }

  /** Gives free places to those who wait: takes each place in their name, so that it is theirs. */
  private void admit() {
    for (; ; ) {
      int now = taken.get();
      if (now >= places || waiting.isEmpty()) {
        return;
      }
      if (taken.compareAndSet(now, now + 1) && !wakeOne()) {
        taken.decrementAndGet(); // nobody is left; but look again, who came since saw it taken
      }
    }
  }

  private boolean wakeOne() {
    for (Exchange<Boolean> next = waiting.poll(); next != null; next = waiting.poll()) {
      if (next.complete(true)) { // wakes the caller in enter
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return "QueueGate[" + taken + " of " + places + ", " + waiting.size() + " waiting]";
  }
}
