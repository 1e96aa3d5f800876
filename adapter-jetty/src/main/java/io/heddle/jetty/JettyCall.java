package io.heddle.jetty;

import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.Resends;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.Response;
import org.jspecify.annotations.Nullable;

/**
 * One call that somebody waits for: its request, and those that follow it in the same conversation,
 * as they follow a redirect, answer a challenge, or are the same once more.
 *
 * <pre>{@code
 * SENT ──it was not processed, or lost, and may go again──▶ LOST   nobody is told
 *   │ ▲                                                     │ │
 *   │ └─────the exchange is over, with that failure─────────┘ │
 *   └───any other failure, interrupt, deadline, cancel────────┴──▶ GIVEN UP   the caller is told
 * }</pre>
 *
 * <p>A failure is told by Jetty as it comes, and again when its exchange is over, by whatever
 * threads: the second is what sends again, and by then it is judged already.
 */
final class JettyCall {

  private final BlockingJettyClient client;
  private final JettyRequest first;
  private final Consumer<Throwable> failer;
  private final CallEvent event = CallEvent.begin("jetty");
  private final Deadline deadline;
  private final Deadline queueDeadline;
  private final Resends resends;

  // The first request, or its copy, if that could not be sent; and whether its caller waits no more
  // for a connection.
  private volatile JettyRequest opening;
  private volatile boolean outOfTime;

  // By one thread at a time, each after the other: with what it is LOST, or was last.
  private volatile @Nullable Throwable lost;
  private volatile boolean again;

  // Shared: whoever gives up sees the request that is sent next, or is seen by who sends it. The
  // first has ended it: what Jetty tells of the end that this brings is nobody's business.
  private final AtomicReference<@Nullable Throwable> gaveUp = new AtomicReference<>();

  /**
   * A call whose time begins.
   *
   * @param timeoutNanos how long it may take in all; 0 is for ever
   * @param failer is told once the call is given up
   */
  JettyCall(
      BlockingJettyClient client,
      JettyRequest first,
      long timeoutNanos,
      Consumer<Throwable> failer) {
    this.client = client;
    this.first = first;
    this.opening = first;
    this.failer = failer;
    Duration wait = client.getQueueTimeout();
    deadline = timeoutNanos == 0 ? Deadline.none() : Deadline.afterNanos(timeoutNanos);
    queueDeadline = wait == null ? Deadline.none() : Deadline.after(wait);
    resends = new Resends(deadline);
    event.request(first.getMethod(), first.getHost(), first.getPort());
    event.unknown(Step.PLACE); // as Jetty has it, a part of the wait for a connection
    event.unknown(Step.NAME); // likewise
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Sends the request, once it has a place in its queue; or gives up, and tells. */
  void start(Response.CompleteListener listener) {
    Throwable aborted = first.getAbortCause(); // it knows its call: an abort sees it, or is seen
    if (aborted != null) {
      first.failWriter(aborted); // which it may have got since: its writer would wait for ever
      failer.accept(aborted);
    } else if (client.isStopping()) { // this is among the live: who stops them sees it, or is seen
      first.giveUp(new RejectedExecutionException(client.getName() + " is being stopped"));
    } else if (deadline.isExpired()) {
      first.giveUp(JettyFailures.totalTimeout(first));
    } else if (Thread.currentThread().isInterrupted()) {
      first.giveUp(new InterruptedException("interrupted before the request was sent"));
    } else {
      first.enqueue(listener, deadline.earlier(queueDeadline));
    }
  }

  /** When the total timeout is over. */
  Deadline deadline() {
    return deadline;
  }

  /**
   * Waits until there is a connection at least, for no longer than its caller may for that.
   *
   * @throws TimeoutException if there was none; the request is not sent any more
   */
  void awaitTurn(Exchange<Response> outcome, Deadline deadline)
      throws InterruptedException, TimeoutException {
    if (!queueDeadline.isNone()
        && !outcome.awaitDone(queueDeadline.earlier(deadline))
        && queueDeadline.isExpired()
        && missTurn()) {
      throw first.expired();
    }
  }

  private boolean missTurn() {
    outOfTime = true; // whoever sends a copy sees it, or is seen
    return opening.turn().miss();
  }

  // ---- once more ----------------------------------------------------------------------------

  /**
   * Judges a failure: whether this can be sent again, before any of the response has come. Either
   * HTTP/2 tells that the server has not looked at it, or Jetty that a frame of it was not written,
   * and its head was not; if that was being written just then, the server may have seen a head
   * without its body, and its stream's end. Or it changes nothing on the server, has no body, and
   * was to go, or went, to a connection that was there before it, which the server has probably
   * closed before it saw this request; so does what was to go to a connection that ended before it
   * was open. How often each goes, {@link Resends} says.
   */
  @SuppressWarnings("ReferenceEquality") // that very failure
  boolean judge(Throwable failure) {
    if (failure == lost) {
      return !again;
    }
    boolean may = mayGoAgain(failure);
    if (may) {
      again = false;
      lost = failure;
    }
    return may;
  }

  private boolean mayGoAgain(Throwable failure) {
    JettyRequest last = first.latest();
    if (last == null
        || first.hasUserCode()
        || gaveUp.get() != null
        || !client.isRunning()
        || first.getURI() == null
        || deadline.isExpired()) {
      return false;
    }
    if (JettyInternals.isRefused(failure)
        || (last.isUnwritten() && JettyInternals.isDropped(failure))
        || (last.isUnprocessed() && JettyInternals.isConnectionLoss(failure))) {
      return resends.unprocessed();
    }
    return (JettyInternals.isCutHandshake(failure) || last.mayHaveBeenTooLate(failure))
        && (last.getAbortCause() == null || JettyInternals.isConnectionLoss(failure))
        && resends.lost();
  }

  /**
   * Sends a copy of the last request in the same conversation, which answers to the same listeners;
   * after some times only in a while, as a server that refuses all must not be stormed.
   *
   * @return false if it may not go again, or cannot
   */
  boolean resend(Throwable failure) {
    JettyRequest last = first.latest();
    if (!judge(failure) || last == null) {
      return false;
    }
    if (last.hasConnection() && !JettyInternals.isOfOneStream(failure) && !last.isRefused()) {
      last.leaveConnection();
    }
    again = true;
    if (last.getBody() != null && !last.getBody().rewind()) {
      return false;
    }
    JettyRequest next = last.again();
    if (last == opening && !last.hasConnection()) {
      opening = next;
      if (outOfTime) {
        boolean unused = next.turn().miss();
      }
    }
    long pause = resends.pauseNanos();
    if (pause == 0) {
      send(next);
    } else {
      client.later(pause, TimeUnit.NANOSECONDS, () -> client.userCode().send(() -> send(next)));
    }
    return true;
  }

  private void send(JettyRequest next) {
    try {
      next.send(null); // which ends at once if this was given up
    } catch (RuntimeException e) {
      failer.accept(e);
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** From now on nothing is sent again. */
  void gaveUp(Throwable cause) {
    gaveUp.compareAndSet(null, cause);
  }

  /** It did not end with this: the request that did had been answered, with a redirect. */
  void goesOn(Throwable cause) {
    gaveUp.compareAndSet(cause, null);
  }

  /** With what it was given up; null if it was not. */
  @Nullable Throwable whyGivenUp() {
    return gaveUp.get();
  }

  /** Tells the caller at once, whatever Jetty's exchange may be waiting for. */
  void fail(Throwable cause) {
    failer.accept(cause);
  }

  CallEvent event() {
    return event;
  }

  /** The calls of the client that somebody may wait for. */
  Set<JettyExchange> live() {
    return client.live();
  }

  JettyRequest request() {
    return first;
  }

  /** Whether it is this connection that the request, as it was sent last, has. */
  boolean isOn(Connection connection) {
    JettyRequest last = first.latest();
    return last != null && connection.equals(last.getConnection());
  }
}
