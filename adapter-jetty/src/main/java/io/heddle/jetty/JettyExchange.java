package io.heddle.jetty;

import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.ResponseBodyPipe;
import io.heddle.core.Waiter;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * One call and the caller that waits for what becomes of it, with Jetty's contract: {@link
 * TimeoutException} for the total timeout, {@link InterruptedException} with the flag cleared,
 * {@link ExecutionException} around everything else. Who gives up aborts the request.
 *
 * <p>The caller parks until its own point in time; that Jetty's scheduler ends the exchange too is
 * not relied on.
 */
final class JettyExchange {

  private final Exchange<Response> outcome = new Exchange<>();
  private final Consumer<Throwable> aborter;

  // Set before the request is sent; null if it is sent by a client of another class.
  private volatile @Nullable JettyCall call;

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

  void sentBy(JettyCall sender) {
    call = sender;
    sender.live().add(this);
  }

  /** The body to come, with whose end the call ends. */
  void body(ResponseBodyPipe pipe) {
    pipe.ends(event());
    body = pipe;
  }

  /** Nobody waits for it any more. */
  void ended() {
    JettyCall sender = call;
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

  /**
   * A connection has ended, and there has been time to say so: fails, if this is on it and anybody
   * waits.
   *
   * @return whether it is on it and nobody does, who may still read what had come before
   */
  boolean lingersOn(Connection connection) {
    JettyCall sender = call;
    ResponseBodyPipe pipe = body;
    if (sender == null || !sender.isOn(connection)) {
      return false;
    }
    boolean waits = !outcome.isDone() || (pipe != null && pipe.waiter() != null);
    if (waits) {
      aborter.accept(new ClosedChannelException());
    }
    return !waits;
  }

  /** Says what its caller waits for. */
  void tell(CallReport report) {
    JettyCall sender = call;
    if (sender != null) {
      JettyRequest asked = sender.request();
      Thread reader = Waiter.waiterAt(body);
      Thread asker = Waiter.waiterAt(outcome, asked.upload());
      Step before = asked.hasConnection() ? Step.HEAD : Step.CONNECTION;
      report.add(
          reader != null ? Step.BODY : asker != null ? before : null,
          asked.getMethod() + " " + asked.getHost() + ":" + asked.getPort(),
          reader != null ? reader : asker);
    }
  }

  /** Whose outcome this is; null if it is sent by a client of another class, or not yet. */
  @Nullable JettyRequest request() {
    JettyCall sender = call;
    return sender == null ? null : sender.request();
  }

  /** That of the request's call. */
  CallEvent event() {
    JettyCall sender = call;
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
    JettyCall sender = call;
    return sender == null ? Deadline.none() : sender.deadline();
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Waits for the outcome, and at the same time for the request's turn.
   *
   * @param patience how long this caller is ready to wait, besides the request's total timeout
   */
  Response await(Deadline patience)
      throws InterruptedException, TimeoutException, ExecutionException {
    try {
      return awaitOutcome(patience);
    } catch (Throwable t) {
      event().failed(t);
      throw t;
    }
  }

  private Response awaitOutcome(Deadline patience)
      throws InterruptedException, TimeoutException, ExecutionException {
    JettyCall sender = call;
    Deadline deadline = patience.earlier(deadline());
    try {
      if (sender != null) {
        sender.awaitTurn(outcome, deadline);
      }
      return outcome.await(deadline);
    } catch (InterruptedException e) {
      giveUp(e);
      throw e;
    } catch (TimeoutException e) {
      TimeoutException why =
          sender != null && sender.deadline().isExpired() ? sender.request().expired() : e;
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

  private void giveUp(Exception why) {
    outcome.cancel();
    aborter.accept(why);
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  boolean complete(Response response) {
    return outcome.complete(response);
  }

  boolean fail(Throwable failure) {
    return outcome.fail(first(failure)); // wakes the caller in await
  }

  /**
   * As {@link #fail}, for a caller who may be a writer of the request, and never ask. The event is
   * told before he can see the end; a caller who waits tells it himself.
   */
  void failUnasked(Throwable failure) {
    if (outcome.waiter() == null && !outcome.isDone()) {
      event().failed(failure);
    }
    fail(failure);
  }

  /** With what the call was given up, if it was, before this failure came. */
  Throwable first(Throwable failure) {
    JettyCall sender = call;
    Throwable first = sender == null ? null : sender.whyGivenUp();
    return first == null ? failure : first;
  }

  /** As {@link JettyCall#judge}: whether the request can be sent once more. */
  boolean judge(Throwable failure) {
    JettyCall sender = call;
    return sender != null && !outcome.isDone() && sender.judge(failure);
  }

  /** Sends it once more, if it may be and can; else this does nothing. */
  boolean resend(Throwable failure) {
    JettyCall sender = call;
    return sender != null && !outcome.isDone() && sender.resend(failure);
  }

  boolean isDone() {
    return outcome.isDone();
  }

  /** Nobody waits for what an abort brings. */
  static void unheeded(CompletableFuture<Boolean> aborted) {}
}
