package io.heddle.ahc;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.util.List;
import javax.net.ssl.SSLSession;
import org.asynchttpclient.AsyncHandler;
import org.asynchttpclient.AsyncHttpClientConfig.ResponseBodyPartFactory;
import org.asynchttpclient.HttpResponseBodyPart;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.Request;
import org.asynchttpclient.handler.ProgressAsyncHandler;
import org.asynchttpclient.handler.TransferCompletionHandler;
import org.asynchttpclient.netty.request.NettyRequest;
import org.jspecify.annotations.Nullable;

/**
 * An exchange of a {@link HandlerFuture}: the engine calls the handler of the user's on its event
 * loop, as always.
 */
final class HandlerExchange<T> extends AhcExchange<T> implements ProgressAsyncHandler<T> {

  private final AsyncHandler<T> user;
  private final HandlerFuture<T> future;
  private final boolean isLazy; // whether parts are valid during the callback only

  HandlerExchange(
      BlockingAhcClient client,
      Request request,
      AhcLanes.Permit permit,
      AsyncHandler<T> user,
      HandlerFuture<T> future) {
    super(client, request, permit);
    this.user = user;
    this.future = future;
    this.isLazy = client.getConfig().getResponseBodyPartFactory() == ResponseBodyPartFactory.LAZY;
  }

  // ---- engine: the end ------------------------------------------------------------------------

  @Override
  @Nullable T completed() throws Exception {
    T result = user.onCompleted();
    future.complete(result);
    return result;
  }

  @Override
  void failed(Throwable failure) {
    future.failed(this, failure);
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
    return isOver() ? State.ABORT : user.onBodyPartReceived(isLazy ? part : eager(part));
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
