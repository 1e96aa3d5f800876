package io.heddle.jetty;

import io.heddle.IoThread;
import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.Resends;
import io.heddle.core.Waiter;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.HttpRequestException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpConnection;
import org.eclipse.jetty.client.transport.HttpConversation;
import org.eclipse.jetty.client.transport.HttpExchange;
import org.eclipse.jetty.client.transport.HttpRequest;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.util.Promise;
import org.jspecify.annotations.Nullable;

/**
 * A request whose {@link #send()} keeps Heddle's promises, as do the copies that follow a redirect
 * or a challenge: how it comes out of its queue, what Jetty tells of it on its way, and how it is
 * aborted. What becomes of the call that it belongs to, {@link JettyCall} knows.
 */
final class JettyRequest extends ListeningRequest {

  /**
   * How far a request has come on its way out of the queue. Whoever is first decides: the failure
   * of a connection that it waited for is not that of a request which has found another.
   *
   * <pre>{@code
   * AWAITED ──Jetty begins it──────────────▶ CAME    it has a connection, and may have been sent
   *    ├──────its caller leaves────────────▶ MISSED  it must not be sent
   *    └──────no connection could be made──▶ MISSED  likewise; if it may go again, a copy does
   * }</pre>
   */
  private enum Turn {
    AWAITED,
    CAME,
    MISSED
  }

  private final BlockingJettyClient client;

  // Caller only, until it is sent.
  private long timeoutNanos;
  private boolean userCode;

  // Whoever sends it, while it does.
  private boolean sending;
  private @Nullable Deadline patience;
  private @Nullable String cookieHeader;
  private volatile long queuedAt;

  /** The call that it belongs to; none if nobody waits. */
  private volatile @Nullable JettyCall call;

  // Shared.
  private final AtomicReference<@Nullable QueueGate> place = new AtomicReference<>();
  private final AtomicReference<Turn> turn = new AtomicReference<>(Turn.AWAITED);
  private final AtomicReference<@Nullable Throwable> noConnection = new AtomicReference<>();
  private volatile boolean reused;
  private volatile boolean bodyDropped;
  private volatile boolean sent;
  private volatile boolean cut; // by the end of its connection

  /** Over HTTP/2, once its head has gone out. */
  private volatile @Nullable SentHead head;

  JettyRequest(BlockingJettyClient client, HttpConversation conversation, URI uri) {
    super(client, conversation, uri);
    this.client = client;
  }

  @Override
  protected HttpRequest copyInstance(URI newUri) {
    JettyRequest copy = new JettyRequest(client, getConversation(), newUri);
    copy.call = call;
    return copy;
  }

  // ---- caller -------------------------------------------------------------------------------

  @Override
  void noteCode(@Nullable Object code) {
    userCode |= UserCode.mayBlock(code);
    client.userCode().note(code);
  }

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

  @Override
  public ContentResponse send() throws InterruptedException, TimeoutException, ExecutionException {
    IoThread.forbidWaiting();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before the request was sent");
    }
    JettyExchange exchange = new JettyExchange(this::giveUp);
    WholeResponse listener = new WholeResponse(this, exchange, client.getMaxContentLength());
    JettyCall begun = begin(listener::fail);
    exchange.sentBy(begun);
    try {
      ContentResponse response = listener.await();
      begun.event().completed();
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
      begun.event().end(CallEvent.End.FAILED); // where it could not be sent
    }
  }

  @Override
  public void send(Response.@Nullable CompleteListener listener) {
    JettyCall of = call;
    if (listener instanceof WholeResponse && of != null) { // from the method above
      of.start(listener);
    } else if (listener instanceof BlockingResponseListener blocking) {
      IoThread.forbidWaiting();
      noteCode(listener); // which may be of a subclass
      JettyCall begun = begin(blocking::fail);
      blocking.sentBy(begun);
      begun.start(listener);
    } else {
      noteCode(listener);
      enqueue(listener, null); // which nobody would be told of, if it were aborted before
      endWithCall(); // whoever gave that up has seen this, or is seen here, or as it begins
    }
  }

  /** A request that comes of a call that was given up by now, as where a redirect led. */
  private void endWithCall() {
    JettyCall of = call;
    Throwable over = of == null ? null : of.whyGivenUp();
    if (over != null) {
      giveUp(over);
    }
  }

  private JettyCall begin(Consumer<Throwable> failer) {
    JettyCall begun = new JettyCall(client, this, timeoutNanos, failer);
    call = begun;
    return begun;
  }

  // ---- into the queue -----------------------------------------------------------------------

  /**
   * Sends; {@link #takePlace} comes from within.
   *
   * @param patience until when its caller waits for a place in the queue; null if nobody does
   */
  void enqueue(Response.@Nullable CompleteListener listener, @Nullable Deadline patience) {
    Request.Content body = getBody();
    if (!(body instanceof BlockingRequestContent) && UserCode.mayBlock(body)) {
      super.body(new PumpedContent(body)); // read where it holds up nobody
    }
    cookieHeader = getHeaders().get(HttpHeader.COOKIE); // before those of the store come to it
    queuedAt = System.nanoTime();
    this.patience = patience;
    sending = true;
    try {
      super.send(listener);
    } finally {
      sending = false;
    }
  }

  /**
   * Takes a place in the queue, before the request is put there; nothing if somebody else asks for
   * the destination of a request.
   *
   * @throws CancellationException if there was none for as long as the caller could wait; the
   *     request is aborted
   */
  void takePlace(QueueGate gate) {
    Deadline until = patience;
    if (!sending || place.get() != null) {
      return;
    }
    if (until == null) {
      gate.enterAnyway();
    } else {
      event().at(Step.PLACE);
      try {
        gate.enter(until);
      } catch (TimeoutException e) {
        giveUp(expired());
        throw new CancellationException("no place in the queue");
      } catch (InterruptedException e) {
        giveUp(e);
        Thread.currentThread().interrupt(); // until the caller waits for the exchange
        throw new CancellationException("interrupted while waiting for a place in the queue");
      }
    }
    event().at(Step.CONNECTION);
    place.set(gate);
  }

  private @Nullable QueueGate leavePlace() {
    QueueGate gate = place.getAndSet(null);
    if (gate != null) {
      gate.leave();
    }
    return gate;
  }

  /** Says that its caller waits no longer for a connection; false if the request has one. */
  boolean missTurn() {
    return turn.compareAndExchange(Turn.AWAITED, Turn.MISSED) != Turn.CAME;
  }

  /** Says why there will be none; false if the request has one, or was told of another reason. */
  boolean missTurn(Throwable why) {
    return noConnection.compareAndSet(null, why) && turn.compareAndSet(Turn.AWAITED, Turn.MISSED);
  }

  // ---- what Jetty tells ---------------------------------------------------------------------

  @Override
  public void notifyBegin() {
    event().at(Step.HEAD);
    reused = JettyPools.wasThereBefore(getConnection(), queuedAt);
    client.noteUse(getConnection());
    if (!turn.compareAndSet(Turn.AWAITED, Turn.CAME) && hasMissedTurn()) {
      endUnsent(); // as is done elsewhere right now; the sender sees it before it sends
    }
    endWithCall(); // likewise
    leavePlace();
    Request.Content body = getBody();
    tellSocket(body == null ? null : body::fail); // the response may still come
    super.notifyBegin();
  }

  private void endUnsent() {
    Throwable why = noConnection.get();
    HttpExchange on = exchange();
    if (why != null && on != null) {
      on.abort(why, Promise.noop());
    } else {
      giveUp(expired());
    }
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

  /**
   * Stands, over HTTP/2, where Jetty keeps the trailers of a request's head, so that {@link
   * Http2Session} knows whose head it sees go out.
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

  /**
   * Jetty asks for them last, before it writes a head.
   *
   * @throws HttpRequestException if it must not be written, as whoever says so may not have come to
   *     the sender yet
   */
  @Override
  public @Nullable Supplier<HttpFields> getTrailersSupplier() {
    if (hasMissedTurn()) {
      throw new HttpRequestException("there was no connection in time", this);
    }
    Supplier<HttpFields> trailers = super.getTrailersSupplier();
    return getConnection() instanceof HttpConnection ? new Head(this, trailers) : trailers;
  }

  /** What became of a stream of HTTP/2 after the head of a request went out on it. */
  interface SentHead {
    boolean hasFailed();

    /** Whether the server has reset it, and says that it has not looked at it. */
    boolean isRefused();

    /** Whether its number is beyond those that the server processes, as a GOAWAY says. */
    boolean isBeyondLast();
  }

  /** Its head is about to be written. */
  void goesOut(SentHead now) {
    head = now;
  }

  /** A server that is asked whether to continue and never says is not waited for for ever. */
  @Override
  public void notifyCommit() {
    super.notifyCommit();
    if (getBody() != null && getHeaders().contains(HttpHeader.EXPECT, "100-continue")) {
      client.later(client.getContinueTimeout().toNanos(), TimeUnit.NANOSECONDS, this::proceed);
    }
  }

  /** Sends the body; does nothing if it was sent meanwhile, or refused, or the exchange ended. */
  private void proceed() {
    HttpExchange exchange = exchange();
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

  // ---- any thread ---------------------------------------------------------------------------

  /**
   * The caller is told at once, whatever the exchange may be waiting for.
   *
   * <p>What ends with its connection, or as there is none, is one exchange: Jetty would abort the
   * last of the conversation, which by then may be a redirect's, on another connection. If it was
   * answered with a redirect, Jetty follows that, whatever is missing of the request or of the
   * answer.
   *
   * <p>Where the timer of its connection says that a total timeout is over, and this request's is
   * not, it is that of the request before it, which has ended by itself.
   */
  @Override
  public CompletableFuture<Boolean> abort(Throwable cause) {
    if ((JettyInternals.isTotalTimeout(cause) && hasTime() && JettyInternals.isCalledByTimer())
        || cause instanceof ConnectAttempt.Unwanted // this one is wanted
        || (hasConnection() && ConnectAttempt.isFailing(cause)) // it has found another by now
        || (hasMissedTurn() && cause instanceof HttpRequestException)) { // it got one too late
      return CompletableFuture.completedFuture(false);
    }
    JettyCall of = call;
    boolean lost = JettyInternals.isRefused(cause) || JettyInternals.isConnectionLoss(cause);
    HttpExchange on = exchange();
    JettyRequest last = of(on);
    boolean over = last != null && last != this && JettyInternals.isJettys(cause);
    if (over || (lost && (cut || getAbortCause() != null))) {
      return CompletableFuture.completedFuture(false); // its call goes on elsewhere
    }
    boolean tooLong = isHandlersLimit(cause);
    if (tooLong) {
      bodyDropped = true;
    }
    boolean forGood = !tooLong && !(lost && of != null && of.judge(cause));
    boolean unsent = ConnectAttempt.isFailing(cause);
    if (unsent && !missTurn(cause)) { // it has found one right now
      return CompletableFuture.completedFuture(false);
    }
    if (last != null && (cause instanceof TimeoutException || deadline().isExpired())) {
      client.noteTimeout(last.getConnection());
    }
    boolean ofConnection = unsent || (hasConnection() && JettyInternals.isJettys(cause));
    HttpExchange alone = ofConnection && last == this ? on : null;
    if (forGood && of != null && (alone == null || !lost)) {
      of.gaveUp(cause);
    }
    CompletableFuture<Boolean> aborted;
    if (alone != null) {
      cut = true;
      aborted = Promise.Completable.with(promise -> alone.abort(cause, promise));
      boolean wasOver = aborted.isDone() && !aborted.join();
      boolean isFollowed = alone.getResponseFailure() == null || (forGood && latest() != this);
      if (wasOver || (lost && isFollowed)) {
        if (of != null) {
          of.goesOn(cause);
        }
        return aborted;
      }
    } else {
      aborted = abortInJetty(cause);
    }
    if (forGood && of != null) {
      of.gaveUp(cause);
    }
    last = latest();
    if (forGood && last != null && last != this) {
      aborted = last.abort(cause); // Jetty aborts a request once only, and it may have, before
    }
    failWriter(cause);
    if (forGood && of != null) {
      of.fail(cause);
    }
    return aborted;
  }

  /** Whether Jetty's count of the total timeout is not over, or has not begun. */
  private boolean hasTime() {
    long until = getTimeoutNanoTime();
    return until == Long.MAX_VALUE || until - System.nanoTime() > 0;
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

  /**
   * Whether one of Jetty's protocol handlers, which asks for credentials say, has had enough of the
   * body of a response. It then goes on without, and may send the request again.
   */
  private boolean isHandlersLimit(Throwable cause) {
    HttpExchange last = exchange();
    return JettyInternals.isTooLongForHandler(cause)
        && last != null
        && client.findProtocolHandler(last.getRequest(), last.getResponse()) != null;
  }

  /** Whether one of Jetty's protocol handlers takes this response to the request. */
  boolean isHandled(Response response) {
    return client.findProtocolHandler(this, response) != null;
  }

  /** Where whoever writes its body waits; null if nobody does. */
  @Nullable Waiter upload() {
    return getBody() instanceof BlockingRequestContent content ? content.pipe() : null;
  }

  /** Jetty tells a body only once the request is queued: its writer may wait. */
  void failWriter(Throwable cause) {
    if (getBody() instanceof BlockingRequestContent content) {
      content.fail(cause);
    }
  }

  /** Aborts the request without waiting for that. */
  void giveUp(Throwable cause) {
    JettyExchange.unheeded(abort(cause));
  }

  /** The last request of the conversation: this one, a redirect's, or one that was sent again. */
  @Nullable JettyRequest latest() {
    return of(exchange());
  }

  private @Nullable HttpExchange exchange() {
    return getConversation().getExchanges().peekLast();
  }

  private static @Nullable JettyRequest of(@Nullable HttpExchange exchange) {
    return exchange != null && exchange.getRequest() instanceof JettyRequest request
        ? request
        : null;
  }

  /** Has the pool forget a connection that is closed and does not say so yet. */
  void leaveConnection() {
    HttpExchange last = exchange();
    Connection closed = getConnection();
    if (last != null && closed != null) {
      last.getHttpDestination().remove(closed);
    }
  }

  /** A copy that can be sent in its place. */
  JettyRequest again() {
    JettyRequest again = (JettyRequest) copy(getURI());
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

  // ---- what is asked of it ------------------------------------------------------------------

  /** When the total timeout is over; none before the request is sent. */
  Deadline deadline() {
    JettyCall of = call;
    return of == null ? Deadline.none() : of.deadline();
  }

  private CallEvent event() {
    JettyCall of = call;
    return of == null ? CallEvent.OFF : of.event();
  }

  /** The total timeout is over, or there was no connection in time. */
  TimeoutException expired() {
    return deadline().isExpired()
        ? JettyFailures.totalTimeout(this)
        : JettyFailures.noConnection(client.getQueueTimeout());
  }

  /** Whether listeners or other code of the user's wait for what becomes of it. */
  boolean hasUserCode() {
    return userCode;
  }

  private boolean hasMissedTurn() {
    return turn.get() == Turn.MISSED;
  }

  /** Whether it has left the queue. */
  boolean hasConnection() {
    return turn.get() == Turn.CAME;
  }

  /** Whether nothing of it is on the wire, if Jetty has dropped what was to be written. */
  boolean isUnwritten() {
    return getBody() == null || head == null;
  }

  /**
   * Whether the server has said, over HTTP/2, that it has not looked at it. Jetty tells that on a
   * thread of its own; another that is about to write the body may find the stream ended, and be
   * first.
   */
  boolean isUnprocessed() {
    SentHead sent = head;
    return sent != null && (sent.isRefused() || sent.isBeyondLast());
  }

  /** Whether that was said of it alone, and its connection goes on. */
  boolean isRefused() {
    SentHead sent = head;
    return sent != null && sent.isRefused();
  }

  /** Whether it was to go, or went, where the server had probably left before it saw that. */
  boolean mayHaveBeenTooLate(Throwable failure) {
    return (hasConnection() ? reused : JettyInternals.isConnectionLoss(failure))
        && failure instanceof IOException
        && getBody() == null
        && Resends.isSafe(getMethod());
  }

  /**
   * Whether its stream of HTTP/2 has failed. Jetty then drops what it has of the response, but not
   * the response's end, if that had come.
   */
  boolean hasLostStream() {
    SentHead sent = head;
    return sent != null && sent.hasFailed();
  }

  /** Whether the response comes without its body, as that was too long for Jetty's own use. */
  boolean isBodyDropped() {
    return bodyDropped;
  }

  /** Whether the request has been sent to its end. */
  boolean isSent() {
    return sent;
  }
}
