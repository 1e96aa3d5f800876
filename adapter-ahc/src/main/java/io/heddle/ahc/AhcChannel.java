package io.heddle.ahc;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.ssl.SslHandler;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.ChannelManager;
import org.asynchttpclient.netty.channel.ChannelState;
import org.asynchttpclient.netty.channel.Channels;
import org.asynchttpclient.netty.request.NettyRequest;
import org.jspecify.annotations.Nullable;

/**
 * What one exchange has of the engine: its future, the connection that it is on, and on HTTP/2 its
 * stream there.
 *
 * <pre>{@code
 * nowhere ──connected──▶ on a new connection ──sending──▶ sent ──redirect, challenge──┐
 *    └──────pooled─────▶ on one that was there ──────┘      ▲                         │
 *                                                           └──(any of the two)───────┘
 * }</pre>
 *
 * <p><b>To end it.</b> AHC's future closes whatever channel it knows when it is cancelled, and
 * between two steps that may be an HTTP/2 connection that others use. So an exchange is ended on
 * the event loop of its connection, where there is no between: before the request is sent on a
 * shared connection the future is aborted, which leaves channels alone; after that it is cancelled,
 * which closes the connection of HTTP/1.1, or the stream.
 *
 * <p><b>To find the stream.</b> Only the engine's future knows it, and the engine hands that to the
 * thread that starts the exchange; the event loop may be faster, and send the request before. Then
 * it reads nothing from that connection until the starting thread has come back with the future, so
 * that no answer comes to a stream that has no gate yet.
 */
final class AhcChannel {

  /** How long a connection that is closed may try to say so, to a server that does not read. */
  private static final long FAREWELL_MILLIS = 200;

  /** A connection that had ended before a request was sent on it shows that within this time. */
  private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AhcExchange<?> exchange;

  // Written by the thread that starts the exchange.
  private volatile @Nullable NettyResponseFuture<?> future;
  private volatile boolean returned;

  // Written by an event loop, `connection` and `pooled` also by the thread that starts it.
  private volatile @Nullable Channel connection;
  private volatile @Nullable Http2StreamChannel stream;
  private volatile boolean multiplexed;
  private volatile boolean pooled;
  private volatile boolean sent;
  private volatile boolean everSent;
  private volatile boolean written;
  private volatile long sentAt;
  private volatile boolean idle;
  private volatile boolean following;
  private volatile @Nullable Http2Connection shared;
  private volatile @Nullable Http2Stream codecs; // the stream, once its head is written

  // Written by an event loop: what keeps the read timeout from counting.
  private volatile @Nullable Future<?> touching;

  // Event loop only: how many times a request was sent.
  private int sends;

  // Event loop only: the connection that is not read until the future is known.
  private @Nullable Http2Connection held;

  AhcChannel(AhcExchange<?> exchange) {
    this.exchange = exchange;
  }

  // ---- the thread that starts the exchange ----------------------------------------------------

  /** The engine has taken the request on. Does not wait. */
  void started(NettyResponseFuture<?> running) {
    future = running;
    if (exchange.isOver()) {
      end();
    } else if (!sent) {
      failIfConnectionIsGone();
    }
  }

  /** The engine has the request, or has refused it: an event loop that waits for that goes on. */
  void returned() {
    returned = true;
    if (sent && multiplexed) { // the event loop was faster
      inEventLoop(
          () -> {
            attachStream();
            readOn();
          });
    }
  }

  /** A shared connection that ends just before it would be used says nothing, and nor does AHC. */
  private void failIfConnectionIsGone() {
    Channel on = connection;
    if (on != null && pooled && !on.isActive()) {
      exchange.onThrowable(new ClosedChannelException());
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** The engine's future; null until the engine has one. */
  @Nullable NettyResponseFuture<?> future() {
    return future;
  }

  /** The request was given up. Does not wait. */
  void end() {
    NettyResponseFuture<?> running = future;
    if (running == null || running.isDone()) {
      return; // in the first case started() will look again
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

  /**
   * The exchange is over, and {@linkplain #end ended} unless it was completed: passes its place on
   * once no stream of it counts any longer. Else the next call's stream could be one too many. Any
   * thread.
   *
   * @param place any number of times
   * @param completed whether the response is whole
   * @param whole whether the request is as well, or nobody knows
   */
  void leave(Runnable place, boolean completed, boolean whole) {
    inEventLoop(
        () -> {
          Http2Connection on = shared;
          Http2Stream of = codecs;
          if (on == null || (completed && of != null && isEnding(of))) {
            place.run();
          } else {
            on.later(() -> leave(on, place, whole)); // after what the engine is at
          }
        });
  }

  /** Whether the end of the response, which is being read, is also that of the stream. */
  private static boolean isEnding(Http2Stream of) {
    return !of.state().localSideOpen() && !of.isResetSent();
  }

  private void leave(Http2Connection on, Runnable place, boolean whole) {
    Http2Stream of = codecs;
    if (of == null) {
      place.run(); // its head was never written
    } else {
      on.leave(of, whole, place);
    }
  }

  /** The exchange has timed out, and is over: a connection that others share may be dead. */
  void timedOut(Origin.@Nullable Lane lane) {
    Channel on = connection;
    if (on != null && multiplexed && sent) {
      if (lane != null) {
        lane.pause(on); // the next call may well come before the event loop does
      }
      inEventLoop(
          () -> {
            if (on.isActive()) {
              Http2Connection.of(on).timedOut(on, sentAt);
            }
          });
    }
  }

  /** The engine's clock for its read timeout starts anew. */
  void touch() {
    NettyResponseFuture<?> running = future;
    if (running != null) {
      running.touch();
    }
  }

  /** As long as the exchange waits for its caller the engine's read timeout does not count. */
  void touchWhileCallerIsAwaited(long readTimeoutMillis) {
    Channel on = connection;
    if (readTimeoutMillis > 0 && on != null) {
      touch();
      if (touching == null) {
        touchIn(Math.max(10, readTimeoutMillis / 3), on);
      }
    }
  }

  private void touchIn(long millis, Channel on) {
    touching =
        on.eventLoop()
            .schedule(
                () -> {
                  touching = null;
                  if (!exchange.isOver() && exchange.isWaitingForCaller()) {
                    touch();
                    touchIn(millis, on);
                  }
                },
                millis,
                TimeUnit.MILLISECONDS);
    if (exchange.isOver()) { // and he who ended it may not have seen it
      ended();
    }
  }

  /** The exchange is over: nothing is left behind in the event loop. Any thread. */
  void ended() {
    Future<?> left = touching;
    if (left != null) {
      left.cancel(false);
    }
  }

  /** Whether the exchange has a connection of its own, which it takes along if it is given up. */
  boolean isAlone() {
    return !multiplexed;
  }

  /** Whether any of it has been sent, however often. */
  boolean isEverSent() {
    return everSent;
  }

  /**
   * Whether any of the request that was begun last may have left. On HTTP/1.1 the engine sends from
   * any thread, and the event loop may find that the connection has ended before it comes to the
   * head.
   */
  boolean isWritten() {
    return written;
  }

  /** Whether the server has answered, with a redirect or a challenge that AHC has followed. */
  boolean isFollowing() {
    return following;
  }

  /** Whether the connection was there before, so that it may have come to its end meanwhile. */
  boolean isPooled() {
    return pooled;
  }

  /** Whether the request was sent just now, to a connection that may have ended unnoticed. */
  boolean isSentToIdleConnection() {
    return pooled && idle && System.nanoTime() - sentAt < STALE_NANOS;
  }

  /**
   * Whether the server has done nothing about the request, whose connection has ended: the codec
   * had not opened its stream, or it is beyond the last one that GOAWAY has named. The stream's own
   * pipeline may not hear of that: the server may be faster than the thread that brings the future.
   */
  boolean isUnprocessed() {
    Http2Connection on = shared;
    Http2Stream of = codecs;
    return sent && on != null && (of == null || on.isBeyondLast(of));
  }

  /** Whether the connection that the request was to go out on takes no streams any more. */
  boolean isLeaving() {
    Channel on = connection;
    Http2Connection of = shared;
    return on != null && of != null && (!on.isActive() || !of.takesMore(on));
  }

  /** On the event loop of the connection; at once, if this is it. */
  private void inEventLoop(Runnable work) {
    Channel on = connection;
    if (on == null || on.eventLoop().inEventLoop()) {
      work.run();
    } else {
      inEventLoopLater(on, work);
    }
  }

  /** Once the event loop of the connection has done what it is at; any thread. */
  void inEventLoopLater(Runnable work) {
    Channel on = connection;
    if (on == null) {
      work.run();
    } else {
      inEventLoopLater(on, work);
    }
  }

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
          if (gate != null && !exchange.isOver() && still.getAsBoolean()) {
            touch();
            gate.open(of);
          }
        });
  }

  private Channel responseChannel() {
    Channel of = multiplexed ? stream : connection;
    if (of == null) {
      throw new IllegalStateException("a response without a connection");
    }
    return of;
  }

  // ---- engine -------------------------------------------------------------------------------

  void connecting() {
    connection = null; // the end of the one before, after a challenge, is not the end of this
    pooled = false;
    sent = false;
    written = false;
  }

  /**
   * Now the connection may be read: what the server says first on HTTP/2, AHC takes for an answer
   * to nobody, if it comes before the codec is there. AHC does not notice either if the connection
   * ends before the request is sent.
   */
  void connected(Channel channel) {
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
                        exchange.onThrowable(new ClosedChannelException());
                      }
                    }));
  }

  void pooled(Channel channel) {
    sent = false;
    written = false;
    pooled = true;
    connection = channel;
  }

  /** Whether AHC is about to send the request anew, because its connection ended. */
  boolean isReconnecting() {
    Channel on = connection;
    NettyResponseFuture<?> running =
        future != null || on == null ? future : Http1Connection.exchange(on);
    return running != null && running.getChannelState() == ChannelState.RECONNECTED;
  }

  /**
   * The exchange is over, and the engine is about to write its request: leaves that out. What the
   * engine is told by an exception it logs as an error.
   *
   * @return false if the stream is not known yet; then the request goes out, and {@link #started}
   *     resets its stream
   */
  boolean dropUnsent(NettyRequest request) {
    Channel on = connection;
    if (on == null) {
      return false;
    }
    if (!ChannelManager.isHttp2(on)) {
      AhcInternals.leaveOut(request);
      Channels.silentlyCloseChannel(on);
      return true;
    }
    Http2StreamChannel unsent = AhcInternals.stream(future);
    if (unsent != null) {
      Channels.setDiscard(unsent);
      Channels.silentlyCloseChannel(unsent); // before its head: the server never hears of it
      return true;
    }
    return false;
  }

  /**
   * Just before the head is written. On HTTP/2 that is on the event loop, and the stream is open;
   * on HTTP/1.1 it may be on the thread that starts the exchange.
   *
   * @param lane of the server; null if that is unknown, or cannot speak HTTP/2
   * @param isTunnel whether it is not the request itself yet, but one to a proxy to connect
   */
  void sending(Origin.@Nullable Lane lane, boolean isTunnel) {
    Channel on = connection;
    if (on == null) {
      throw new IllegalStateException("a request without a connection");
    }
    boolean again = everSent; // a redirect may lead to another server
    sentAt = System.nanoTime();
    sends++;
    sent = true;
    everSent |= !isTunnel;
    following |= again;
    if (!pooled) {
      SslHandler tls = on.pipeline().get(SslHandler.class);
      if (tls != null) {
        tls.setCloseNotifyFlushTimeoutMillis(FAREWELL_MILLIS);
      }
    }
    multiplexed = ChannelManager.isHttp2(on);
    AhcRequestBody body = exchange.requestBody();
    if (body != null) {
      body.multiplexed(multiplexed);
    }
    idle = true;
    shared = null;
    codecs = null;
    if (multiplexed) {
      Http2Connection of = Http2Connection.of(on);
      shared = of;
      of.opens(this);
      idle = of.isQuiet(on);
      if (!of.takesMore(on)) { // any more, since the engine looked: the codec will refuse it
        exchange.refused();
      }
      if (lane != null && !again) {
        of.serve(lane, on);
      }
      if (!returned) { // it will, and then look at `multiplexed`
        held = of;
        of.hold(on);
      }
      written = true;
      attachStream();
      return;
    }
    if (lane != null && !again) {
      lane.notMultiplexed();
    }
    Http1Connection of = on.pipeline().get(Http1Connection.class);
    if (of == null || isTunnel) {
      written = !isTunnel;
    } else {
      written = false;
      of.sends(this);
    }
  }

  /** HTTP/1.1: the head is written now, to a connection that has not ended. */
  void written() {
    written = true;
  }

  /** The codec has opened the stream: its head is written now, if it can be. */
  void opened(Http2Stream of) {
    Channel on = connection;
    if (on != null && on.isActive()) { // the codec goes on where the connection has ended
      codecs = of;
    }
  }

  /** As soon as both are there, the stream and the future that knows it. */
  private void attachStream() {
    Http2StreamChannel opened = AhcInternals.stream(future);
    if (opened != null && !exchange.isOver() && !opened.equals(stream)) {
      stream = opened;
      ReadGate gate = new ReadGate();
      opened
          .pipeline()
          .addFirst(ReadGate.NAME, gate)
          .addFirst(Http2Responses.NAME, new Http2Responses(exchange));
      AhcRequestBody body = exchange.requestBody();
      if (body != null) {
        body.attach(opened, gate);
      }
    }
  }

  private void readOn() {
    Http2Connection waits = held;
    Channel on = connection;
    if (waits != null && on != null) {
      held = null;
      waits.readOn(on);
    }
  }

  /** The request has asked to continue: waits this long for a word. */
  @SuppressWarnings("FutureReturnValueIgnored")
  void continueAnywayIn(long millis) {
    Channel on = connection;
    if (on != null) {
      int send = sends;
      on.eventLoop().schedule(() -> continueAnyway(send), millis, TimeUnit.MILLISECONDS);
    }
  }

  private void continueAnyway(int send) {
    NettyResponseFuture<?> running = future;
    if (running == null
        || exchange.isOver()
        || send != sends // a redirect or a challenge came
        || !running.isDontWriteBodyBecauseExpectContinue()) {
      return;
    }
    if (stream != null) {
      if (exchange.isAnswered()) {
        return;
      }
      DefaultHttp2Headers goOn = new DefaultHttp2Headers();
      goOn.status("100");
      stream.pipeline().fireChannelRead(new DefaultHttp2HeadersFrame(goOn));
    } else if (connection != null) {
      Http1Connection.continueAnyway(connection);
    }
  }
}
