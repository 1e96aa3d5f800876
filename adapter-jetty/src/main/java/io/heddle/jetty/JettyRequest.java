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
 * or a challenge: what Jetty tells of it on its way. How it comes out of its queue, {@link
 * QueueTurn} knows; what ends it, {@link JettyAbort}; what becomes of the call that it belongs to,
 * {@link JettyCall}.
 */
final class JettyRequest extends ListeningRequest {

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
  private final QueueTurn turn = new QueueTurn();
  private final JettyAbort abort;
  private volatile boolean reused;
  private volatile boolean sent;

  /** Over HTTP/2. */
  private volatile SentHead head = SentHead.NONE;

  JettyRequest(BlockingJettyClient client, HttpConversation conversation, URI uri) {
    super(client, conversation, uri);
    this.client = client;
    this.abort = new JettyAbort(this, client, turn);
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
    if (!sending || turn.hasPlace()) {
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
    turn.took(gate);
  }

  QueueTurn turn() {
    return turn;
  }

  // ---- what Jetty tells ---------------------------------------------------------------------

  @Override
  public void notifyBegin() {
    event().at(Step.HEAD);
    reused = JettyPools.wasThereBefore(getConnection(), queuedAt);
    client.noteUse(getConnection());
    turn.come();
    if (turn.isMissed()) {
      endUnsent(); // as is done elsewhere right now; the sender sees it before it sends
    }
    endWithCall(); // likewise
    turn.leave();
    Request.Content body = getBody();
    tellSocket(body == null ? null : body::fail); // the response may still come
    super.notifyBegin();
  }

  private void endUnsent() {
    Throwable why = turn.noConnection();
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
   * Jetty asks for them last, before it writes a head.
   *
   * @throws HttpRequestException if it must not be written, as whoever says so may not have come to
   *     the sender yet
   */
  @Override
  public @Nullable Supplier<HttpFields> getTrailersSupplier() {
    if (turn.isMissed()) {
      throw new HttpRequestException("there was no connection in time", this);
    }
    Supplier<HttpFields> trailers = super.getTrailersSupplier();
    return getConnection() instanceof HttpConnection ? new SentHead.Mark(this, trailers) : trailers;
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
    QueueGate gate = turn.leave();
    if (gate != null) {
      gate.endUnwanted();
    }
    super.notifyFailure(failure);
  }

  // ---- any thread ---------------------------------------------------------------------------

  @Override
  public CompletableFuture<Boolean> abort(Throwable cause) {
    return abort.abort(cause);
  }

  /** Jetty knows a request for a moment before it knows whom to tell: that is for the caller. */
  CompletableFuture<Boolean> abortInJetty(Throwable cause) {
    try {
      return super.abort(cause);
    } catch (NullPointerException e) {
      if (hasConnection()) {
        throw e;
      }
      return CompletableFuture.completedFuture(true); // it is known as aborted, and not sent
    }
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

  /** The last exchange of the conversation; null if there is none yet. */
  @Nullable HttpExchange exchange() {
    return getConversation().getExchanges().peekLast();
  }

  /** The request of an exchange, if it is one of these. */
  static @Nullable JettyRequest of(@Nullable HttpExchange exchange) {
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

  /** Null if nobody waits. */
  @Nullable JettyCall call() {
    return call;
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

  /** Whether it has left the queue. */
  boolean hasConnection() {
    return turn.hasCome();
  }

  /** Whether nothing of it is on the wire, if Jetty has dropped what was to be written. */
  boolean isUnwritten() {
    return getBody() == null || head.equals(SentHead.NONE);
  }

  /**
   * Whether the server has said, over HTTP/2, that it has not looked at it. Jetty tells that on a
   * thread of its own; another that is about to write the body may find the stream ended, and be
   * first.
   */
  boolean isUnprocessed() {
    SentHead sent = head;
    return sent.isRefused() || sent.isBeyondLast();
  }

  /** Whether that was said of it alone, and its connection goes on. */
  boolean isRefused() {
    return head.isRefused();
  }

  /** Whether it was to go, or went, where the server had probably left before it saw that. */
  boolean mayHaveBeenTooLate(Throwable failure) {
    return (hasConnection() ? reused : JettyInternals.isConnectionLoss(failure))
        && failure instanceof IOException
        && getBody() == null
        && Resends.isSafe(getMethod());
  }

  /** Whether its stream of HTTP/2 has {@linkplain SentHead#hasFailed failed}. */
  boolean hasLostStream() {
    return head.hasFailed();
  }

  /** Whether the response comes without its body, as that was too long for Jetty's own use. */
  boolean isBodyDropped() {
    return abort.isBodyDropped();
  }

  /** Whether the request has been sent to its end. */
  boolean isSent() {
    return sent;
  }
}
