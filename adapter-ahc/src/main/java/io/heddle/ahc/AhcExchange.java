package io.heddle.ahc;

import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.CallSite;
import io.heddle.core.Lanes.Lane;
import io.heddle.core.Waiter;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.asynchttpclient.AsyncHandler;
import org.asynchttpclient.HttpResponseBodyPart;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Request;
import org.asynchttpclient.exception.RemotelyClosedException;
import org.asynchttpclient.netty.EagerResponseBodyPart;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.request.NettyRequest;
import org.asynchttpclient.request.body.generator.FeedableBodyGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through AHC's engine: the handler that the engine calls, and the means to
 * end it. What becomes of the response, the subclasses know.
 *
 * <p>It ends once: when the engine has completed or failed it, or when it is {@linkplain #abort
 * aborted}. Then its place in the limits is free; that among the streams of its server once its
 * stream counts no longer, as the server would refuse one too many. What the engine brings
 * afterwards is dropped. Where in the engine it is, and how it is ended there, its {@link
 * AhcChannel} knows.
 *
 * <pre>{@code
 * LIVE ──onCompleted─────▶ OVER   whoever waits gets the result
 *   ├────onThrowable─────▶ OVER   he gets the failure; what is left in the engine is ended
 *   └──────abort, close──▶ OVER   the connection is closed, or the stream reset
 * }</pre>
 *
 * @param <T> what the engine's future has in the end
 */
abstract class AhcExchange<T> implements AsyncHandler<T> {

  /** How long a request that asked to continue waits for a word. AHC waits for ever. */
  private static final long CONTINUE_MILLIS = 1000;

  /** Leaves AHC's own retry. */
  private static final class NotResent extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotResent() {
      super("not sent again: the request may have been processed", null, false, false);
    }
  }

  private final BlockingAhcClient client;
  private final Request request;
  private final AhcLanes.Permit permit;
  private final @Nullable AhcRequestBody requestBody;
  private final AhcChannel channel = new AhcChannel(this);
  private final AtomicBoolean over = new AtomicBoolean();

  // Written by an event loop, or the thread that starts it.
  private volatile boolean answered;
  private volatile boolean refused;
  private volatile Step step = Step.CONNECTION;

  // Event loop only: whether the server has refused, and wants no more of the request.
  private boolean unwanted;

  /**
   * An exchange that has this place, and gives it back when it is over.
   *
   * @throws IllegalArgumentException if the body of the request is none; the place is back then
   */
  AhcExchange(BlockingAhcClient client, Request request, AhcLanes.Permit permit) {
    this.client = client;
    this.permit = permit;
    boolean sound = false;
    try {
      WritableBody body = WritableBody.of(request, client.getConfig().getChunkedFileChunkSize());
      if (body != null) {
        this.requestBody = new AhcRequestBody(body, this);
        this.request = Requests.with(request, requestBody, body.contentType());
      } else {
        this.requestBody = null;
        this.request =
            request.getBodyGenerator() instanceof FeedableBodyGenerator users
                ? Requests.with(
                    request, new FedBody(users, WritableBody.declaredLength(request), this), null)
                : request;
      }
      sound = true;
    } finally {
      if (!sound) {
        permit.leave();
      }
    }
  }

  // ---- the thread that starts it --------------------------------------------------------------

  /** The request, as the engine gets it. */
  Request request() {
    return request;
  }

  /** That of its call. */
  CallEvent event() {
    return permit.event();
  }

  /** The body, if somebody has to write it. */
  @Nullable AhcRequestBody requestBody() {
    return requestBody;
  }

  /** Hands the request to the engine. Does not wait. */
  void start() {
    mark(Step.CONNECTION);
    client.begin(this);
    if (isOver()) {
      client.ended(this);
      return;
    }
    try {
      ListenableFuture<T> started = client.engine().client().executeRequest(request, this);
      if (started instanceof NettyResponseFuture<T> running) {
        channel.started(running);
      }
    } catch (Throwable e) { // an Error of a hook of the user's: it must not keep the place
      abort();
      throw e;
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  boolean isOver() {
    return over.get();
  }

  /**
   * Aborts the exchange: its connection is closed, on HTTP/2 its stream. Does not wait.
   *
   * @return whether this ended it
   */
  boolean abort() {
    boolean ended = giveUp();
    if (ended && requestBody != null) {
      requestBody.pipe().cancel();
    }
    return ended;
  }

  /** It was given up, or has failed, because nothing came in time. */
  void timedOut() {
    channel.leg().timedOut(permit.lane());
  }

  /** It fails, once the event loop has done what it is at. */
  void failLater(Throwable failure) {
    channel.leg().later(() -> onThrowable(failure));
  }

  /** The client is closed. */
  void close(Throwable why) {
    permit.event().cancels();
    if (giveUp()) {
      tell(why);
    }
  }

  private boolean giveUp() {
    boolean ended = end();
    if (ended) {
      channel.end();
      leave(false);
    }
    return ended;
  }

  /** Passes the place on, after whatever ends the stream. */
  private void leave(boolean completed) {
    boolean whole =
        completed && !unwanted && (requestBody == null || requestBody.attempt().isWritten());
    channel.leave(permit::leave, completed, whole);
  }

  /** Whether this ended it. */
  private boolean end() {
    if (over.compareAndSet(false, true)) {
      permit.end();
      client.ended(this);
      channel.ended();
      return true;
    }
    return false;
  }

  private void mark(Step now) {
    step = now;
    permit.event().at(now);
  }

  /** Says what it waits for, if anybody waits for it. */
  void tell(CallReport report) {
    Thread writer = Waiter.waiterAt(requestBody == null ? null : requestBody.pipe());
    Thread waiter = writer == null ? waiter() : writer;
    Step at = writer == null ? step : Step.HEAD; // also where the server has answered early
    report.add(
        waiter == null && this instanceof BlockingExchange ? null : at,
        request.getMethod() + " " + request.getUri().getHost() + ":" + request.getUri().getPort(),
        waiter);
  }

  private void tell(Throwable failure) {
    if (requestBody != null) {
      requestBody.pipe().fail(failure);
    }
    failed(failure);
  }

  /** Where in the engine it is. */
  AhcChannel channel() {
    return channel;
  }

  /**
   * It is the caller that the exchange waits for, not the server: as long as that {@linkplain
   * #isWaitingForCaller is so}, the engine's read timeout does not count. Event loop.
   */
  void waitsForCaller() {
    channel.touchWhileCallerIsAwaited(client.requests().readTimeoutMillis(request));
  }

  /** Whether the engine has no more to send, or must not read on, until the caller acts. */
  final boolean isWaitingForCaller() {
    return (requestBody != null && requestBody.attempt().isAwaited()) || isBodyUnread();
  }

  /** Whether the server has done nothing about the request. */
  boolean isRefused() {
    return refused;
  }

  /** Whether a response has begun that AHC does not follow, to the request that was sent last. */
  boolean isAnswered() {
    return answered;
  }

  /** What the engine hears: whether it goes on with the response. */
  final State goesOn() {
    return isOver() ? State.ABORT : State.CONTINUE;
  }

  // ---- engine: on the way to a connection -----------------------------------------------------

  @Override
  public void onHostnameResolutionAttempt(String name) {
    mark(Step.NAME);
    client.engine().resolvingFor(request);
  }

  @Override
  public void onTcpConnectAttempt(InetSocketAddress remoteAddress) {
    mark(Step.CONNECTION);
    channel.connecting();
  }

  @Override
  public void onTcpConnectSuccess(InetSocketAddress remoteAddress, Channel connection) {
    channel.connected(connection);
    if (isOver()) {
      channel.end();
    }
  }

  @Override
  public void onConnectionPooled(Channel connection) {
    channel.pooled(connection);
  }

  @Override
  public void onRetry() {
    if (channel.isReconnecting()) {
      throw new NotResent();
    }
  }

  @Override
  public void onRequestSend(NettyRequest nettyRequest) {
    mark(Step.HEAD);
    if (isOver()) {
      channel.leg().dropUnsent(nettyRequest);
      return;
    }
    boolean isTunnel = // to a proxy, before the request itself
        nettyRequest.getHttpRequest().method().equals(HttpMethod.CONNECT)
            && !request.getMethod().equals("CONNECT");
    answered = false;
    channel.sending(permit, isTunnel);
    if (nettyRequest
        .getHttpRequest()
        .headers()
        .contains(HttpHeaderNames.EXPECT, HttpHeaderValues.CONTINUE, true)) {
      channel.continueAnywayIn(CONTINUE_MILLIS);
    }
  }

  /** The server has done nothing about the request, and never will: RFC 9113, 6.8. */
  void refused() {
    refused = true;
  }

  // ---- engine: the response -------------------------------------------------------------------

  @Override
  public State onStatusReceived(HttpResponseStatus status) throws Exception {
    permit
        .event()
        .head(
            status.getStatusCode(), status.getProtocolMajorVersion() == 2 ? "HTTP/2" : "HTTP/1.1");
    step = Step.BODY;
    answered = true;
    unwanted = status.getStatusCode() >= 400;
    if (requestBody != null && unwanted) {
      requestBody.pipe().answered();
    }
    return goesOn();
  }

  /** The bytes of a part, for longer than this callback. */
  static HttpResponseBodyPart eager(HttpResponseBodyPart part) {
    return part instanceof EagerResponseBodyPart
        ? part
        : new EagerResponseBodyPart(part.getBodyByteBuf(), part.isLast());
  }

  /** The response is whole, and its connection free. */
  @Override
  public @Nullable T onCompleted() throws Exception {
    if (requestBody != null) {
      requestBody.pipe().stop();
    }
    if (!end()) {
      return null;
    }
    leave(true);
    try {
      return completed();
    } catch (Throwable t) {
      failed(t);
      throw t;
    }
  }

  @Override
  public void onThrowable(Throwable failure) {
    fails(
        AhcInternals.mayBeEndAsStreamOpens(failure) && channel.leg().mayNotOpen()
            ? CallSite.caused(new ClosedChannelException(), failure)
            : failure);
  }

  private void fails(Throwable failure) {
    Lane lane = permit.lane();
    if (lane != null
        && !isOver()
        && !channel.isEverSent()
        && !SentAgain.isRefused(
            this, failure) // which says nothing of the server, and it goes again
        && !AhcInternals.isRequestTimeout(failure)) {
      lane.failed(failure); // before its place passes on to the next who waits
    }
    if (failure instanceof TimeoutException && !isOver()) {
      timedOut(); // likewise: no other call goes that way
    }
    if (AhcFailures.isConnectionGone(failure) && channel.leg().isUnprocessed()) {
      refused();
    }
    if (giveUp()) {
      tell(failure instanceof NotResent ? RemotelyClosedException.INSTANCE : failure);
    }
  }

  // ---- subclass -----------------------------------------------------------------------------

  /** The thread that waits for it at this moment; null if none does. */
  @Nullable Thread waiter() {
    return null;
  }

  /** The response is whole. */
  abstract @Nullable T completed() throws Exception;

  /** The exchange has failed. */
  abstract void failed(Throwable failure);

  /** Whether so much of the response is here that the server is held back. */
  boolean isBodyUnread() {
    return false;
  }
}
