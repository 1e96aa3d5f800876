package io.heddle.jetty;

import io.heddle.core.InFlightLimit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
final class QueueGate extends InFlightLimit {

  private final Set<ConnectAttempt> attempts = ConcurrentHashMap.newKeySet();

  QueueGate(int places) {
    super(places);
  }

  /** An attempt to connect, for those that have places, if there are any. */
  Promise<Connection> attempt(Promise<Connection> promise, Runnable sender) {
    ConnectAttempt attempt = new ConnectAttempt(this, promise, sender);
    if (inFlight() > 0) { // else nobody is to give it up
      attempts.add(attempt);
    }
    return attempt;
  }

  void forget(ConnectAttempt attempt) {
    attempts.remove(attempt);
  }

  /** Ends all attempts, if nobody has a place any more. */
  void endUnwanted() {
    if (inFlight() <= 0) {
      attempts.forEach(ConnectAttempt::end);
    }
  }
}
