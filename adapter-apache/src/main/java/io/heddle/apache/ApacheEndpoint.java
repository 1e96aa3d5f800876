package io.heddle.apache;

import io.heddle.IoThread;
import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.Resends;
import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLSession;
import org.apache.hc.client5.http.EndpointInfo;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.impl.ConnectionHolder;
import org.apache.hc.client5.http.impl.DefaultClientConnectionReuseStrategy;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.HttpConnection;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpMessage;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.ProtocolVersion;
import org.apache.hc.core5.http.impl.DefaultContentLengthStrategy;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.impl.io.support.IncomingHttpEntity;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Identifiable;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A lease: a connection of the reactor, or a share in one, in the shape of a blocking connection.
 *
 * <p>The classic chain drives it from one thread, the caller's: {@link #execute} once or more, one
 * exchange at a time. {@link #close} may come from any thread. Over HTTP/2 it ends this lease's
 * exchange and leaves the connection, which others use.
 */
final class ApacheEndpoint extends ConnectionEndpoint
    implements HttpClientConnection, ConnectionHolder, Identifiable {

  private static final VarHandle LEASE;

  static {
    try {
      LEASE = MethodHandles.lookup().findVarHandle(ApacheEndpoint.class, "lease", Lease.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long number;
  private final Thread caller = Thread.currentThread();
  private final HttpRoute route;
  private final CancellableWaits waits;
  private final Connector connector;

  // Caller only.
  private Timeout timeout;
  private Deadline callDeadline = Deadline.none();
  private boolean submitted;
  private boolean entityAsked;
  private @Nullable ApacheRequestBody requestBody;
  private @Nullable Exchange<ApacheExchange.Head> nextHead;
  private ApacheExchange.@Nullable Head head;
  private @Nullable ClassicHttpResponse answer;

  // Written by the caller, read by any.
  private volatile @Nullable Lease lease;
  private volatile @Nullable ApacheExchange exchange;
  private volatile boolean closed;

  // How the classic chain says that a connection must not be used again: it closes the endpoint
  // immediately. It closes it gracefully first where it is only the response that is given up.
  private volatile boolean dropped;
  private volatile boolean givenUp;

  /**
   * A lease of this thread's.
   *
   * @param number of leases that one thread has, the last has the highest
   * @param lease what to give back at its end
   * @param timeout how long to wait for the peer, where the request does not say
   * @param waits for what a connection takes
   * @param connector gives it a connection again, if it lost its own
   */
  ApacheEndpoint(
      long number,
      HttpRoute route,
      Lease lease,
      Timeout timeout,
      CancellableWaits waits,
      Connector connector) {
    this.number = number;
    this.route = route;
    this.lease = lease;
    this.timeout = timeout;
    this.waits = waits;
    this.connector = connector;
  }

  /** The connection manager, in so far as it connects a lease that was connected before. */
  @FunctionalInterface
  interface Connector {
    void connect(ApacheEndpoint endpoint, HttpContext context) throws IOException;
  }

  // ---- the connection manager ---------------------------------------------------------------

  long number() {
    return number;
  }

  /** Who has leased it. */
  Thread caller() {
    return caller;
  }

  HttpRoute route() {
    return route;
  }

  /** What is leased, or null after its end. */
  @Nullable Lease lease() {
    return lease;
  }

  /** The end of the lease. Returns it once; later null. */
  @Nullable Lease detach() {
    return (Lease) LEASE.getAndSet(this, null);
  }

  /** The waits of {@code connect}, which end when the endpoint is closed or released. */
  CancellableWaits waits() {
    return waits;
  }

  /**
   * There is a connection to begin an exchange on.
   *
   * @return false if the first of the two leases was released meanwhile, by another thread
   */
  boolean connected(Lease before, Lease now) {
    if (!replace(before, now)) {
      return false;
    }
    closed = false;
    return true;
  }

  /**
   * The lease becomes another.
   *
   * @return false if the first of the two was released meanwhile, by another thread
   */
  boolean replace(Lease before, Lease now) {
    return LEASE.compareAndSet(this, before, now);
  }

  /**
   * Whether a {@code ConnectionReuseStrategy} of the user's wants the connection not to be used
   * again: the classic chain closes the endpoint of a response that came to its end, and Apache's
   * own strategy is not why.
   */
  boolean isReuseRefused() {
    ApacheExchange last = exchange;
    ClassicHttpResponse received = answer;
    return dropped
        && last != null
        && last.isOver()
        && received != null
        && DefaultClientConnectionReuseStrategy.INSTANCE.keepAlive(
            last.request(), received, HttpClientContext.create());
  }

  /** Whether it was closed, and not connected since. */
  boolean isClosed() {
    return closed;
  }

  /** Ends the lease's exchange and tells whoever waits for it why; any thread. */
  void fail(Exception why) {
    closed = true;
    waits.event().cancels();
    ApacheExchange under = exchange;
    if (under != null) {
      under.close(why);
    }
  }

  private ReactorConnection connection() throws ConnectionClosedException {
    Lease of = lease;
    ReactorConnection connection = of == null ? null : of.connection();
    if (connection == null || closed) {
      throw new ConnectionClosedException();
    }
    return connection;
  }

  private @Nullable ReactorConnection connectionOrNull() {
    Lease of = lease;
    return of == null ? null : of.connection();
  }

  private boolean isMultiplexed() {
    ReactorConnection connection = connectionOrNull();
    return connection != null && connection.isMultiplexed();
  }

  // ---- ConnectionEndpoint: what the classic chain calls -------------------------------------

  @Override
  @Deprecated
  public ClassicHttpResponse execute(
      String id, ClassicHttpRequest request, HttpRequestExecutor executor, HttpContext context)
      throws IOException, HttpException {
    return execute(id, request, (r, conn, c) -> executor.execute(r, conn, c), context);
  }

  @Override
  public ClassicHttpResponse execute(
      String id, ClassicHttpRequest request, RequestExecutor executor, HttpContext context)
      throws IOException, HttpException {
    IoThread.forbidWaiting();
    CallEvent event = waits.next();
    HttpHost target = route.getTargetHost();
    event.request(request.getMethod(), target.getHostName(), target.getPort());
    try {
      ClassicHttpResponse response = executeInTime(request, executor, context);
      if (response.getEntity() == null) {
        event.completed();
      }
      return response;
    } catch (Throwable t) {
      event.failed(t);
      throw t;
    }
  }

  private ClassicHttpResponse executeInTime(
      ClassicHttpRequest request, RequestExecutor executor, HttpContext context)
      throws IOException, HttpException {
    ReactorConnection connection = connection();
    callDeadline = CallDeadline.of(context);
    HttpClientContext clientContext = HttpClientContext.cast(context);
    clientContext.setProtocolVersion(connection.getProtocolVersion());
    Resends resends = new Resends(callDeadline);
    for (; ; ) {
      try {
        return executor.execute(request, this, context);
      } catch (IOException e) {
        if (!mayGoAgain(request) || !resends.unprocessed()) {
          NoResponseCause.keep(e, context);
          throw e;
        }
        pause(resends.pauseNanos());
        if (!isConnected()) {
          if (route.isTunnelled()) {
            throw e; // only the classic chain can make the tunnel
          }
          connector.connect(this, context);
        }
        clientContext.setProtocolVersion(connection().getProtocolVersion());
      }
    }
  }

  /** Whether the request that failed is safe to be sent again, and can be. */
  private boolean mayGoAgain(ClassicHttpRequest request) {
    ApacheExchange last = exchange;
    HttpEntity entity = request.getEntity();
    return last != null
        && last.isNotProcessed()
        && (entity == null || entity.isRepeatable() || !entityAsked);
  }

  private void pause(long nanos) throws IOException {
    if (nanos > 0) {
      try {
        waits.await(Step.HEAD, new Exchange<>(), Deadline.afterNanos(nanos).earlier(callDeadline));
      } catch (TimeoutException over) {
        return;
      } catch (InterruptedException | CancellationException | ExecutionException e) {
        throw new ApacheFailures.Wait("waiting to send the request again", callDeadline, "")
            .apply(e);
      }
    }
  }

  @Override
  public boolean isConnected() {
    ReactorConnection connection = connectionOrNull();
    return !closed && connection != null && connection.isUsable();
  }

  @Override
  public void setSocketTimeout(@Nullable Timeout timeout) {
    this.timeout = Timeout.defaultsToInfinite(timeout);
  }

  @Override
  public @Nullable EndpointInfo getInfo() {
    ReactorConnection connection = connectionOrNull();
    return connection != null && connection.isOpen()
        ? new EndpointInfo(connection.getProtocolVersion(), connection.getSSLSession())
        : null;
  }

  @Override
  public void close() {
    close(CloseMode.GRACEFUL);
  }

  @Override
  public void close(CloseMode closeMode) {
    boolean shared = isMultiplexed();
    if (closeMode == CloseMode.GRACEFUL) {
      givenUp = true;
    }
    dropped = !givenUp;
    if (!caller.equals(Thread.currentThread())) {
      waits.event().cancels();
    }
    if (!shared) {
      closed = true; // before the look at the exchange: one that begins now sees it
    }
    waits.cancelCurrent();
    giveUpExchange();
    if (!shared) {
      ReactorConnection connection = connectionOrNull();
      if (connection != null) {
        connection.close(closeMode);
      }
    }
  }

  /** Gives up the exchange under way, if there is one; any thread. */
  void giveUpExchange() {
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

  // ---- HttpClientConnection: what the request executor calls --------------------------------

  @Override
  public void sendRequestHeader(ClassicHttpRequest request) throws IOException, HttpException {
    waits.event().at(Step.HEAD);
    if (Thread.currentThread().isInterrupted()) { // nothing is sent
      throw ApacheFailures.interrupted(
          "about to send the request", new InterruptedException("interrupted before the start"));
    }
    if (callDeadline.isExpired()) {
      throw ApacheFailures.timedOut("about to send the request", callDeadline, "", null);
    }
    boolean multiplexed = isMultiplexed();
    HttpEntity entity = request.getEntity();
    ApacheRequestBody body = null;
    if (entity != null) {
      body =
          new ApacheRequestBody(
              DefaultContentLengthStrategy.INSTANCE.determineLength(request),
              callDeadline,
              this::sendBody,
              this::giveUp);
    }
    ApacheExchange under =
        new ApacheExchange(
            multiplexed || request.containsHeader(HttpHeaders.EXPECT)
                ? WireRequest.of(request, multiplexed)
                : request,
            entity,
            body);
    submitted = false;
    entityAsked = false;
    givenUp = false;
    dropped = false;
    requestBody = body;
    head = null;
    nextHead = under.firstHead();
    exchange = under;
    if (closed) { // by another thread, which may have missed the exchange
      throw ApacheFailures.closed(null);
    }
  }

  @Override
  public void sendRequestEntity(ClassicHttpRequest request) throws IOException {
    HttpEntity entity = request.getEntity();
    ApacheRequestBody body = requestBody;
    if (entity != null && body != null) {
      entityAsked = true;
      body.writeFrom(entity);
    }
  }

  /** The classic executor will not send the body it announced: the server has refused it. */
  @Override
  public void terminateRequest(ClassicHttpRequest request) {
    if (requestBody != null) {
      requestBody.stop();
    }
  }

  @Override
  public void flush() throws ConnectionClosedException {
    submit();
  }

  private void submit() throws ConnectionClosedException {
    ApacheExchange under = exchange;
    if (!submitted && under != null) {
      submitted = true;
      try {
        connection().submit(under);
      } catch (ConnectionClosedException e) {
        under.notSubmitted();
        throw e;
      }
    }
  }

  private boolean sendBody() {
    ApacheExchange under = exchange;
    if (submitted && under != null) {
      return under.sendMore();
    }
    try {
      submit();
    } catch (ConnectionClosedException e) {
      fail(e);
    }
    return true;
  }

  private void giveUp() {
    ApacheExchange under = exchange;
    if (under != null) {
      under.giveUp();
    }
  }

  @Override
  public boolean isDataAvailable(Timeout patience) throws IOException {
    submit();
    Exchange<ApacheExchange.Head> next = Objects.requireNonNull(nextHead);
    try {
      boolean there = next.awaitDone(deadlineOf(patience).earlier(callDeadline));
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
    submit();
    ApacheExchange.Head received;
    try {
      received = Objects.requireNonNull(nextHead).await(readDeadline());
    } catch (InterruptedException | TimeoutException | CancellationException e) {
      throw new ApacheFailures.Wait("waiting for the response", callDeadline, "Read timed out")
          .apply(e);
    } catch (ExecutionException e) {
      throw ApacheFailures.throwBeforeHead(
          Objects.requireNonNull(e.getCause()), route.getTargetHost().toHostString());
    }
    head = received;
    nextHead = received.next();
    if (nextHead != null) {
      Objects.requireNonNull(exchange).tookInterim();
    } else {
      int status = received.response().getCode();
      waits.event().head(status, isMultiplexed() ? "HTTP/2" : "HTTP/1.1");
    }
    HttpResponse response = received.response();
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
      waits.event().completed();
      response.setEntity(new IncomingHttpEntity(InputStream.nullInputStream(), 0, response));
      return;
    }
    body.ends(waits.event());
    ApacheResponseBody content =
        new ApacheResponseBody(this, Objects.requireNonNull(exchange), body, received.length());
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
      content.abandon();
    }
  }

  /** How long the caller may wait for the peer from now on. */
  Deadline readDeadline() {
    return timeout.isDisabled() ? callDeadline : deadlineOf(timeout).earlier(callDeadline);
  }

  Deadline callDeadline() {
    return callDeadline;
  }

  private static Deadline deadlineOf(Timeout timeout) {
    return timeout.isDisabled()
        ? Deadline.none()
        : Deadline.afterNanos(Math.max(0, timeout.toNanoseconds()));
  }

  @Override
  public boolean isConsistent() {
    ApacheExchange last = exchange;
    return last == null || last.isOver();
  }

  @Override
  public boolean isStale() {
    return !isConnected();
  }

  @Override
  public boolean isOpen() {
    return isConnected();
  }

  @Override
  public @Nullable EndpointDetails getEndpointDetails() {
    ReactorConnection connection = connectionOrNull();
    return connection == null ? null : connection.detailsWith(timeout);
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() {
    ReactorConnection connection = connectionOrNull();
    return connection == null ? null : connection.getLocalAddress();
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() {
    ReactorConnection connection = connectionOrNull();
    return connection == null ? null : connection.getRemoteAddress();
  }

  @Override
  public ProtocolVersion getProtocolVersion() {
    ReactorConnection connection = connectionOrNull();
    return connection == null ? HttpVersion.HTTP_1_1 : connection.getProtocolVersion();
  }

  @Override
  public @Nullable SSLSession getSSLSession() {
    ReactorConnection connection = connectionOrNull();
    return connection == null ? null : connection.getSSLSession();
  }

  @Override
  public Timeout getSocketTimeout() {
    return timeout;
  }

  /** Says what its exchange waits for, if it has one; what comes before that, its waits say. */
  void tell(CallReport report) {
    ApacheExchange under = exchange;
    if (under != null && !under.isOver()) {
      under.tell(report, route.getTargetHost());
    }
  }

  // ---- ConnectionHolder, Identifiable -------------------------------------------------------

  @Override
  public @Nullable HttpConnection get() {
    return connectionOrNull() == null ? null : this;
  }

  @Override
  public String getId() {
    return "ep-" + number;
  }

  @Override
  public String toString() {
    return getId() + "[" + route + ", " + lease + "]";
  }
}
