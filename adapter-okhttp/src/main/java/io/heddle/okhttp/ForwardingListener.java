package io.heddle.okhttp;

import io.heddle.core.CallEvent.Step;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.util.List;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Dispatcher;
import okhttp3.EventListener;
import okhttp3.Handshake;
import okhttp3.HttpUrl;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Passes each event on to the user's own listener: at once what OkHttp tells on the caller's
 * thread, or on one of its own; by {@link #tell} what a worker may have to say. On the way the call
 * learns what it waits for, and the {@link PrefaceGate} what its thread is about to do.
 */
abstract class ForwardingListener extends EventListener {

  final EventListener user;

  ForwardingListener(EventListener user) {
    this.user = user;
  }

  /** Has the user's listener told, on the caller. */
  abstract void tell(Runnable event);

  /** The call waits for this now; null for nothing. */
  abstract void mark(@Nullable Step step);

  // ---- by the caller --------------------------------------------------------------------------

  @Override
  public void dispatcherQueueStart(Call of, Dispatcher dispatcher) {
    user.dispatcherQueueStart(of, dispatcher);
  }

  @Override
  public void dispatcherQueueEnd(Call of, Dispatcher dispatcher) {
    user.dispatcherQueueEnd(of, dispatcher);
  }

  @Override
  public void proxySelectStart(Call of, HttpUrl url) {
    user.proxySelectStart(of, url);
  }

  @Override
  public void proxySelectEnd(Call of, HttpUrl url, List<Proxy> proxies) {
    user.proxySelectEnd(of, url, proxies);
  }

  @Override
  public void dnsStart(Call of, String domainName) {
    mark(Step.NAME);
    user.dnsStart(of, domainName);
  }

  @Override
  public void dnsEnd(Call of, String domainName, List<InetAddress> addresses) {
    user.dnsEnd(of, domainName, addresses);
  }

  @Override
  public void connectStart(Call of, InetSocketAddress address, Proxy proxy) {
    mark(Step.CONNECTION);
    user.connectStart(of, address, proxy);
  }

  @Override
  public void secureConnectStart(Call of) {
    user.secureConnectStart(of);
  }

  @Override
  public void secureConnectEnd(Call of, @Nullable Handshake handshake) {
    user.secureConnectEnd(of, handshake);
    PrefaceGate.enter();
  }

  @Override
  public void connectEnd(
      Call of, InetSocketAddress address, Proxy proxy, @Nullable Protocol protocol) {
    PrefaceGate.leave();
    user.connectEnd(of, address, proxy, protocol);
  }

  @Override
  public void connectFailed(
      Call of,
      InetSocketAddress address,
      Proxy proxy,
      @Nullable Protocol protocol,
      IOException failure) {
    PrefaceGate.leave();
    user.connectFailed(of, address, proxy, protocol, failure);
  }

  @Override
  public void connectionAcquired(Call of, Connection connection) {
    user.connectionAcquired(of, connection);
  }

  @Override
  public void satisfactionFailure(Call of, Response response) {
    user.satisfactionFailure(of, response);
  }

  @Override
  public void cacheHit(Call of, Response response) {
    user.cacheHit(of, response);
  }

  @Override
  public void cacheMiss(Call of) {
    user.cacheMiss(of);
  }

  @Override
  public void cacheConditionalHit(Call of, Response cached) {
    user.cacheConditionalHit(of, cached);
  }

  @Override
  public void retryDecision(Call of, IOException failure, boolean retry) {
    user.retryDecision(of, failure, retry);
  }

  @Override
  public void followUpDecision(Call of, Response response, @Nullable Request next) {
    user.followUpDecision(of, response, next);
  }

  // ---- of an exchange: on a worker, if there is one -------------------------------------------

  @Override
  public void requestHeadersStart(Call of) {
    mark(Step.HEAD);
    tell(() -> user.requestHeadersStart(of));
  }

  @Override
  public void requestHeadersEnd(Call of, Request request) {
    tell(() -> user.requestHeadersEnd(of, OkHttpRequestBody.asMade(request)));
  }

  @Override
  public void requestBodyStart(Call of) {
    tell(() -> user.requestBodyStart(of));
  }

  @Override
  public void requestBodyEnd(Call of, long byteCount) {
    tell(() -> user.requestBodyEnd(of, byteCount));
  }

  @Override
  public void requestFailed(Call of, IOException failure) {
    tell(() -> user.requestFailed(of, failure));
  }

  @Override
  public void responseHeadersStart(Call of) {
    tell(() -> user.responseHeadersStart(of));
  }

  @Override
  public void responseHeadersEnd(Call of, Response response) {
    tell(() -> user.responseHeadersEnd(of, OkHttpRequestBody.asMade(response)));
  }

  @Override
  public void responseBodyStart(Call of) {
    tell(() -> user.responseBodyStart(of));
  }

  @Override
  public void responseBodyEnd(Call of, long byteCount) {
    tell(() -> user.responseBodyEnd(of, byteCount));
  }

  @Override
  public void responseFailed(Call of, IOException failure) {
    tell(() -> user.responseFailed(of, failure));
  }

  @Override
  public void connectionReleased(Call of, Connection connection) {
    tell(() -> user.connectionReleased(of, connection));
  }
}
