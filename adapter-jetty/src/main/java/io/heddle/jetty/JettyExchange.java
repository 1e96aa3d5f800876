package io.heddle.jetty;

import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import io.heddle.core.DeclaredLength;
import io.heddle.core.Exchange;
import io.heddle.core.ResponseBodyPipe;
import java.io.EOFException;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * One request and the caller that waits for what becomes of it, with Jetty's contract: {@link
 * TimeoutException} for the total timeout, {@link InterruptedException} with the flag cleared,
 * {@link ExecutionException} around everything else. Who gives up aborts the request.
 *
 * <p>The caller parks until its own point in time; that Jetty's scheduler ends the exchange too is
 * not relied on.
 *
 * @param <R> the head of the response, or the whole
 */
final class JettyExchange<R> {

  private final Exchange<R> outcome = new Exchange<>();
  private final Consumer<Throwable> aborter;

  // Set before the request is sent; null if it is sent by a client of another class.
  private volatile @Nullable JettyRequest request;

  // Set before there is a head; null where the caller gets the whole response.
  private volatile @Nullable ResponseBodyPipe body;

  /**
   * An exchange that waits to be sent.
   *
   * @param aborter aborts the request, for this reason
   */
  JettyExchange(Consumer<Throwable> aborter) {
    this.aborter = aborter;
  }

  void sentBy(JettyRequest sender) {
    request = sender;
    sender.live().add(this);
  }

  /** The body to come, with whose end the call ends. */
  void body(ResponseBodyPipe pipe) {
    pipe.ends(event());
    body = pipe;
  }

  /** Nobody waits for it any more. */
  void ended() {
    JettyRequest sender = request;
    if (sender != null) {
      sender.live().remove(this);
    }
  }

  /** The client stops: the caller is told what it is told of a connection that is closed. */
  void stop() {
    Throwable why = JettyFailures.closed(null);
    outcome.fail(why); // before Jetty, which may have one more response on its way
    ResponseBodyPipe pipe = body;
    if (pipe != null) {
      pipe.fail(why);
    }
    aborter.accept(why);
  }

  boolean isOn(Connection connection) {
    JettyRequest sender = request;
    return sender != null && sender.isOn(connection);
  }

  /**
   * Its connection has ended, and there has been time to say so: fails, if anybody waits.
   *
   * @return false if nobody does, who may still read what had come before
   */
  boolean endWait() {
    ResponseBodyPipe pipe = body;
    boolean waits = !outcome.isDone() || (pipe != null && pipe.waiter() != null);
    if (waits) {
      aborter.accept(new ClosedChannelException());
    }
    return waits;
  }

  /** Says what its caller waits for. */
  void tell(CallReport report) {
    JettyRequest sender = request;
    if (sender != null) {
      ResponseBodyPipe pipe = body;
      Thread reader = pipe == null ? null : pipe.waiter();
      Thread asker = outcome.waiter();
      Step before = sender.hasConnection() ? Step.HEAD : Step.CONNECTION;
      report.add(
          reader != null ? Step.BODY : asker != null ? before : null,
          sender.getMethod() + " " + sender.getHost() + ":" + sender.getPort(),
          reader != null ? reader : asker);
    }
  }

  /** That of the request's call. */
  CallEvent event() {
    JettyRequest sender = request;
    return sender == null ? CallEvent.OFF : sender.event();
  }

  /** The head of the response that its caller gets. */
  void head(Response response) {
    event()
        .head(
            response.getStatus(),
            response.getVersion() == HttpVersion.HTTP_2
                ? "HTTP/2"
                : response.getVersion().asString());
  }

  /** When the request's total timeout is over. */
  Deadline deadline() {
    JettyRequest sender = request;
    return sender == null ? Deadline.none() : sender.deadline();
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Waits for the outcome, and at the same time for the request's turn.
   *
   * @param patience how long this caller is ready to wait, besides the request's total timeout
   */
  R await(Deadline patience) throws InterruptedException, TimeoutException, ExecutionException {
    try {
      return awaitOutcome(patience);
    } catch (Throwable t) {
      event().failed(t);
      throw t;
    }
  }

  private R awaitOutcome(Deadline patience)
      throws InterruptedException, TimeoutException, ExecutionException {
    Deadline total = deadline();
    Deadline deadline = patience.earlier(total);
    try {
      awaitTurn(deadline);
      return outcome.await(deadline);
    } catch (InterruptedException e) {
      giveUp(e);
      throw e;
    } catch (TimeoutException e) {
      JettyRequest sender = request;
      TimeoutException why =
          sender != null && total.isExpired() ? JettyFailures.totalTimeout(sender) : e;
      giveUp(why);
      throw why;
    } catch (CancellationException e) {
      throw new ExecutionException(e); // it was given up by an earlier call of this method
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      aborter.accept(cause);
      if (cause instanceof InterruptedException && Thread.interrupted()) {
        throw new InterruptedException(cause.getMessage()); // before anything was sent
      }
      throw new ExecutionException(JettyFailures.ofCall(cause));
    }
  }

  private void awaitTurn(Deadline deadline) throws InterruptedException, TimeoutException {
    JettyRequest sender = request;
    if (sender == null || sender.leaseDeadline().isNone()) {
      return;
    }
    Deadline lease = sender.leaseDeadline();
    if (!outcome.awaitDone(lease.earlier(deadline)) && lease.isExpired() && sender.missTurn()) {
      throw sender.noPlace();
    }
  }

  private void giveUp(Exception why) {
    outcome.cancel();
    aborter.accept(why);
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  boolean complete(R result) {
    return outcome.complete(result);
  }

  boolean fail(Throwable failure) {
    return outcome.fail(failure);
  }

  /** As {@link JettyRequest#judge}: whether the request can be sent once more. */
  boolean judge(Throwable failure) {
    JettyRequest sender = request;
    return sender != null && !outcome.isDone() && sender.judge(failure);
  }

  /** Sends it once more, if it may be and can; else this does nothing. */
  boolean resend(Throwable failure) {
    JettyRequest sender = request;
    return sender != null && judge(failure) && sender.resend();
  }

  boolean isDone() {
    return outcome.isDone();
  }

  // ---- what Jetty tells ---------------------------------------------------------------------

  /** Whether the server has refused the request before all of its body was sent. */
  static boolean isRefusal(Response response) {
    Request request = response.getRequest();
    return response.getStatus() >= 400 && request.getBody() != null && !isSent(request);
  }

  /** Whether the request has been sent to its end, so that nothing but the response is to come. */
  static boolean isSent(Request request) {
    return request.getBody() == null || (request instanceof JettyRequest jetty && jetty.isSent());
  }

  /** Whether Jetty follows it, if it can. */
  static boolean isRedirect(Response response) {
    return response.getRequest().isFollowRedirects()
        && JettyInternals.isRedirect(response.getStatus());
  }

  /** Nobody waits for what an abort brings. */
  static void unheeded(CompletableFuture<Boolean> aborted) {}

  /**
   * How long the head says that the body is, before any decoding. Jetty takes a stream of HTTP/2
   * for ended well if it was reset between the arrival of its last bytes and their reading.
   *
   * <p>A redirect that cannot be followed comes without its body: Jetty has read that, and drops
   * it. So does the page of a challenge, if it is too long.
   */
  static DeclaredLength declaredLength(Response response) {
    return new DeclaredLength(
        hasNoBody(response) ? -1 : response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH));
  }

  private static boolean hasNoBody(Response response) {
    Request request = response.getRequest();
    int status = response.getStatus();
    return HttpMethod.HEAD.is(request.getMethod())
        || status == 204
        || status == 304
        || isRedirect(response)
        || (request instanceof JettyRequest jetty && jetty.isBodyDropped());
  }

  /**
   * What is wrong with the body of a response that has come to its end by Jetty's account: it is
   * not as long as it was told to be; or nobody has told, and its stream has failed with the end
   * already there. Of that stream's body Jetty drops what was not read yet, and keeps the end.
   *
   * @return null if it is whole
   */
  static @Nullable EOFException lackOf(DeclaredLength length, Response response) {
    if (!length.isReached()) {
      return new EOFException(length.toString());
    }
    return length.declared() < 0
            && !hasNoBody(response)
            && response.getRequest() instanceof JettyRequest jetty
            && isSent(jetty)
            && jetty.hasLostStream()
        ? new EOFException("the connection has ended before the body was read")
        : null;
  }

  /** What of a result has kept the response from arriving whole; null if nothing has. */
  static @Nullable Throwable responseFailure(Result result, boolean headArrived) {
    // A response that is there is not lost to an upload that broke after it.
    return headArrived ? result.getResponseFailure() : result.getFailure();
  }
}
