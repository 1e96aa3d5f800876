package io.heddle.jetty;

import io.heddle.Deadline;
import io.heddle.Exchange;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.util.Promise;

/**
 * The places in a destination's queue of requests, and the connections that are being opened for
 * those that have one. A caller that finds no place waits, first come first served, where Jetty's
 * queue alone would fail its request.
 *
 * <p>A request takes a place before it is queued and leaves it when it has found a connection, or
 * has failed. Requests that nobody waits for, such as those with listeners or the copies that
 * follow a redirect, take a place unasked; if that is one too many, Jetty's queue says so.
 *
 * <p>Once the last of them has been given up, {@link #endUnwanted} ends the attempts to connect.
 * Who takes a place meanwhile is not harmed: {@link ConnectAttempt#end} tells how.
 */
final class QueueGate {

  private final int places;
  private final AtomicInteger taken = new AtomicInteger();
  private final Queue<Exchange<Boolean>> waiting = new ConcurrentLinkedQueue<>();
  private final Set<ConnectAttempt> attempts = ConcurrentHashMap.newKeySet();

  QueueGate(int places) {
    this.places = places;
  }

  // ---- places -------------------------------------------------------------------------------

  /**
   * Takes a place, waiting for one if need be.
   *
   * @throws TimeoutException if the deadline comes first
   * @throws InterruptedException if the caller is interrupted before there is a place; the flag is
   *     cleared
   */
  void enter(Deadline deadline) throws InterruptedException, TimeoutException {
    if (waiting.isEmpty() && take(places)) {
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
    take(Integer.MAX_VALUE);
  }

  /** Gives a place back; any thread. */
  void leave() {
    taken.decrementAndGet();
    if (!waiting.isEmpty()) {
      admit();
    }
  }

  private boolean take(int max) {
    for (int now = taken.get(); now < max; now = taken.get()) {
      if (taken.compareAndSet(now, now + 1)) {
        return true;
      }
    }
    return false;
  }

  /** Gives free places to those who wait: takes each place in their name, so that it is theirs. */
  private void admit() {
    while (!waiting.isEmpty() && take(places)) {
      if (!wakeOne()) {
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

  // ---- attempts to connect ------------------------------------------------------------------

  /** An attempt to connect, for those that have places; the promise itself if nobody has. */
  Promise<Connection> attempt(Promise<Connection> promise, Runnable sender) {
    if (taken.get() <= 0) {
      return promise;
    }
    ConnectAttempt attempt = new ConnectAttempt(this, promise, sender);
    attempts.add(attempt);
    return attempt;
  }

  void forget(ConnectAttempt attempt) {
    attempts.remove(attempt);
  }

  /** Ends all attempts, if nobody has a place any more. */
  void endUnwanted() {
    if (taken.get() <= 0) {
      attempts.forEach(ConnectAttempt::end);
    }
  }

  @Override
  public String toString() {
    return "QueueGate[%d of %d, %d waiting, %d connecting]"
        .formatted(taken.get(), places, waiting.size(), attempts.size());
  }
}
