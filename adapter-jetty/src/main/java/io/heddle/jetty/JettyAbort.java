package io.heddle.jetty;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.HttpRequestException;
import org.eclipse.jetty.client.transport.HttpExchange;
import org.eclipse.jetty.util.Promise;

/**
 * What aborts one request, and what ends with it. Jetty aborts a request with each failure that it
 * has heard of, whatever that was of; the caller, with what ends its call.
 *
 * <pre>{@code
 * not meant for it, or its call goes on elsewhere ──▶ nothing
 * of its connection, or of one that was not made  ──▶ its exchange ends, and the call with it,
 *                                                      unless it goes again, or was led elsewhere
 * any other                                       ──▶ its conversation ends, and the call with it
 * }</pre>
 *
 * <p>What ends with its connection is one exchange: Jetty would abort the last of the conversation,
 * which by then may be a redirect's, on another connection.
 *
 * <p>Any thread.
 */
final class JettyAbort {

  private final JettyRequest request;
  private final BlockingJettyClient client;
  private final QueueTurn turn;

  private volatile boolean bodyDropped;
  private volatile boolean cut; // by the end of its connection

  JettyAbort(JettyRequest request, BlockingJettyClient client, QueueTurn turn) {
    this.request = request;
    this.client = client;
    this.turn = turn;
  }

  /** Whether the response comes without its body, as that was too long for Jetty's own use. */
  boolean isBodyDropped() {
    return bodyDropped;
  }

  /**
   * Tells the caller at once, whatever the exchange may be waiting for.
   *
   * @return what Jetty says of it: whether it had anything to abort
   */
  CompletableFuture<Boolean> abort(Throwable cause) {
    HttpExchange on = request.exchange();
    JettyRequest last = JettyRequest.of(on);
    boolean lost = JettyInternals.isRefused(cause) || JettyInternals.isConnectionLoss(cause);
    if (isOfAnother(cause)
        || (last != null && last != request && JettyInternals.isJettys(cause))
        || (lost && (cut || request.getAbortCause() != null))) { // its call goes on elsewhere
      return CompletableFuture.completedFuture(false);
    }
    boolean forGood = isForGood(cause, lost);
    boolean unsent = ConnectAttempt.isFailing(cause);
    if (unsent && !turn.miss(cause)) { // it has found one right now
      return CompletableFuture.completedFuture(false);
    }
    if (last != null && (cause instanceof TimeoutException || request.deadline().isExpired())) {
      client.noteTimeout(last.getConnection());
    }
    boolean ofConnection = unsent || (turn.hasCome() && JettyInternals.isJettys(cause));
    HttpExchange alone = ofConnection && last == request ? on : null;
    JettyCall call = request.call();
    if (forGood && call != null && (alone == null || !lost)) {
      call.gaveUp(cause);
    }
    CompletableFuture<Boolean> aborted =
        alone == null ? request.abortInJetty(cause) : abortAlone(alone, cause);
    if (alone != null && goesOn(alone, aborted, forGood, lost)) {
      if (call != null) {
        call.goesOn(cause);
      }
      return aborted;
    }
    if (forGood) {
      return end(cause, aborted);
    }
    request.failWriter(cause);
    return aborted;
  }

  /**
   * Whether a failure is not meant for this request.
   *
   * <p>Where the timer of its connection says that a total timeout is over, and this request's is
   * not, it is that of the request before it, which has ended by itself.
   */
  private boolean isOfAnother(Throwable cause) {
    return (JettyInternals.isTotalTimeout(cause) && hasTime() && JettyInternals.isCalledByTimer())
        || cause instanceof ConnectAttempt.Unwanted // this one is wanted
        || (turn.hasCome() && ConnectAttempt.isFailing(cause)) // it has found another by now
        || (turn.isMissed() && cause instanceof HttpRequestException); // it got one too late
  }

  /** Whether Jetty's count of the total timeout is not over, or has not begun. */
  private boolean hasTime() {
    long until = request.getTimeoutNanoTime();
    return until == Long.MAX_VALUE || until - System.nanoTime() > 0;
  }

  /** Whether the call ends with this. */
  private boolean isForGood(Throwable cause, boolean lost) {
    if (isHandlersLimit(cause)) {
      bodyDropped = true;
      return false;
    }
    JettyCall call = request.call();
    return !(lost && call != null && call.judge(cause));
  }

  /**
   * Whether one of Jetty's protocol handlers, which asks for credentials say, has had enough of the
   * body of a response. It then goes on without, and may send the request again.
   */
  private boolean isHandlersLimit(Throwable cause) {
    HttpExchange last = request.exchange();
    return JettyInternals.isTooLongForHandler(cause)
        && last != null
        && client.findProtocolHandler(last.getRequest(), last.getResponse()) != null;
  }

  private CompletableFuture<Boolean> abortAlone(HttpExchange exchange, Throwable cause) {
    cut = true;
    return Promise.Completable.with(promise -> exchange.abort(cause, promise));
  }

  /**
   * Whether the call goes on after the end of an exchange: it was over before; or it was answered
   * with a redirect, which Jetty follows, whatever is missing of the request or of the answer.
   */
  private boolean goesOn(
      HttpExchange exchange, CompletableFuture<Boolean> aborted, boolean forGood, boolean lost) {
    boolean wasOver = aborted.isDone() && !aborted.join();
    boolean isFollowed =
        exchange.getResponseFailure() == null || (forGood && request.latest() != request);
    return wasOver || (lost && isFollowed);
  }

  /** Ends the call, and the request that came of this one, if there is one. */
  private CompletableFuture<Boolean> end(Throwable cause, CompletableFuture<Boolean> aborted) {
    JettyCall call = request.call();
    if (call != null) {
      call.gaveUp(cause);
    }
    JettyRequest last = request.latest();
    // Jetty aborts a request once only, and it may have, before.
    CompletableFuture<Boolean> ended =
        last == null || last == request ? aborted : last.abort(cause);
    request.failWriter(cause);
    if (call != null) {
      call.fail(cause);
    }
    return ended;
  }
}
