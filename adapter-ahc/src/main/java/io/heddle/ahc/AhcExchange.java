package io.heddle.ahc;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.asynchttpclient.HttpResponseStatus;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Request;
import org.asynchttpclient.exception.RemotelyClosedException;
import org.asynchttpclient.handler.ProgressAsyncHandler;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.ChannelManager;
import org.asynchttpclient.netty.channel.ChannelState;
import org.asynchttpclient.netty.request.NettyRequest;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through AHC's engine: the handler that the engine calls, and the means to
 * end it. What becomes of the response, the subclasses know.
 *
 * <p>It ends once: when the engine has completed or failed it, or when it is {@linkplain #abandon
 * abandoned}. Then its place in the limits is free. What the engine brings afterwards is dropped.
 *
 * <p>AHC's future closes whatever channel it knows when it is cancelled, and between two steps that
 * may be an HTTP/2 connection that others use. So an exchange is ended on the event loop of its
 * connection, where there is no between: before the request is sent on a shared connection the
 * future is aborted, which leaves channels alone; after that it is cancelled, which closes the
 * connection of HTTP/1.1, or the stream.
 *
 * @param <T> what the engine's future has in the end
 */
abstract class AhcExchange<T> implements ProgressAsyncHandler<T> {

  /** How long a request that asked to continue waits for a word. AHC waits for ever. */
  private static final long CONTINUE_MILLIS = 1000;

  /** How long a connection that is closed may try to say so, to a server that does not read. */
  private static final long FAREWELL_MILLIS = 200;

  /** A connection that had ended before a request was sent on it shows that within this time. */
  private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

  /** Leaves AHC's own retry. */
  private static final class NotResent extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotResent() {
      super("not sent again: the request may have been processed", null, false, false);
    }
  }

  private final BlockingAhcClient client;
  private final Request request;
  private final CallLimits.Permit permit;
  private final @Nullable AhcRequestBody requestBody;
  private final AtomicBoolean over = new AtomicBoolean();

  // Written by the thread that starts it.
  private volatile @Nullable NettyResponseFuture<T> future;

  // Written by an event loop.
  private volatile @Nullable Channel connection;
  private volatile @Nullable Http2StreamChannel stream;
  private volatile boolean multiplexed;
  private volatile boolean pooled;
  private volatile boolean sent;
  private volatile boolean everSent;
  private volatile long sentAt;
  private volatile boolean answered;

  // Event loop only: how many heads of responses have come through.
  private int heads;

  AhcExchange(BlockingAhcClient client, Request request, CallLimits.Permit permit) {
    this.client = client;
    this.permit = permit;
    BodySource source = BodySource.of(request);
    this.requestBody = source == null ? null : new AhcRequestBody(source, this, this::abandon);
    this.request =
        source == null || requestBody == null
            ? request
            : Requests.with(request, requestBody, source);
  }

  // ---- the thread that starts it --------------------------------------------------------------

  /** The request, as the engine gets it. */
  Request request() {
    return request;
  }

  /** The body, if somebody has to write it. */
  @Nullable AhcRequestBody requestBody() {
    return requestBody;
  }

  /** Hands the request to the engine. Does not wait. */
  void start() {
    client.begin(this);
    if (isOver()) {
      return;
    }
    ListenableFuture<T> started = client.engine().executeRequest(request, this);
    if (started instanceof NettyResponseFuture<T> running) {
      future = running;
      if (isOver()) {
        endInEngine();
      } else if (sent && multiplexed) { // the event loop came before it could know the stream
        inEventLoop(this::attachStream);
      } else {
        failIfConnectionIsGone();
      }
    }
  }

  /** A shared connection that ends just before it would be used says nothing, and nor does AHC. */
  private void failIfConnectionIsGone() {
    Channel on = connection;
    if (on != null && pooled && !sent && !on.isActive()) {
      onThrowable(new ClosedChannelException());
    }
  }

  /**
   * Whether a request that failed like this can be sent again without anybody noticing: it never
   * left, or the server refused it, or it is one that changes nothing and met a connection that had
   * come to its end while it lay in the pool.
   */
  boolean mayRestart(Throwable failure) {
    if (client.isClosed() || (requestBody != null && !requestBody.isRepeatable())) {
      return false;
    }
    if (AhcFailures.isRefusedStream(failure)) {
      return true;
    }
    return pooled
        && AhcFailures.isConnectionGone(failure)
        && (!everSent
            || (!answered
                && SAFE.contains(request.getMethod())
                && System.nanoTime() - sentAt < STALE_NANOS));
  }

  // ---- any thread ---------------------------------------------------------------------------

  boolean isOver() {
    return over.get();
  }

  /** Gives the exchange up: its connection is closed, on HTTP/2 its stream. Does not wait. */
  void abandon() {
    if (end()) {
      if (requestBody != null) {
        requestBody.cancel();
      }
      endInEngine();
    }
  }

  /** The client is closed. */
  void close(Throwable why) {
    if (end()) {
      tell(why);
      endInEngine();
    }
  }

  /** Whether this ended it. */
  private boolean end() {
    if (over.compareAndSet(false, true)) {
      permit.leave();
      client.ended(this);
      return true;
    }
    return false;
  }

  private void tell(Throwable failure) {
    if (requestBody != null) {
      requestBody.fail(failure);
    }
    failed(failure);
  }

  private void endInEngine() {
    NettyResponseFuture<T> running = future;
    if (running == null || running.isDone()) {
      return; // in the first case start() will look again
    }
    if (connection == null) {
      running.abort(new CancellationException("the exchange was given up"));
    } else {
      inEventLoop(
          () -> {
            if (sent || !pooled) {
              running.cancel(true);
            } else {
              running.abort(new CancellationException("the exchange was given up"));
            }
          });
    }
  }

  /** The engine's future; null until the engine has one. */
  @Nullable NettyResponseFuture<T> future() {
    return future;
  }

  /** The engine's clock for its read timeout starts anew. */
  public void touch() {
    NettyResponseFuture<T> running = future;
    if (running != null) {
      running.touch();
    }
  }

  /**
   * It is the caller that the exchange waits for, not the server: as long as that is so, the
   * engine's read timeout does not count.
   */
  @SuppressWarnings("FutureReturnValueIgnored")
  void waitsForCaller(BooleanSupplier still) {
    long millis = client.readTimeoutMillis(request);
    Channel on = connection;
    if (millis > 0 && on != null) {
      touch();
      long period = Math.max(10, millis / 3);
      Runnable again =
          new Runnable() {
            @Override
            public void run() {
              if (!isOver() && still.getAsBoolean()) {
                touch();
                on.eventLoop().schedule(this, period, TimeUnit.MILLISECONDS);
              }
            }
          };
      on.eventLoop().schedule(again, period, TimeUnit.MILLISECONDS);
    }
  }

  /** On the event loop of the connection; at once, if this is it. */
  private void inEventLoop(Runnable work) {
    Channel on = connection;
    if (on == null || on.eventLoop().inEventLoop()) {
      work.run();
      return;
    }
    try {
      on.eventLoop().execute(work);
    } catch (RejectedExecutionException e) {
      work.run(); // the client is closed, and the event loop has ended
    }
  }

  /** Once the event loop has done what it is at. */
  private static void inEventLoopLater(Channel on, Runnable work) {
    try {
      on.eventLoop().execute(work);
    } catch (RejectedExecutionException e) {
      work.run(); // the client is closed, and the event loop has ended
    }
  }

  // ---- back pressure ------------------------------------------------------------------------

  /** Reads no more of the response; event loop. */
  void shutGate() {
    Channel of = responseChannel();
    ReadGate gate = of.pipeline().get(ReadGate.class);
    if (gate != null) {
      gate.shut(of);
    }
  }

  /** Reads on, if that is still so then; any thread. */
  void openGateIf(BooleanSupplier still) {
    inEventLoop(
        () -> {
          Channel of = responseChannel();
          ReadGate gate = of.pipeline().get(ReadGate.class);
          if (gate != null && !isOver() && still.getAsBoolean()) {
            touch();
            gate.open(of);
          }
        });
  }

  private Channel responseChannel() {
    Channel of = stream != null ? stream : connection;
    if (of == null) {
      throw new IllegalStateException("a response without a connection");
    }
    return of;
  }

  /** How many heads of responses have come through AHC's interceptors; event loop. */
  int heads() {
    return heads;
  }

  /** Whether the exchange has a connection of its own, which it takes along if it is given up. */
  boolean isAlone() {
    return !multiplexed;
  }

  // ---- engine: on the way to a connection -----------------------------------------------------

  @Override
  public void onHostnameResolutionAttempt(String name) {
    client.resolvingFor(request);
  }

  @Override
  public void onTcpConnectAttempt(InetSocketAddress remoteAddress) {
    pooled = false;
    sent = false;
  }

  /**
   * Now the connection may be read: what the server says first on HTTP/2, AHC takes for an answer
   * to nobody, if it comes before the codec is there. AHC does not notice either if the connection
   * ends before the request is sent.
   */
  @Override
  public void onTcpConnectSuccess(InetSocketAddress remoteAddress, Channel channel) {
    connection = channel;
    ReadGate gate = channel.pipeline().get(ReadGate.class);
    if (gate != null) {
      gate.open(channel);
    }
    channel
        .closeFuture()
        .addListener(
            closed ->
                inEventLoopLater(
                    channel,
                    () -> {
                      if (!sent && channel.equals(connection)) {
                        onThrowable(new ClosedChannelException());
                      }
                    }));
    if (isOver()) {
      endInEngine();
    }
  }

  @Override
  public void onConnectionPooled(Channel channel) {
    sent = false;
    pooled = true;
    connection = channel;
  }

  @Override
  public void onRetry() {
    Channel on = connection;
    NettyResponseFuture<?> running =
        future != null || on == null ? future : Http1Connection.exchange(on);
    if (running != null && running.getChannelState() == ChannelState.RECONNECTED) {
      throw new NotResent();
    }
  }

  /** On the event loop, just before the head is written; on HTTP/2 the stream is open. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored")
  public void onRequestSend(NettyRequest nettyRequest) {
    if (isOver()) {
      throw new CancellationException("the exchange was given up");
    }
    Channel on = connection;
    if (on == null) {
      throw new IllegalStateException("a request without a connection");
    }
    Origin.Lane lane = everSent ? null : permit.lane(); // a redirect may lead to another server
    sentAt = System.nanoTime();
    sent = true;
    everSent = true;
    if (!pooled) {
      SslHandler tls = on.pipeline().get(SslHandler.class);
      if (tls != null) {
        tls.setCloseNotifyFlushTimeoutMillis(FAREWELL_MILLIS);
      }
    }
    multiplexed = ChannelManager.isHttp2(on);
    if (multiplexed) {
      if (requestBody != null) {
        requestBody.multiplexed();
      }
      Http2Connection shared = Http2Connection.of(on);
      if (lane != null) {
        shared.serve(lane, on);
      }
      attachStream();
    } else if (lane != null) {
      lane.notMultiplexed();
    }
    if (nettyRequest
        .getHttpRequest()
        .headers()
        .contains(HttpHeaderNames.EXPECT, HttpHeaderValues.CONTINUE, true)) {
      on.eventLoop().schedule(this::continueAnyway, CONTINUE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void attachStream() {
    NettyResponseFuture<T> running = future;
    if (running != null
        && !isOver()
        && running.channel() instanceof Http2StreamChannel opened
        && !opened.equals(stream)) {
      stream = opened;
      ReadGate gate = new ReadGate();
      opened
          .pipeline()
          .addFirst(ReadGate.NAME, gate)
          .addFirst(Http2Responses.NAME, new Http2Responses(this));
      if (requestBody != null) {
        requestBody.attach(opened, gate);
      }
    }
  }

  private void continueAnyway() {
    NettyResponseFuture<T> running = future;
    if (running == null || isOver() || !running.isDontWriteBodyBecauseExpectContinue()) {
      return;
    }
    if (stream != null) {
      DefaultHttp2Headers goOn = new DefaultHttp2Headers();
      goOn.status("100");
      stream.pipeline().fireChannelRead(new DefaultHttp2HeadersFrame(goOn));
    } else if (connection != null) {
      Http1Connection.continueAnyway(connection);
    }
  }

  // ---- engine: the response -------------------------------------------------------------------

  @Override
  public State onStatusReceived(HttpResponseStatus status) throws Exception {
    answered = true;
    heads++;
    if (requestBody != null && status.getStatusCode() >= 400) {
      requestBody.stop();
    }
    return isOver() ? State.ABORT : State.CONTINUE;
  }

  /** The response is whole, and its connection free. */
  @Override
  public @Nullable T onCompleted() throws Exception {
    if (requestBody != null) {
      requestBody.stop();
    }
    if (!end()) {
      return null;
    }
    try {
      return completed();
    } catch (Throwable t) {
      failed(t);
      throw t;
    }
  }

  @Override
  public void onThrowable(Throwable failure) {
    if (end()) {
      tell(failure instanceof NotResent ? RemotelyClosedException.INSTANCE : failure);
      endInEngine();
    }
  }

  @Override
  public State onHeadersWritten() {
    return State.CONTINUE;
  }

  @Override
  public State onContentWritten() {
    return State.CONTINUE;
  }

  @Override
  public State onContentWriteProgress(long amount, long current, long total) {
    return State.CONTINUE;
  }

  // ---- subclass -----------------------------------------------------------------------------

  /** The response is whole. */
  abstract @Nullable T completed() throws Exception;

  /** The exchange has failed. */
  abstract void failed(Throwable failure);
}
