package io.heddle.jetty;

import io.heddle.IoThread;
import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.Resends;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpConversation;
import org.eclipse.jetty.client.transport.HttpExchange;
import org.eclipse.jetty.client.transport.HttpRequest;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A request whose {@link #send()} keeps Heddle's promises, as do the copies that follow a redirect
 * or a challenge.
 */
final class JettyRequest extends ListeningRequest {

  /** How far a request has come on its way out of the queue, within its lease timeout or not. */
  private enum Turn {
    AWAITED,
    /** It has a connection, and may have been sent. */
    CAME,
    /** Its caller has given up before; it must not be sent. */
    MISSED
  }

  private final BlockingJettyClient client;

  // Caller only, until it is sent.
  private long timeoutNanos;
  private volatile Deadline deadline = Deadline.none();
  private volatile Deadline leaseDeadline = Deadline.none();

  private long leaseTimeoutMillis;
  private boolean waits;
  private boolean sending;
  private boolean foreign;
  private volatile int resent;
  private volatile @Nullable Resends resends;
  private volatile @Nullable Throwable connectionLost;
  private volatile int lostAfter;
  private @Nullable String cookieHeader;
  private volatile long queuedAt;

  // Shared.
  private final AtomicReference<@Nullable QueueGate> place = new AtomicReference<>();
  private final AtomicReference<Turn> turn = new AtomicReference<>(Turn.AWAITED);
  private volatile boolean reused;
  private volatile boolean bodyDropped;
  private volatile boolean sent;

  /** Over HTTP/2, once its head has gone out: whether its stream has failed since. */
  private volatile @Nullable BooleanSupplier streamFailed;

  private volatile @Nullable Consumer<Throwable> onAbort;
  private volatile @Nullable Throwable gaveUp;
  private volatile CallEvent event = CallEvent.OFF;

  JettyRequest(BlockingJettyClient client, HttpConversation conversation, URI uri) {
    super(client, conversation, uri);
    this.client = client;
  }

  @Override
  protected HttpRequest copyInstance(URI newUri) {
    JettyRequest copy = new JettyRequest(client, getConversation(), newUri);
    copy.event = event;
    return copy;
  }

  @Override
  void noteCode(@Nullable Object code) {
    foreign |= UserCode.mayBlock(code);
    client.noteCode(code);
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Jetty counts whole milliseconds: here never fewer than were asked for, so never too early. */
  @Override
  public Request timeout(long timeout, TimeUnit unit) {
    timeoutNanos = Math.max(0, unit.toNanos(timeout));
    long millis = unit.toMillis(timeout);
    boolean more = TimeUnit.MILLISECONDS.toNanos(millis) < timeoutNanos;
    return super.timeout(more ? millis + 1 : millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public Request body(Request.Content content) {
    if (content instanceof BlockingRequestContent blocking) {
      blocking.sentBy(this);
    }
    return super.body(content);
  }

  /** A body that may block is read where it holds up nobody. */
  private void pumpBody() {
    Request.Content content = getBody();
    if (content != null
        && !(content instanceof BlockingRequestContent)
        && UserCode.mayBlock(content)) {
      super.body(new PumpedContent(content));
    }
  }

  @Override
  public ContentResponse send() throws InterruptedException, TimeoutException, ExecutionException {
    IoThread.forbidWaiting();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before the request was sent");
    }
    beginCall();
    JettyExchange<ContentResponse> exchange = new JettyExchange<>(this::giveUp);
    exchange.sentBy(this);
    WholeResponse listener = new WholeResponse(exchange, client.getMaxContentLength());
    try {
      start(listener::fail, listener);
      ContentResponse response = exchange.await(Deadline.none());
      event.completed();
      return response;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TimeoutException timeout) { // Jetty's scheduler was first
        throw CallSite.attach(timeout);
      }
      if (e.getCause() instanceof CancellationException cancelled) { // unwrapped by Jetty's, too
        throw cancelled;
      }
      throw e;
    } finally {
      exchange.ended();
      event.end(CallEvent.End.FAILED); // where it could not be sent
    }
  }

  @Override
  public void send(Response.@Nullable CompleteListener listener) {
    if (listener instanceof BlockingResponseListener blocking) {
      IoThread.forbidWaiting();
      noteCode(listener); // which may be of a subclass
      beginCall();
      blocking.sentBy(this);
      start(blocking::fail, listener);
    } else {
      noteCode(listener);
      enqueue(listener);
    }
  }

  private void beginCall() {
    event = CallEvent.begin("jetty");
    event.request(getMethod(), getHost(), getPort());
    event.unknown(Step.PLACE); // as Jetty has it, a part of the wait for a connection
    event.unknown(Step.NAME); // likewise
  }

  /** Starts the clock and sends; {@link #takePlace} comes from within. */
  private void start(Consumer<Throwable> failer, Response.CompleteListener listener) {
    deadline = timeoutNanos == 0 ? Deadline.none() : Deadline.afterNanos(timeoutNanos);
    Duration lease = client.getLeaseTimeout();
    leaseDeadline = lease == null ? Deadline.none() : Deadline.after(lease);
    leaseTimeoutMillis = lease == null ? 0 : lease.toMillis();
    onAbort = failer;
    Throwable aborted = getAbortCause(); // after the line above: an abort sees it, or is seen
    if (aborted != null) {
      if (getBody() instanceof BlockingRequestContent content) {
        content.fail(aborted); // which it may have got since: its writer would wait for ever
      }
      failer.accept(aborted);
      return;
    }
    if (client.isStopping()) { // this is among the live: who stops them sees it, or is seen
      giveUp(new RejectedExecutionException(client.getName() + " is being stopped"));
      return;
    }
    if (deadline.isExpired()) {
      giveUp(JettyFailures.totalTimeout(this));
      return;
    }
    if (Thread.currentThread().isInterrupted()) {
      giveUp(new InterruptedException("interrupted before the request was sent"));
      return;
    }
    waits = true;
    enqueue(listener);
    waits = false;
  }

  /** Sends; {@link #takePlace} comes from within, and from wherever else Jetty or a user asks. */
  private void enqueue(Response.@Nullable CompleteListener listener) {
    pumpBody();
    cookieHeader = getHeaders().get(HttpHeader.COOKIE); // before those of the store come to it
    queuedAt = System.currentTimeMillis(); // as connections tell their age
    sending = true;
    try {
      super.send(listener);
    } finally {
      sending = false;
    }
  }

  /**
   * Takes a place in the queue, before the request is put there.
   *
   * @throws CancellationException if there was none for as long as the caller could wait; the
   *     request is aborted
   */
  void takePlace(QueueGate gate) {
    if (!sending || place.get() != null) {
      return; // somebody asks for the destination of a request
    }
    if (!waits) {
      gate.enterUnasked();
    } else {
      event.at(Step.PLACE);
      try {
        gate.enter(deadline.earlier(leaseDeadline));
      } catch (TimeoutException e) {
        giveUp(deadline.isExpired() ? JettyFailures.totalTimeout(this) : noPlace());
        throw new CancellationException("no place in the queue");
      } catch (InterruptedException e) {
        giveUp(e);
        Thread.currentThread().interrupt(); // until the caller waits for the exchange
        throw new CancellationException("interrupted while waiting for a place in the queue");
      }
    }
    event.at(Step.CONNECTION);
    place.set(gate);
  }

  private @Nullable QueueGate leavePlace() {
    QueueGate gate = place.getAndSet(null);
    if (gate != null) {
      gate.leave();
    }
    return gate;
  }

  // ---- what Jetty tells ---------------------------------------------------------------------

  @Override
  public void notifyBegin() {
    event.at(Step.HEAD);
    reused = JettyPools.wasThereBefore(getConnection(), queuedAt);
    client.noteUse(getConnection());
    if (!turn.compareAndSet(Turn.AWAITED, Turn.CAME) && turn.get() == Turn.MISSED) {
      giveUp(noPlace()); // as its caller does right now; the sender sees it before it sends
    }
    leavePlace();
    tellSocket(this::failBody);
    super.notifyBegin();
  }

  /** Who is told, on HTTP/1.1, that the socket of this request has broken; null is nobody. */
  private void tellSocket(@Nullable Consumer<Throwable> sender) {
    if (getBody() != null && getConnection() instanceof org.eclipse.jetty.io.Connection http1) {
      ReadingEndPoint socket = ReadingEndPoint.under(http1.getEndPoint());
      if (socket != null) {
        socket.tell(sender);
      }
    }
  }

  /** The rest of the body cannot be sent; the response may still come. */
  private void failBody(Throwable cause) {
    Request.Content body = getBody();
    if (body != null) {
      body.fail(cause);
    }
  }

  /**
   * Stands, over HTTP/2, where Jetty keeps the trailers of a request's head, so that {@link
   * Http2Watch} knows whose head it sees go out.
   *
   * @param trailers those of the request, if there are any
   */
  record Head(JettyRequest request, @Nullable Supplier<HttpFields> trailers)
      implements Supplier<@Nullable HttpFields> {

    @Override
    public @Nullable HttpFields get() {
      return trailers == null ? null : trailers.get();
    }
  }

  @Override
  public @Nullable Supplier<HttpFields> getTrailersSupplier() {
    Supplier<HttpFields> trailers = super.getTrailersSupplier();
    return getConnection() == null || getConnection() instanceof org.eclipse.jetty.io.Connection
        ? trailers
        : new Head(this, trailers);
  }

  /** Its head is about to be written, on a stream that can be asked whether it has failed. */
  void goesOut(BooleanSupplier failed) {
    streamFailed = failed;
  }

  /**
   * Whether its stream of HTTP/2 has failed. Jetty then drops what it has of the response, but not
   * the response's end, if that had come.
   */
  boolean hasLostStream() {
    BooleanSupplier failed = streamFailed;
    return failed != null && failed.getAsBoolean();
  }

  /** A server that is asked whether to continue and never says is not waited for for ever. */
  @Override
  public void notifyCommit() {
    super.notifyCommit();
    if (getBody() != null && getHeaders().contains(HttpHeader.EXPECT, "100-continue")) {
      Scheduler.Task unused =
          client
              .getScheduler()
              .schedule(
                  () -> client.getExecutor().execute(this::proceed),
                  client.getContinueTimeout().toNanos(),
                  TimeUnit.NANOSECONDS);
    }
  }

  /** Sends the body; does nothing if it was sent meanwhile, or refused, or the exchange ended. */
  private void proceed() {
    HttpExchange exchange = getConversation().getExchanges().peekLast();
    if (exchange != null) {
      exchange.proceed(null, null);
    }
  }

  @Override
  public void notifySuccess() {
    sent = true;
    tellSocket(null);
    super.notifySuccess();
  }

  @Override
  public void notifyFailure(Throwable failure) {
    tellSocket(null);
    QueueGate gate = leavePlace();
    if (gate != null) {
      gate.endUnwanted();
    }
    super.notifyFailure(failure);
  }

  /** The caller is told at once, whatever the exchange may be waiting for. */
  @Override
  public CompletableFuture<Boolean> abort(Throwable cause) {
    if (cause instanceof ConnectAttempt.Unwanted) {
      return CompletableFuture.completedFuture(false); // this one is wanted
    }
    if (hasConnection() && ConnectAttempt.isFailing(cause)) {
      return CompletableFuture.completedFuture(false); // it was queued, and has another by now
    }
    boolean lost = JettyInternals.isRefused(cause) || JettyInternals.isConnectionLoss(cause);
    if (lost && getAbortCause() != null) {
      return abortInJetty(cause); // it has heard the same before, and may be on its way again
    }
    boolean tooLong = isHandlersLimit(cause);
    if (tooLong) {
      bodyDropped = true;
    }
    boolean forGood = !(lost && judge(cause)) && !tooLong;
    if (forGood) {
      gaveUp = cause;
    }
    JettyRequest timedOut = latest();
    if (timedOut != null && (cause instanceof TimeoutException || deadline.isExpired())) {
      client.noteTimeout(timedOut.getConnection());
    }
    CompletableFuture<Boolean> aborted = abortInJetty(cause);
    JettyRequest last = latest();
    if (forGood && last != null && last != this) {
      aborted = last.abort(cause); // Jetty aborts a request once only, and it may have, before
    }
    if (getBody() instanceof BlockingRequestContent content) {
      content.fail(cause); // Jetty does so only once the request is queued: its writer may wait
    }
    Consumer<Throwable> failer = onAbort;
    if (failer != null && forGood) {
      failer.accept(cause);
    }
    return aborted;
  }

  /** Jetty knows a request for a moment before it knows whom to tell: that is for the caller. */
  private CompletableFuture<Boolean> abortInJetty(Throwable cause) {
    try {
      return super.abort(cause);
    } catch (NullPointerException e) {
      if (hasConnection()) {
        throw e;
      }
      return CompletableFuture.completedFuture(true); // it is known as aborted, and not sent
    }
  }

  /** Aborts the request without waiting for that. */
  void giveUp(Throwable cause) {
    JettyExchange.unheeded(abort(cause));
  }

  /**
   * Whether one of Jetty's protocol handlers, which asks for credentials say, has had enough of the
   * body of a response. It then goes on without, and may send the request again.
   */
  private boolean isHandlersLimit(Throwable cause) {
    HttpExchange last = getConversation().getExchanges().peekLast();
    return JettyInternals.isTooLongForHandler(cause)
        && last != null
        && client.findProtocolHandler(last.getRequest(), last.getResponse()) != null;
  }

  // ---- once more ----------------------------------------------------------------------------

  /**
   * Judges a failure, and remembers the verdict, as Jetty may tell of that failure more than once:
   * whether this can be sent again, before any of the response has come. Either HTTP/2 tells that
   * the server has not looked at it, or Jetty that a frame of it was not written, and its head was
   * not; if that was being written just then, the server may have seen a head without its body, and
   * its stream's end. Or it changes nothing on the server, has no body, and was to go, or went, to
   * a connection that was there before it, which the server has probably closed before it saw this
   * request; so does what was to go to a connection that ended before it was open. How often each
   * goes, {@link Resends} says.
   */
  @SuppressWarnings("ReferenceEquality") // that very failure
  boolean judge(Throwable failure) {
    if (failure == connectionLost) {
      return resent == lostAfter;
    }
    boolean may = wasLost(failure);
    if (may) {
      lostAfter = resent;
      connectionLost = failure; // with which Jetty may abort the rest of the exchange
    }
    return may;
  }

  private boolean wasLost(Throwable failure) {
    if (foreign
        || gaveUp != null
        || !client.isRunning()
        || getURI() == null
        || deadline.isExpired()) {
      return false;
    }
    Resends counted = resends;
    if (counted == null) {
      counted = new Resends(deadline);
      resends = counted; // by one thread at a time, as `resent`
    }
    JettyRequest last = latest();
    if (JettyInternals.isRefused(failure)
        || (last != null
            && (last.getBody() == null || last.streamFailed == null)
            && JettyInternals.isDropped(failure))) {
      return counted.unprocessed();
    }
    return last != null
        && (JettyInternals.isCutHandshake(failure) || last.mayHaveBeenTooLate(failure))
        && (last.getAbortCause() == null || JettyInternals.isConnectionLoss(failure))
        && counted.lost();
  }

  private boolean mayHaveBeenTooLate(Throwable failure) {
    boolean unsent = turn.get() == Turn.AWAITED && JettyInternals.isConnectionLoss(failure);
    return (reused || unsent)
        && failure instanceof IOException
        && getBody() == null
        && Resends.isSafe(getMethod());
  }

  /** The last request of the conversation: this one, a redirect's, or one that was sent again. */
  private @Nullable JettyRequest latest() {
    HttpExchange last = getConversation().getExchanges().peekLast();
    return last != null && last.getRequest() instanceof JettyRequest request ? request : null;
  }

  /**
   * Sends a copy of the last request in the same conversation, which answers to the same listeners;
   * after some times only in a while, as a server that refuses all must not be stormed.
   *
   * @return false if the body cannot be sent again
   */
  boolean resend() {
    Throwable lost = connectionLost;
    if (lost == null || !JettyInternals.isOfOneStream(lost)) {
      leaveConnection();
    }
    int times = resent + 1; // by one thread at a time, each after the other
    resent = times;
    Resends counted = resends;
    JettyRequest last = latest();
    if (last == null || (last.getBody() != null && !last.getBody().rewind())) {
      return false;
    }
    HttpRequest again = last.again();
    long pause = counted == null ? 0 : counted.pauseNanos();
    if (pause == 0) {
      resend(again);
    } else {
      Scheduler.Task unused =
          client
              .getScheduler()
              .schedule(
                  () -> client.getExecutor().execute(() -> client.runSender(() -> resend(again))),
                  pause,
                  TimeUnit.NANOSECONDS);
    }
    return true;
  }

  /** Whoever gives up sees the new one in the conversation, or is seen here. */
  private void resend(HttpRequest again) {
    Consumer<Throwable> failer = onAbort;
    try {
      if (gaveUp == null) {
        again.send(null);
      }
    } catch (RuntimeException e) {
      if (failer != null) {
        failer.accept(e);
      }
    }
    Throwable cause = gaveUp;
    if (cause != null) {
      JettyExchange.unheeded(again.abort(cause));
    }
  }

  private HttpRequest again() {
    HttpRequest again = copy(getURI());
    again.headers(
        headers -> {
          headers.clear().add(getHeaders()).remove(HttpHeader.COOKIE); // they are found again
          if (cookieHeader != null) {
            headers.put(HttpHeader.COOKIE, cookieHeader);
          }
        });
    getCookies().forEach(again::cookie);
    getAttributes().forEach(again::attribute);
    return again;
  }

  /** Has the pool forget a connection that is closed and does not say so yet. */
  private void leaveConnection() {
    HttpExchange last = getConversation().getExchanges().peekLast();
    Connection closed = last == null ? null : last.getRequest().getConnection();
    if (last != null && closed != null) {
      last.getHttpDestination().remove(closed);
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** When the total timeout is over; none before the request is sent. */
  Deadline deadline() {
    return deadline;
  }

  /** Until when a connection must have been found. */
  Deadline leaseDeadline() {
    return leaseDeadline;
  }

  /** No connection was found in time. */
  TimeoutException noPlace() {
    return new TimeoutException("no connection within " + leaseTimeoutMillis + " ms");
  }

  /**
   * Says that the caller waits no longer for a connection.
   *
   * @return false if the request has one
   */
  boolean missTurn() {
    return turn.compareAndSet(Turn.AWAITED, Turn.MISSED);
  }

  /** Whether the response comes without its body, as that was too long for Jetty's own use. */
  boolean isBodyDropped() {
    return bodyDropped;
  }

  /** That of the call; no call has one that listeners of the user's wait for. */
  CallEvent event() {
    return event;
  }

  /** The calls of the client that somebody may wait for. */
  Set<JettyExchange<?>> live() {
    return client.live();
  }

  /** Whether it is this connection that the request, as it was sent last, has. */
  boolean isOn(Connection connection) {
    JettyRequest last = latest();
    return last != null && connection.equals(last.getConnection());
  }

  /** Whether it has left the queue. */
  boolean hasConnection() {
    return turn.get() == Turn.CAME;
  }

  /** Whether the request has been sent to its end. */
  boolean isSent() {
    return sent;
  }
}
