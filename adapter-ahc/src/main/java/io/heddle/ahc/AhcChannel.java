package io.heddle.ahc;

import io.heddle.core.Lanes.Lane;
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
 * nowhere ──connected──▶ CHOSEN ──sending──▶ SENT ──written──▶ WRITTEN
 *    └──────pooled──────────▲                  └─── HTTP/2: both at once
 *
 * A redirect, a challenge or a filter leads on from SENT or WRITTEN: connecting, to nowhere, or
 * pooled, to CHOSEN.
 * }</pre>
 *
 * <p><b>To end it.</b> AHC's future closes whatever channel it knows when it is cancelled, and
 * between two steps that may be an HTTP/2 connection that others use. So an exchange is ended on
 * the event loop of its connection, where there is no between: before the request is sent on a
 * shared connection the future is aborted, which leaves channels alone; after that it is cancelled,
 * which closes the connection of HTTP/1.1, or the stream.
 *
 * <p><b>To find the stream.</b> Only the engine's future knows it, and the engine hands that to the
 * thread that starts the exchange; the event loop may be faster, and so may the answer. {@link
 * Http2Openings} has the future of each stream that is opened, and a new connection that of its
 * first request: so nobody waits for that thread.
 */
final class AhcChannel {

  /** How long a connection that is closed may try to say so, to a server that does not read. */
  private static final long FAREWELL_MILLIS = 200;

  /** A connection that had ended before a request was sent on it shows that within this time. */
  private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private enum Stage {
    CHOSEN,
    SENT,
    WRITTEN
  }

  /** A connection, and how far the request that was begun last has come there. */
  private static final class Leg {
    private final Channel connection;
    private final boolean pooled;
    private volatile Stage stage = Stage.CHOSEN;

    // Null once it is sent: a connection has its listeners for as long as it is open.
    private volatile @Nullable AhcChannel unsent;

    // Written before SENT.
    private boolean idle;
    private long sentAt;

    Leg(Channel connection, boolean pooled) {
      this.connection = connection;
      this.pooled = pooled;
    }

    /** The connection has ended. */
    private void ended() {
      AhcChannel of = unsent;
      if (of != null && equals(of.leg)) {
        of.exchange.onThrowable(new ClosedChannelException());
      }
    }

    private boolean isSent() {
      return stage != Stage.CHOSEN;
    }
  }

  private final AhcExchange<?> exchange;

  // Written by the thread that starts the exchange, on HTTP/2 by an event loop too: the same.
  private volatile @Nullable NettyResponseFuture<?> future;

  // Written by an event loop, or the thread that starts the exchange; null is nowhere.
  private volatile @Nullable Leg leg;
  private volatile int requests; // so many were sent, since the one that is no tunnel

  // Written by an event loop. Of the request that was sent last: null on HTTP/1.1.
  private volatile @Nullable Http2Connection shared;
  private volatile @Nullable Http2StreamChannel stream;
  private volatile @Nullable Http2Stream codecs; // the stream, once its head is written

  // Written by an event loop: what keeps the read timeout from counting.
  private volatile @Nullable Future<?> touching;

  AhcChannel(AhcExchange<?> exchange) {
    this.exchange = exchange;
  }

  // ---- the thread that starts the exchange ----------------------------------------------------

  /** The engine has taken the request on. Does not wait. */
  void started(NettyResponseFuture<?> running) {
    future = running;
    Leg on = leg;
    if (exchange.isOver()) {
      end();
    } else if (on != null && on.pooled && !on.isSent() && !on.connection.isActive()) {
      // a shared connection that ends just before it would be used says nothing, and nor does AHC
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
    CancellationException why = new CancellationException("the exchange was given up");
    if (leg == null) {
      running.abort(why);
    } else {
      inEventLoop(
          () -> {
            Leg on = leg;
            if (on != null && (on.isSent() || !on.pooled)) {
              running.cancel(true);
            } else {
              running.abort(why);
              if (on != null && !ChannelManager.isHttp2(on.connection)) {
                Channels.silentlyCloseChannel(on.connection); // it was taken out of the pool
              }
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
  void timedOut(@Nullable Lane lane) {
    Leg on = leg;
    Http2Connection of = shared;
    if (on != null && on.isSent() && of != null) {
      if (lane != null && lane.isShared()) {
        lane.open(on.connection, 0); // the next call may well come before the event loop does
      }
      inEventLoop(
          () -> {
            if (on.connection.isActive()) {
              of.timedOut(on.connection, on.sentAt);
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
    Leg on = leg;
    if (readTimeoutMillis > 0 && on != null) {
      touch();
      if (touching == null) {
        touchIn(Math.max(10, readTimeoutMillis / 3), on.connection);
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
    return shared == null;
  }

  /** Whether any of it has been sent, however often. */
  boolean isEverSent() {
    return requests > 0;
  }

  /**
   * Whether any of the request that was begun last may have left. On HTTP/1.1 the engine sends from
   * any thread, and the event loop may find that the connection has ended before it comes to the
   * head.
   */
  boolean isWritten() {
    Leg on = leg;
    return on != null && on.stage == Stage.WRITTEN;
  }

  /** Whether the server has answered, with a redirect or a challenge that AHC has followed. */
  boolean isFollowing() {
    return requests > 1;
  }

  /** Whether the connection was there before, so that it may have come to its end meanwhile. */
  boolean isPooled() {
    Leg on = leg;
    return on != null && on.pooled;
  }

  /** Whether the request was sent just now, to a connection that may have ended unnoticed. */
  boolean isSentToIdleConnection() {
    Leg on = leg;
    return on != null
        && on.pooled
        && on.isSent()
        && on.idle
        && System.nanoTime() - on.sentAt < STALE_NANOS;
  }

  /**
   * Whether the server has done nothing about the request, whose connection has ended: the codec
   * had not opened its stream, or it is beyond the last one that GOAWAY has named.
   */
  boolean isUnprocessed() {
    Leg on = leg;
    Http2Connection by = shared;
    Http2Stream of = codecs;
    return on != null && on.isSent() && by != null && (of == null || by.isBeyondLast(of));
  }

  /** Whether the connection that the request was to go out on takes no streams any more. */
  boolean isLeaving() {
    Channel on = connection();
    Http2Connection of = shared;
    return on != null && of != null && (!on.isActive() || !of.takesMore(on));
  }

  /** The one that it is on; null if it is on none. */
  private @Nullable Channel connection() {
    Leg on = leg;
    return on == null ? null : on.connection;
  }

  /** On the event loop of the connection; at once, if this is it. */
  private void inEventLoop(Runnable work) {
    Channel on = connection();
    if (on == null || on.eventLoop().inEventLoop()) {
      work.run();
    } else {
      inEventLoopLater(on, work);
    }
  }

  /** Once the event loop of the connection has done what it is at; any thread. */
  void inEventLoopLater(Runnable work) {
    Channel on = connection();
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

  /** Runs this once, when all that is being read together has come through; event loop. */
  void afterRead(Runnable action) {
    Channel of = isAlone() ? connection() : stream;
    ReadGate gate = of == null ? null : of.pipeline().get(ReadGate.class);
    if (gate == null) { // the exchange is over
      action.run();
    } else {
      gate.afterRead(action);
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
    Channel of = isAlone() ? connection() : stream;
    if (of == null) {
      throw new IllegalStateException("a response without a connection");
    }
    return of;
  }

  // ---- engine -------------------------------------------------------------------------------

  void connecting() {
    leg = null; // the end of the one before, after a challenge, is not the end of this
  }

  /**
   * Now the connection may be read: what the server says first on HTTP/2, AHC takes for an answer
   * to nobody, if it comes before the codec is there. AHC does not notice either if the connection
   * ends before the request is sent.
   */
  void connected(Channel channel) {
    Leg on = new Leg(channel, false);
    on.unsent = this;
    leg = on;
    ReadGate gate = channel.pipeline().get(ReadGate.class);
    if (gate != null) {
      gate.open(channel);
    }
    channel.closeFuture().addListener(closed -> inEventLoopLater(channel, on::ended));
  }

  void pooled(Channel channel) {
    leg = new Leg(channel, true);
    Http2Openings.watch(channel);
  }

  /** Whether AHC is about to send the request anew, because its connection ended. */
  boolean isReconnecting() {
    Channel on = connection();
    NettyResponseFuture<?> running =
        future != null || on == null ? future : AhcInternals.future(on);
    return running != null && running.getChannelState() == ChannelState.RECONNECTED;
  }

  /**
   * The exchange is over, and the engine is about to write its request: leaves that out. What the
   * engine is told by an exception it logs as an error.
   */
  void dropUnsent(NettyRequest request) {
    Channel on = connection();
    if (on == null) {
      throw new IllegalStateException("a request without a connection");
    }
    if (!ChannelManager.isHttp2(on)) {
      AhcInternals.leaveOut(request);
      Channels.silentlyCloseChannel(on);
      return;
    }
    Http2StreamChannel unsent = AhcInternals.stream(Http2Openings.opening(on));
    if (unsent != null) { // else the future has ended, and its stream with it
      Channels.setDiscard(unsent);
      Channels.silentlyCloseChannel(unsent); // before its head: the server never hears of it
    }
  }

  /**
   * Just before the head is written. On HTTP/2 that is on the event loop, and the stream is open;
   * on HTTP/1.1 it may be on the thread that starts the exchange.
   *
   * @param lane of the server; null if that is unknown, or cannot speak HTTP/2
   * @param isTunnel whether it is not the request itself yet, but one to a proxy to connect
   */
  void sending(@Nullable Lane lane, boolean isTunnel) {
    Leg now = leg;
    if (now == null) {
      throw new IllegalStateException("a request without a connection");
    }
    Leg on = now.isSent() ? new Leg(now.connection, now.pooled) : now;
    int before = requests;
    boolean again = before > 0; // a redirect may lead to another server
    if (again || !isTunnel) {
      requests = before + 1;
    }
    if (!on.pooled) {
      SslHandler tls = on.connection.pipeline().get(SslHandler.class);
      if (tls != null) {
        tls.setCloseNotifyFlushTimeoutMillis(FAREWELL_MILLIS);
      }
    }
    boolean multiplexed = ChannelManager.isHttp2(on.connection);
    AhcRequestBody body = exchange.requestBody();
    if (body != null) {
      body.multiplexed(multiplexed);
    }
    Http2Connection of = multiplexed ? Http2Connection.of(on.connection) : null;
    codecs = null;
    shared = of;
    on.idle = of == null || of.isQuiet(on.connection);
    on.sentAt = System.nanoTime();
    on.unsent = null;
    leg = on;
    if (of != null) {
      on.stage = Stage.WRITTEN;
      sendingOnStream(on.connection, of, again ? null : lane);
      return;
    }
    on.stage = Stage.SENT;
    if (lane != null && !again) {
      lane.open(Integer.MAX_VALUE);
    }
    Http1Connection alone = on.connection.pipeline().get(Http1Connection.class);
    if (alone != null && !isTunnel) {
      alone.sends(this);
    } else if (!isTunnel) {
      written();
    }
  }

  private void sendingOnStream(Channel on, Http2Connection of, @Nullable Lane lane) {
    of.opens(this);
    if (!of.takesMore(on)) { // any more, since the engine looked: the codec will refuse it
      exchange.refused();
    }
    if (lane != null) {
      of.serve(lane, on);
    }
    NettyResponseFuture<?> running = Http2Openings.opening(on);
    if (running != null) {
      future = running;
    }
    Channels.setDiscard(on); // of the future that it was made for: it has seen its stream
    Http2StreamChannel opened = AhcInternals.stream(running);
    if (opened != null && !exchange.isOver()) { // else the future has ended, or is about to
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

  /** HTTP/1.1: the head is written now, to a connection that has not ended. */
  void written() {
    Leg on = leg;
    if (on != null) {
      on.stage = Stage.WRITTEN;
    }
  }

  /** The codec has opened the stream: its head is written now, if it can be. */
  void opened(Http2Stream of) {
    Channel on = connection();
    if (on != null && on.isActive()) { // the codec goes on where the connection has ended
      codecs = of;
    }
  }

  /** The request has asked to continue: waits this long for a word. */
  @SuppressWarnings("FutureReturnValueIgnored")
  void continueAnywayIn(long millis) {
    Channel on = connection();
    if (on != null) {
      int send = requests;
      on.eventLoop().schedule(() -> continueAnyway(send), millis, TimeUnit.MILLISECONDS);
    }
  }

  private void continueAnyway(int send) {
    NettyResponseFuture<?> running = future;
    if (running == null
        || exchange.isOver()
        || send != requests // a redirect or a challenge came
        || !running.isDontWriteBodyBecauseExpectContinue()) {
      return;
    }
    Channel on = connection();
    if (stream != null) {
      if (exchange.isAnswered()) {
        return;
      }
      DefaultHttp2Headers goOn = new DefaultHttp2Headers();
      goOn.status("100");
      stream.pipeline().fireChannelRead(new DefaultHttp2HeadersFrame(goOn));
    } else if (on != null) {
      Http1Connection.continueAnyway(on);
    }
  }
}
