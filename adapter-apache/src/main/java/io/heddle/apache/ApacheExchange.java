package io.heddle.apache;

import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.DeclaredLength;
import io.heddle.core.Exchange;
import io.heddle.core.ResponseBodyPipe;
import io.heddle.core.Waiter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.ContentLengthStrategy;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpStreamResetException;
import org.apache.hc.core5.http.RequestNotExecutedException;
import org.apache.hc.core5.http.impl.DefaultContentLengthStrategy;
import org.apache.hc.core5.http.message.MessageSupport;
import org.apache.hc.core5.http.nio.AsyncClientExchangeHandler;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.nio.DataStreamChannel;
import org.apache.hc.core5.http.nio.RequestChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.H2StreamResetException;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response, as the engine sees it: its callbacks, turned into what a caller
 * waits for. The engine calls on the connection's I/O thread, one call at a time; over HTTP/1.1
 * without TLS on the caller, too, as long as that sends ({@link Http1Session}).
 *
 * <pre>{@code
 *        caller                     I/O thread
 * submit ───────────────────▶ produceRequest
 * ApacheRequestBody.write ──▶ produce …
 * firstHead.await ◀────────── interim …, consumeResponse (held back, then delivered)
 * ResponseBodyPipe.read ◀──── consume …, streamEnd
 *                             failed            from anywhere on: to whoever waits, or will
 * giveUp ───────────────────▶ connection closed, or stream reset; then failed
 *                             releaseResources  always, last
 * }</pre>
 */
final class ApacheExchange implements AsyncClientExchangeHandler {

  /**
   * The head of a response.
   *
   * @param response what came
   * @param body its body, if it has one
   * @param length how long the body is, in bytes; negative if the head does not say, as the engine
   *     has it in {@link ContentLengthStrategy}
   * @param next the head to come, if this is an interim one (RFC 9110, 15.2); else null
   */
  record Head(
      HttpResponse response,
      @Nullable ResponseBodyPipe body,
      long length,
      @Nullable Exchange<Head> next) {}

  /** How many interim responses may wait; a caller that writes does not look at them. */
  private static final int MOST_INTERIM = 32;

  private static final AtomicIntegerFieldUpdater<ApacheExchange> ABORTS =
      AtomicIntegerFieldUpdater.newUpdater(ApacheExchange.class, "aborts");

  private static final AtomicIntegerFieldUpdater<ApacheExchange> INTERIMS =
      AtomicIntegerFieldUpdater.newUpdater(ApacheExchange.class, "interims");

  // Set before the exchange is submitted.
  private final HttpRequest request;
  private final @Nullable EntityDetails requestEntity;
  private final @Nullable ApacheRequestBody requestBody;
  private volatile ReactorSession session;

  // The engine's callbacks only.
  private @Nullable Head finalHead;
  private boolean headCame;
  private int hiddenStatus;
  private boolean refused;
  private boolean started;
  private int streamId;
  private @Nullable DeclaredLength declared;

  // Written by the I/O thread, read by any.
  private volatile Exchange<Head> awaited;
  private volatile @Nullable ResponseBodyPipe responseBody;
  private volatile boolean ended;
  private volatile boolean released;
  private volatile boolean notProcessed;
  private volatile boolean reset;
  private volatile @Nullable List<? extends Header> trailers;
  private volatile @Nullable Cancellable stream;

  // Written by whoever gives up.
  private volatile int aborts; // 1, or 0
  private volatile @Nullable Exception closedFor;

  // Shared, under compare-and-set: how many interim responses wait.
  private volatile int interims;

  private final ResponseDemand demand = new ResponseDemand(this::tell);

  @SuppressWarnings("NullAway.Init") // the session comes with the submission
  ApacheExchange(
      HttpRequest request,
      @Nullable EntityDetails requestEntity,
      @Nullable ApacheRequestBody requestBody) {
    this.request = request;
    this.requestEntity = requestEntity;
    this.requestBody = requestBody;
    this.awaited = nextHead();
  }

  private Exchange<Head> nextHead() {
    Exchange<Head> head = new Exchange<>();
    head.onAbandon(this::giveUp);
    return head;
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Called once, before the engine sees the exchange.
   *
   * @return false if it was given up already, and must not begin
   */
  boolean beginOn(ReactorSession session) {
    this.session = session;
    return !isAborted(); // whoever gives up from now on sees the session
  }

  /** What the engine gives its handle on the stream to, once there is one; HTTP/2 only. */
  CancellableDependency streamHandle() {
    return new CancellableDependency() {
      @Override
      public void setDependency(Cancellable cancellable) {
        stream = cancellable;
      }

      @Override
      public boolean isCancelled() {
        return isAborted();
      }

      @Override
      public boolean cancel() {
        return false;
      }
    };
  }

  /**
   * There is more of the request's body.
   *
   * @return whether this thread, the caller's, has sent what there is room for
   */
  boolean sendMore() {
    return session.sendMore();
  }

  HttpRequest request() {
    return request;
  }

  @Nullable ApacheRequestBody requestBody() {
    return requestBody;
  }

  /**
   * The first head to come; before the exchange is submitted. It is not kept: each leads to the
   * next, and a server may send interim ones for ever.
   */
  Exchange<Head> firstHead() {
    return awaited;
  }

  /** The caller has an interim response that was delivered. */
  void tookInterim() {
    INTERIMS.decrementAndGet(this);
  }

  /** Whether the response came to its end. */
  boolean isEnded() {
    return ended;
  }

  /** Whether request and response came to their end, so that nothing of it is on the wire. */
  boolean isOver() {
    return ended && (requestBody == null || requestBody.isSent());
  }

  /**
   * Whether it failed and the server has not processed the request: it said so, or nothing of the
   * request was sent.
   */
  boolean isNotProcessed() {
    return notProcessed;
  }

  /** The engine never saw it: there is no connection. */
  void notSubmitted() {
    notProcessed = !isAborted();
    released = true; // there is nothing to be reset
  }

  /** Whether this side has sent RST_STREAM. */
  boolean isReset() {
    return reset;
  }

  /** Whether the server may have its stream, and something to send there, without a caller. */
  boolean isLeftToServer() {
    return !ended && (reset || !released);
  }

  /** The trailers of the response, once it ended; else, or if it has none, null. */
  @Nullable List<? extends Header> trailers() {
    return trailers;
  }

  // ---- any thread ---------------------------------------------------------------------------

  /**
   * The caller will not wait for the rest: ends the exchange, and on HTTP/2 no other. Does not
   * wait. Any number of times.
   */
  void giveUp() {
    if (!isOver() && ABORTS.compareAndSet(this, 0, 1)) {
      ReactorSession on = session;
      if (on != null) {
        on.abort(this);
      }
    }
  }

  private boolean isAborted() {
    return aborts > 0;
  }

  /**
   * Ends the exchange from outside, and tells those who wait for it why, before the engine does.
   */
  void close(Exception why) {
    closedFor = why;
    tell(why);
    giveUp();
  }

  private void tell(Exception why) {
    awaited.fail(why); // wakes the caller that waits for a head
    if (requestBody != null) {
      requestBody.fail(why); // wakes the caller in write
    }
    ResponseBodyPipe body = responseBody;
    if (body != null) {
      body.fail(why); // wakes the caller in read
    }
  }

  /** Says what its caller waits for. */
  void tell(CallReport report, HttpHost target) {
    Thread reader = Waiter.waiterAt(responseBody);
    Thread asker = Waiter.waiterAt(awaited, requestBody == null ? null : requestBody.pipe());
    Step waitsFor = reader != null ? Step.BODY : asker != null ? Step.HEAD : null;
    report.add(
        waitsFor,
        request.getMethod() + " " + target.toHostString(),
        reader != null ? reader : asker);
  }

  // ---- the engine's callbacks, in the order in which they come -----------------------------

  @Override
  public void produceRequest(RequestChannel channel, HttpContext context)
      throws HttpException, IOException {
    started = true;
    session.starting(this);
    channel.sendRequest(request, requestEntity, context);
    if (isAborted()) { // while it waited for its turn
      session.abort(this);
    }
  }

  /** The connection broke before a byte of the request was written. */
  void neverSent() {
    started = false;
  }

  @Override
  public int available() {
    return requestBody == null ? 0 : requestBody.available();
  }

  @Override
  public void produce(DataStreamChannel channel) throws IOException {
    if (requestBody != null) {
      requestBody.produce(channel);
    }
  }

  /** An interim response, which is handed to the caller as a blocking connection would. */
  void interim(HttpResponse response) {
    if (interims == MOST_INTERIM) {
      return; // nobody looks; a client may ignore them (RFC 9110, 15.2)
    }
    INTERIMS.incrementAndGet(this);
    Exchange<Head> now = awaited;
    Exchange<Head> next = nextHead();
    awaited = next;
    now.complete(new Head(response, null, 0, next)); // wakes the caller that waits for a head
    Exception why = closedFor;
    if (why != null) {
      next.fail(why);
    }
  }

  @Override
  public void consumeInformation(HttpResponse response, HttpContext context) {
    interim(response);
  }

  @Override
  public void consumeResponse(
      HttpResponse response, @Nullable EntityDetails entity, HttpContext context)
      throws IOException {
    if (hiddenStatus > 0) {
      response.setCode(hiddenStatus);
    }
    long length = entity == null ? 0 : entity.getContentLength();
    if (session.connection.isMultiplexed()) { // where the engine does not look at the header
      length = declaredLength(response);
      declared = new DeclaredLength(length);
    }
    boolean cutShort = entity == null && length > 0;
    ResponseBodyPipe body = null;
    if (entity != null || cutShort) {
      body = new ResponseBodyPipe(session.window, length, demand, this::giveUp);
      responseBody = body;
      Exception why = closedFor;
      if (why != null) {
        body.fail(why);
      }
    } else {
      session.responseEnds();
      ended = true;
    }
    if (requestBody != null && response.getCode() >= 300) {
      refused = true;
      requestBody.answered();
    }
    finalHead = new Head(response, body, length, null);
    headCame = true;
    session.holdBack(this);
    if (cutShort) {
      throw tooShort(Objects.requireNonNull(declared));
    }
    if (ended) {
      refuseRest();
    }
  }

  /**
   * The head of a response is about to be given to the engine, over HTTP/1.1. To a status of 300 or
   * more the engine would put an end to the request's body, as if it were whole, and send no more
   * of it, for which some servers wait: so it does not get to see such a status before it has the
   * body.
   */
  void hideStatus(HttpResponse response) {
    int status = response.getCode();
    if (requestBody != null && requestBody.isUnderWay() && status >= 300 && status != 304) {
      hiddenStatus = status;
      response.setCode(200);
    }
  }

  /** The response is complete: without the rest of the request, if that will not be sent. */
  private void refuseRest() throws IOException {
    if (requestBody == null) {
      return;
    }
    if (refused) {
      requestBody.stop();
    }
    if (requestBody.isStopped()) {
      session.refuseRest();
    }
  }

  /** What Content-Length says of the body that this response has; else negative. */
  private long declaredLength(HttpResponse response) throws IOException {
    if (!MessageSupport.canResponseHaveBody(request.getMethod(), response)) {
      return ContentLengthStrategy.UNDEFINED; // then it is of another body (RFC 9110, 8.6)
    }
    try {
      return DefaultContentLengthStrategy.INSTANCE.determineLength(response);
    } catch (HttpException e) {
      throw malformed(e);
    }
  }

  /** As the engine says it on HTTP/1.1. */
  private IOException tooShort(DeclaredLength length) {
    return malformed(
        new ConnectionClosedException(
            "Premature end of Content-Length delimited message body (expected: %d; received: %d)",
            length.declared(), length.counted()));
  }

  /**
   * The response is not what it says (RFC 9113, 8.1.1): ends this exchange.
   *
   * @param why what its caller gets
   * @return what makes the engine reset this stream, and no other
   */
  private IOException malformed(Exception why) {
    deliverHead(); // it came before
    tell(why);
    return new H2StreamResetException(H2Error.PROTOCOL_ERROR, why.getMessage());
  }

  /** What came with the head is worked through. */
  void deliverHead() {
    Head head = finalHead;
    if (head != null) {
      finalHead = null;
      awaited.complete(head); // wakes the caller that waits for a head
    }
  }

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    demand.goesTo(channel);
  }

  @Override
  public void consume(ByteBuffer src) throws IOException {
    ResponseBodyPipe body = responseBody;
    int bytes = src.remaining();
    if (body == null || bytes == 0) {
      return;
    }
    if (declared != null && !declared.admits(bytes)) {
      throw malformed(new ClientProtocolException("malformed response: " + declared));
    }
    session.handOn(src, body);
    if (requestBody != null && requestBody.isBeingWritten() && !demand.takeAhead(bytes)) {
      close(
          new ConnectionClosedException(
              "the server has sent more than %d bytes of its response while the request was still"
                  + " being written, and a blocking client reads only once it has written: send"
                  + " less in one request, or let the server read it all before it answers",
              ResponseDemand.MOST_AHEAD));
    }
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers) throws IOException {
    if (declared != null && !declared.isReached()) {
      throw tooShort(declared);
    }
    this.trailers = trailers;
    session.responseEnds();
    ended = true;
    ResponseBodyPipe body = responseBody;
    if (body != null) {
      body.end(); // wakes the caller in read
    }
    refuseRest();
  }

  @Override
  public void failed(Exception cause) {
    deliverHead(); // it came before the failure
    Exception first = session.firstFailure(cause);
    if (!started || isRefusal(cause)) { // the first to tell knows; more may follow
      notProcessed = true;
    }
    if (!(cause instanceof HttpStreamResetException)) { // of the connection, not of this stream
      session.connection.goingAway(); // before a retry looks for one
    }
    tell(first);
  }

  /** Whether the server says that it did not process the request (RFC 9113, 8.7). */
  private boolean isRefusal(Exception cause) {
    return !headCame
        && (cause instanceof RequestNotExecutedException
            || (cause instanceof H2StreamResetException reset
                && reset.getCode() == H2Error.REFUSED_STREAM.getCode()));
  }

  /** The engine drops the exchange. */
  @Override
  public void cancel() {
    failed(new ConnectionClosedException());
  }

  @Override
  public void releaseResources() {
    released = true;
    deliverHead();
    session.ended(this);
    if (requestBody != null) {
      requestBody.stop(); // the server ended the stream before the request (RFC 9113, 8.1)
    }
    if (!ended) {
      if (!started) {
        notProcessed = true;
      }
      tell(new ConnectionClosedException());
    }
  }

  /** Whether the final head came. */
  boolean hasHead() {
    return headCame;
  }

  boolean isReleased() {
    return released;
  }

  /** The number of its HTTP/2 stream; 0 as long as its request is not sent. */
  int streamId() {
    return streamId;
  }

  void onStream(int streamId) {
    this.streamId = streamId;
  }

  /** RST_STREAM is about to be sent. */
  void onReset() {
    reset = true;
  }

  /** Tells the engine that the next frame on this stream is to make it reset the stream. */
  void cancelStream() {
    Cancellable handle = stream;
    if (handle != null) {
      handle.cancel();
    }
  }
}
