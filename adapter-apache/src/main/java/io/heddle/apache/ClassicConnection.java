package io.heddle.apache;

import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLSession;
import org.apache.hc.client5.http.impl.DefaultClientConnectionReuseStrategy;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpMessage;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.ProtocolVersion;
import org.apache.hc.core5.http.impl.DefaultContentLengthStrategy;
import org.apache.hc.core5.http.impl.io.support.IncomingHttpEntity;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the reactor, or a share in one, in the shape of a blocking connection, as a
 * request executor drives it: on the caller's thread, one exchange at a time.
 *
 * <pre>{@code
 * NONE ──sendRequestHeader──▶ PREPARED ──flush, or its body is long──▶ SUBMITTED ──┐
 *                                ▲                    receiveResponseHeader, until │
 *                                └──sendRequestHeader── ANSWERED ◀── it is final ──┘
 * }</pre>
 */
final class ClassicConnection implements HttpClientConnection {

  private final ApacheEndpoint endpoint;

  // Caller only.
  private Timeout timeout;
  private Deadline callDeadline = Deadline.none();
  private @Nullable Exchange<ApacheExchange.Head> nextHead;
  private ApacheExchange.@Nullable Head head;
  private @Nullable ClassicHttpResponse answer;
  private boolean submitted; // or it failed to be: that is not tried twice

  // Written by the caller, read by any: the last.
  private volatile @Nullable ApacheExchange exchange;

  ClassicConnection(ApacheEndpoint endpoint, Timeout timeout) {
    this.endpoint = endpoint;
    this.timeout = timeout;
  }

  // ---- the endpoint -------------------------------------------------------------------------

  /** Takes the deadline of the call that its next exchanges belong to. */
  Deadline callBegins(HttpContext context) {
    callDeadline = CallDeadline.of(context);
    return callDeadline;
  }

  /** Whether the request that failed is safe to be sent again, and can be. */
  boolean mayGoAgain(ClassicHttpRequest request) {
    ApacheExchange last = exchange;
    if (last == null || !last.isNotProcessed()) {
      return false;
    }
    HttpEntity entity = request.getEntity();
    ApacheRequestBody body = last.requestBody();
    return entity == null || entity.isRepeatable() || body == null || !body.isBegun();
  }

  /** The last exchange, if the server may count its stream although nobody waits for it. */
  @Nullable ApacheExchange leftToServer() {
    ApacheExchange last = exchange;
    return last != null && last.isLeftToServer() ? last : null;
  }

  /** Whether its last response came to its end and has Apache's strategy keep the connection. */
  boolean isFitForReuse() {
    ApacheExchange last = exchange;
    ClassicHttpResponse received = answer;
    return last != null
        && last.isOver()
        && received != null
        && DefaultClientConnectionReuseStrategy.INSTANCE.keepAlive(
            last.request(), received, HttpClientContext.create());
  }

  /** Ends the exchange and tells whoever waits for it why; any thread. */
  void fail(Exception why) {
    ApacheExchange under = exchange;
    if (under != null) {
      under.close(why);
    }
  }

  /** Gives up the exchange under way, if there is one; any thread. */
  void giveUp() {
    ApacheExchange under = exchange;
    if (under == null || under.isOver()) {
      return;
    }
    if (under.isEnded()) {
      under.giveUp(); // the end of the request may be about to be sent
    } else {
      under.close(ApacheFailures.closed(null));
    }
  }

  /** Says what its exchange waits for, if one is under way; before that, the waits say it. */
  void tell(CallReport report) {
    ApacheExchange under = exchange;
    if (under != null && !under.isOver()) {
      under.tell(report, endpoint.route().getTargetHost());
    }
  }

  // ---- HttpClientConnection: what the request executor calls --------------------------------

  @Override
  public void sendRequestHeader(ClassicHttpRequest request) throws IOException, HttpException {
    endpoint.waits().event().at(Step.HEAD);
    if (Thread.currentThread().isInterrupted()) { // nothing is sent
      throw ApacheFailures.interrupted(
          "about to send the request", new InterruptedException("interrupted before the start"));
    }
    if (callDeadline.isExpired()) {
      throw ApacheFailures.timedOut("about to send the request", callDeadline, "", null);
    }
    boolean multiplexed = endpoint.connection().isMultiplexed();
    HttpEntity entity = request.getEntity();
    ApacheExchange under =
        new ApacheExchange(
            multiplexed || request.containsHeader(HttpHeaders.EXPECT)
                ? WireRequest.of(request, multiplexed)
                : request,
            entity,
            entity == null
                ? null
                : new ApacheRequestBody(
                    DefaultContentLengthStrategy.INSTANCE.determineLength(request),
                    multiplexed,
                    endpoint.connection().letsCallerSend(),
                    callDeadline,
                    this::sendBody,
                    this::abortExchange));
    endpoint.begins();
    head = null;
    nextHead = under.firstHead();
    exchange = under;
    submitted = false;
    if (endpoint.isClosed()) { // by another thread, which may have missed the exchange
      throw ApacheFailures.closed(null);
    }
  }

  private ApacheExchange exchange() {
    return Objects.requireNonNull(exchange, "no request was sent");
  }

  @Override
  public void sendRequestEntity(ClassicHttpRequest request) throws IOException {
    HttpEntity entity = request.getEntity();
    ApacheRequestBody body = exchange().requestBody();
    if (entity != null && body != null) {
      body.writeFrom(entity);
    }
  }

  /** The classic executor will not send the body it announced: the server has refused it. */
  @Override
  public void terminateRequest(ClassicHttpRequest request) {
    ApacheRequestBody body = exchange().requestBody();
    if (body != null) {
      body.stop();
    }
  }

  @Override
  public void flush() throws ConnectionClosedException {
    ApacheExchange under = exchange;
    if (under != null && !submitted) {
      submitted = true;
      try {
        endpoint.open().submit(under);
      } catch (ConnectionClosedException e) {
        under.notSubmitted();
        throw e;
      }
    }
  }

  private boolean sendBody() {
    ApacheExchange under = exchange();
    if (submitted) {
      return under.sendMore();
    }
    try {
      flush();
    } catch (ConnectionClosedException e) {
      endpoint.fail(e);
    }
    return true;
  }

  private void abortExchange() {
    exchange().giveUp();
  }

  @Override
  public boolean isDataAvailable(Timeout patience) throws IOException {
    flush();
    Exchange<ApacheExchange.Head> next = Objects.requireNonNull(nextHead);
    try {
      boolean there = next.awaitDone(CallDeadline.after(patience).earlier(callDeadline));
      if (!there && callDeadline.isExpired()) {
        throw ApacheFailures.timedOut("waiting for 100 Continue", callDeadline, "", null);
      }
      return there;
    } catch (InterruptedException e) {
      throw ApacheFailures.interrupted("waiting for 100 Continue", e);
    }
  }

  @Override
  public ClassicHttpResponse receiveResponseHeader() throws IOException, HttpException {
    flush();
    ApacheExchange.Head received;
    try {
      received = Objects.requireNonNull(nextHead).await(readDeadline());
    } catch (InterruptedException | TimeoutException | CancellationException e) {
      throw new ApacheFailures.Wait("waiting for the response", callDeadline, "Read timed out")
          .apply(e);
    } catch (ExecutionException e) {
      throw ApacheFailures.throwBeforeHead(
          Objects.requireNonNull(e.getCause()), endpoint.route().getTargetHost().toHostString());
    }
    head = received;
    nextHead = received.next();
    HttpResponse response = received.response();
    if (nextHead != null) {
      exchange().tookInterim();
    } else {
      boolean multiplexed = endpoint.connection().isMultiplexed();
      endpoint.waits().event().head(response.getCode(), multiplexed ? "HTTP/2" : "HTTP/1.1");
    }
    ClassicHttpResponse classic =
        response instanceof ClassicHttpResponse already ? already : new Http2Response(response);
    answer = classic;
    return classic;
  }

  @Override
  public void receiveResponseEntity(ClassicHttpResponse response) {
    ApacheExchange.Head received = Objects.requireNonNull(head);
    ResponseBodyPipe body = received.body();
    if (body == null) { // an HTTP/2 stream may end with its head
      endpoint.waits().event().completed();
      response.setEntity(new IncomingHttpEntity(InputStream.nullInputStream(), 0, response));
      return;
    }
    body.ends(endpoint.waits().event());
    ApacheResponseBody content = new ApacheResponseBody(this, exchange(), body, received.length());
    response.setEntity(new Entity(content, received.length(), response));
  }

  /** To close it is to close the response, not to want what is left of it. */
  private static final class Entity extends IncomingHttpEntity {
    private final ApacheResponseBody content;

    Entity(ApacheResponseBody content, long length, HttpMessage message) {
      super(content, length, message);
      this.content = content;
    }

    @Override
    public void close() {
      content.closeNow();
    }
  }

  /** How long the caller may wait for the peer from now on. */
  Deadline readDeadline() {
    return timeout.isDisabled() ? callDeadline : CallDeadline.after(timeout).earlier(callDeadline);
  }

  Deadline callDeadline() {
    return callDeadline;
  }

  @Override
  public boolean isConsistent() {
    ApacheExchange last = exchange;
    return last == null || last.isOver();
  }

  @Override
  public boolean isStale() {
    return !isOpen();
  }

  @Override
  public boolean isOpen() {
    return endpoint.isConnected();
  }

  @Override
  public void close() {
    endpoint.close();
  }

  @Override
  public void close(CloseMode closeMode) {
    endpoint.close(closeMode);
  }

  @Override
  public @Nullable EndpointDetails getEndpointDetails() {
    return endpoint.connection().detailsWith(timeout);
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() {
    return endpoint.connection().localAddress();
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() {
    return endpoint.connection().remoteAddress();
  }

  @Override
  public ProtocolVersion getProtocolVersion() {
    return endpoint.connection().protocolVersion();
  }

  @Override
  public @Nullable SSLSession getSSLSession() {
    return endpoint.connection().sslSession();
  }

  @Override
  public Timeout getSocketTimeout() {
    return timeout;
  }

  @Override
  public void setSocketTimeout(@Nullable Timeout timeout) {
    this.timeout = Timeout.defaultsToInfinite(timeout);
  }

  @Override
  public String toString() {
    return endpoint.toString();
  }
}
