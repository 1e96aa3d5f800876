package io.heddle.ahc;

import io.heddle.core.Resends;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLSession;
import org.asynchttpclient.AsyncHandler;
import org.asynchttpclient.HttpResponseBodyPart;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.Request;
import org.asynchttpclient.handler.ProgressAsyncHandler;
import org.asynchttpclient.handler.TransferCompletionHandler;
import org.asynchttpclient.netty.EagerResponseBodyPart;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.request.NettyRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An exchange with a handler of the user's, which the engine calls on its event loop as always, and
 * with a future.
 */
final class HandlerExchange<T> extends AhcExchange<T> implements AhcFuture.Control {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerExchange.class);

  private final BlockingAhcClient client;
  private final Request asked;
  private final AsyncHandler<T> user;
  private final CompletableFuture<T> outcome;
  private final int retries;
  private final Resends resends;

  // Set before it starts.
  private @Nullable AhcFuture<T> future;

  HandlerExchange(
      BlockingAhcClient client,
      Request request,
      CallLimits.Permit permit,
      AsyncHandler<T> user,
      CompletableFuture<T> outcome,
      int retries,
      Resends resends) {
    super(client, request, permit);
    this.client = client;
    this.asked = request;
    this.user = user;
    this.outcome = outcome;
    this.retries = retries;
    this.resends = resends;
  }

  /** Starts it, for this future. */
  void start(AhcFuture<T> of) {
    future = of;
    of.control(this);
    start();
    AhcRequestBody body = requestBody();
    if (body != null && !isOver()) {
      body.writeElsewhere();
    }
  }

  // ---- future -------------------------------------------------------------------------------

  @Override
  public void cancel() {
    if (abandon()) {
      tellUser(new CancellationException());
    }
  }

  @Override
  public void abort(Throwable failure) {
    if (abandon()) {
      outcome.completeExceptionally(failure);
      tellUser(failure);
    }
  }

  @Override
  public void touch() {
    channel().touch();
  }

  @Override
  public void done() {
    NettyResponseFuture<?> running = channel().future();
    if (running != null) {
      running.done();
    }
  }

  // ---- engine: the end ------------------------------------------------------------------------

  @Override
  @SuppressWarnings("NullAway") // a handler may complete with null
  @Nullable T completed() throws Exception {
    T result = user.onCompleted();
    outcome.complete(result);
    return result;
  }

  @Override
  void failed(Throwable failure) {
    AhcFuture<T> of = future;
    if (of != null && retries > 0 && !outcome.isDone() && mayRestart(failure)) {
      Thread.ofVirtual()
          .name("heddle-ahc-retry")
          .inheritInheritableThreadLocals(false)
          .start(() -> restart(of, failure)); // it may have to wait
      return;
    }
    outcome.completeExceptionally(failure); // unless the future was cancelled just now
    tellUser(failure);
  }

  private void restart(AhcFuture<T> of, Throwable failure) {
    try {
      boolean refused = isRefused(failure);
      if (refused && !resends.unprocessed()) {
        outcome.completeExceptionally(failure);
        tellUser(failure);
        return;
      }
      resends.pause();
      user.onRetry();
      client.start(
          again(asked), user, of, outcome, refused ? retries : retries - 1, resends, event());
    } catch (Throwable e) { // an Error of a hook of the user's, too: nobody else would hear of it
      outcome.completeExceptionally(e);
      tellUser(e);
    }
  }

  /** What the handler itself throws then, nobody can be told; AHC logs it for debugging. */
  private void tellUser(Throwable failure) {
    try {
      user.onThrowable(failure);
    } catch (Throwable e) {
      LOG.debug("a handler has failed in onThrowable", e);
    }
  }

  // ---- engine: all the rest goes to the user's handler ----------------------------------------

  @Override
  public State onStatusReceived(HttpResponseStatus status) throws Exception {
    State state = super.onStatusReceived(status);
    return state == State.ABORT ? state : user.onStatusReceived(status);
  }

  @Override
  public State onHeadersReceived(HttpHeaders headers) throws Exception {
    return isOver() ? State.ABORT : user.onHeadersReceived(headers);
  }

  @Override
  public State onBodyPartReceived(HttpResponseBodyPart part) throws Exception {
    if (isOver()) {
      return State.ABORT;
    }
    return user.onBodyPartReceived(
        client.settings().isLazy() || part instanceof EagerResponseBodyPart
            ? part
            : new EagerResponseBodyPart(part.getBodyByteBuf(), part.isLast()));
  }

  @Override
  public State onTrailingHeadersReceived(HttpHeaders headers) throws Exception {
    return isOver() ? State.ABORT : user.onTrailingHeadersReceived(headers);
  }

  @Override
  public void onHostnameResolutionAttempt(String name) {
    user.onHostnameResolutionAttempt(name);
    super.onHostnameResolutionAttempt(name); // last: what it leaves is for the very next call
  }

  @Override
  public void onHostnameResolutionSuccess(String name, List<InetSocketAddress> addresses) {
    user.onHostnameResolutionSuccess(name, addresses);
  }

  @Override
  public void onHostnameResolutionFailure(String name, Throwable cause) {
    user.onHostnameResolutionFailure(name, cause);
  }

  @Override
  public void onTcpConnectAttempt(InetSocketAddress remoteAddress) {
    super.onTcpConnectAttempt(remoteAddress);
    user.onTcpConnectAttempt(remoteAddress);
  }

  @Override
  public void onTcpConnectSuccess(InetSocketAddress remoteAddress, Channel channel) {
    super.onTcpConnectSuccess(remoteAddress, channel);
    user.onTcpConnectSuccess(remoteAddress, channel);
  }

  @Override
  public void onTcpConnectFailure(InetSocketAddress remoteAddress, Throwable cause) {
    user.onTcpConnectFailure(remoteAddress, cause);
  }

  @Override
  public void onTlsHandshakeAttempt() {
    user.onTlsHandshakeAttempt();
  }

  @Override
  public void onTlsHandshakeSuccess(SSLSession session) {
    user.onTlsHandshakeSuccess(session);
  }

  @Override
  public void onTlsHandshakeFailure(Throwable cause) {
    user.onTlsHandshakeFailure(cause);
  }

  @Override
  public void onConnectionPoolAttempt() {
    user.onConnectionPoolAttempt();
  }

  @Override
  public void onConnectionPooled(Channel channel) {
    super.onConnectionPooled(channel);
    user.onConnectionPooled(channel);
  }

  @Override
  public void onConnectionOffer(Channel channel) {
    user.onConnectionOffer(channel);
  }

  @Override
  public void onRequestSend(NettyRequest nettyRequest) {
    super.onRequestSend(nettyRequest);
    if (isOver()) {
      return;
    }
    user.onRequestSend(nettyRequest);
    if (user instanceof TransferCompletionHandler transfer) { // as AHC does, where it sees one
      transfer.headers(new DefaultHttpHeaders().set(nettyRequest.getHttpRequest().headers()));
    }
  }

  @Override
  public void onRetry() {
    super.onRetry();
    user.onRetry();
  }

  @Override
  public State onHeadersWritten() {
    return user instanceof ProgressAsyncHandler<?> progress
        ? progress.onHeadersWritten()
        : State.CONTINUE;
  }

  @Override
  public State onContentWritten() {
    return user instanceof ProgressAsyncHandler<?> progress
        ? progress.onContentWritten()
        : State.CONTINUE;
  }

  @Override
  public State onContentWriteProgress(long amount, long current, long total) {
    return user instanceof ProgressAsyncHandler<?> progress
        ? progress.onContentWriteProgress(amount, current, total)
        : State.CONTINUE;
  }
}
