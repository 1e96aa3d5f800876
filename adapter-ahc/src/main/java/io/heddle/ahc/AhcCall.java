package io.heddle.ahc;

import io.heddle.DeadlineExceededException;
import io.heddle.core.CallEvent;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.Resends;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.jspecify.annotations.Nullable;

/**
 * One blocking call, which another thread can cancel. {@link BlockingAhcClient#newCall} creates it;
 * it can be executed once.
 *
 * <pre>{@code
 * NEW ──execute, stream──▶ WAITING ──it has its place──▶ SENT ──response, failure──▶ OVER
 *  │                         │  ▲                         │
 *  │                         │  └──it is sent once more───┤
 *  └────────cancel───────────┴─────────cancel─────────────┴──▶ CANCELLED   the caller is woken;
 *                                      one that comes to a cancelled call later sends nothing
 * }</pre>
 *
 * <p>An interrupt or a deadline of the caller ends WAITING and SENT as well. A response that is
 * there before any of these is returned. After {@link #stream} its body can still be cancelled.
 *
 * <p>All of Heddle's blocking calls on AHC throw these exceptions:
 *
 * <table>
 *   <caption>Failures</caption>
 *   <tr><td>the given deadline, or AHC's request timeout, passed</td>
 *       <td>{@link io.heddle.DeadlineExceededException}</td></tr>
 *   <tr><td>AHC's read timeout passed</td><td>{@link java.net.SocketTimeoutException}</td></tr>
 *   <tr><td>AHC's connect timeout passed</td>
 *       <td>{@code io.netty.channel.ConnectTimeoutException}, a {@link java.net.ConnectException}</td></tr>
 *   <tr><td>nobody listens</td><td>{@link java.net.ConnectException}</td></tr>
 *   <tr><td>unknown host</td><td>{@link java.net.UnknownHostException}</td></tr>
 *   <tr><td>TLS failed</td><td>{@link javax.net.ssl.SSLException} or a subclass</td></tr>
 *   <tr><td>the connection ended; the call was cancelled; the client was closed meanwhile</td>
 *       <td>{@link java.net.SocketException}</td></tr>
 *   <tr><td>the server does not speak HTTP; the length of an HTTP/2 body differs from its
 *       Content-Length</td><td>{@link java.net.ProtocolException}</td></tr>
 *   <tr><td>a filter threw</td><td>{@link IOException}, with that exception as its cause</td></tr>
 *   <tr><td>no connection became free within {@code acquireFreeChannelTimeout}</td>
 *       <td>AHC's {@code TooManyConnectionsException} or {@code TooManyConnectionsPerHostException}</td></tr>
 *   <tr><td>the caller was interrupted</td>
 *       <td>{@link InterruptedException}, the flag is cleared; a read of a body stream throws {@link
 *       java.io.InterruptedIOException}, the flag stays set</td></tr>
 *   <tr><td>the client was already closed; a call on an I/O thread</td>
 *       <td>{@link IllegalStateException}</td></tr>
 *   <tr><td>the source of the request body threw</td><td>that exception</td></tr>
 *   <tr><td>the file that is the request body cannot be used, as AHC has it; the request's
 *       Content-Length differs from its body's length</td>
 *       <td>{@link IllegalArgumentException}</td></tr>
 * </table>
 *
 * Each exception except the last five is a new instance with the caller's stack. Its cause is what
 * the engine reported.
 */
public final class AhcCall {

  private final BlockingAhcClient client;
  private final Request request;
  private final @Nullable Duration timeout;
  private final AtomicBoolean begun = new AtomicBoolean();

  // The caller writes the first two, and then looks at the third. Who cancels writes that, and then
  // looks at these: one at least sees the other, and ends the wait.
  private volatile @Nullable Exchange<?> waiting;
  private volatile @Nullable BlockingExchange<?> running;
  private volatile boolean cancelled;

  AhcCall(BlockingAhcClient client, Request request, @Nullable Duration timeout) {
    this.client = client;
    this.request = request;
    this.timeout = timeout;
  }

  /** Makes an exchange of one kind. */
  private interface Kind<R> {
    BlockingExchange<R> exchange(Request request, AhcLanes.Permit permit, Deadline deadline);
  }

  /**
   * Executes the call and waits for the whole response.
   *
   * @throws IOException as in the table above
   * @throws InterruptedException if the caller is interrupted; the request is abandoned, and the
   *     server sees that
   * @throws IllegalStateException if the call was executed before, if the client is closed, or on
   *     an I/O thread
   */
  public Response execute() throws IOException, InterruptedException {
    CallEvent event = client.beginCall(request);
    Response response =
        run(event, (sent, permit, deadline) -> new WholeExchange(client, sent, permit));
    event.completed();
    return response;
  }

  /**
   * Executes the call and waits for the head of the response. A deadline also covers the body.
   *
   * @throws IOException as in the table above
   * @throws InterruptedException as in {@link #execute}
   * @throws IllegalStateException as in {@link #execute}
   */
  public StreamingResponse stream() throws IOException, InterruptedException {
    CallEvent event = client.beginCall(request); // which the body ends
    return run(
        event, (sent, permit, deadline) -> new StreamExchange(client, sent, permit, deadline));
  }

  /**
   * Ends the call, wherever it is. A caller that waits in it, in the request body or in the
   * response body gets {@link java.net.SocketException}, and the server sees the abort. If the call
   * has not started, it will fail at once and send nothing. After the end of the call this does
   * nothing. Does not wait.
   */
  public void cancel() {
    cancelled = true;
    Exchange<?> turn = waiting;
    if (turn != null) {
      turn.cancel();
    }
    BlockingExchange<?> now = running;
    if (now != null) {
      now.cancel();
    }
  }

  /** Returns whether the call has been cancelled. */
  public boolean isCancelled() {
    return cancelled;
  }

  private <R> R run(CallEvent event, Kind<R> kind) throws IOException, InterruptedException {
    try {
      return attempts(event, kind);
    } catch (Throwable t) {
      if (cancelled || client.isClosed()) {
        event.cancels();
      }
      event.failed(t);
      throw t;
    }
  }

  private <R> R attempts(CallEvent event, Kind<R> kind) throws IOException, InterruptedException {
    client.engine().forbidWaiting();
    if (!begun.compareAndSet(false, true)) {
      throw new IllegalStateException("a call is executed once");
    }
    if (client.isClosed()) {
      throw new IllegalStateException("Closed"); // as AHC says it
    }
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before the call");
    }
    Deadline deadline = timeout == null ? Deadline.none() : Deadline.after(timeout);
    if (deadline.isExpired()) {
      throw new DeadlineExceededException("the call's deadline is over before it began");
    }
    Request sent = client.requests().withTime(request, timeout);
    Deadline last = deadline.earlier(client.requests().deadline(sent));
    Resends resends = new Resends(last);
    int retries = client.getConfig().getMaxRequestRetry();
    for (; ; ) {
      BlockingExchange<R> attempt = begin(event, kind, sent, deadline);
      try {
        return await(attempt, deadline);
      } catch (ExecutionException e) {
        Throwable failure = Objects.requireNonNull(e.getCause());
        boolean again =
            retries > 0 && !cancelled && !client.isClosed() && SentAgain.may(attempt, failure);
        if (again && SentAgain.isRefused(attempt, failure)) {
          again = resends.unprocessed();
          if (last.isExpired()) {
            throw CallSite.caused(
                new DeadlineExceededException(
                    "the request was refused until its deadline was over"),
                failure);
          }
          resends.pause();
        } else {
          retries--;
        }
        if (!again) {
          throw thrown(failure);
        }
        sent = SentAgain.request(attempt, sent);
      }
    }
  }

  private <R> BlockingExchange<R> begin(
      CallEvent event, Kind<R> kind, Request sent, Deadline deadline)
      throws IOException, InterruptedException {
    Deadline place = deadline.earlier(client.requests().deadline(sent));
    AhcLanes.Permit permit;
    try {
      permit = client.lanes().enter(sent, place, this::waits, event);
    } finally {
      waiting = null;
    }
    BlockingExchange<R> attempt = kind.exchange(sent, permit, deadline);
    running = attempt;
    if (cancelled) {
      attempt.cancel();
    }
    attempt.start();
    return attempt;
  }

  private void waits(Exchange<?> turn) {
    waiting = turn;
    if (cancelled) {
      turn.cancel();
    }
  }

  private <R> R await(BlockingExchange<R> attempt, Deadline deadline)
      throws IOException, InterruptedException, ExecutionException {
    try {
      AhcRequestBody body = attempt.requestBody();
      if (body != null) {
        body.write(deadline);
      }
      return attempt.outcome().await(deadline);
    } catch (TimeoutException | CancellationException e) {
      if (e instanceof TimeoutException) {
        attempt.timedOut();
      }
      throw AhcFailures.inWait("waiting for the response", client.isClosed(), e);
    }
  }

  private static IOException thrown(Throwable failure) throws IOException {
    if (AhcInternals.isClosed(failure)) {
      throw new IllegalStateException("Closed", failure);
    }
    if (failure instanceof Error error) {
      throw new IOException(error.toString(), error);
    }
    return AhcFailures.thrown(failure);
  }
}
