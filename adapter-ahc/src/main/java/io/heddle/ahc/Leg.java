package io.heddle.ahc;

import io.heddle.core.Lanes.Lane;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.ssl.SslHandler;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import org.asynchttpclient.netty.channel.ChannelManager;
import org.asynchttpclient.netty.channel.Channels;
import org.asynchttpclient.netty.request.NettyRequest;
import org.jspecify.annotations.Nullable;

/**
 * One connection on the way of an exchange, how far the request has come there, and on HTTP/2 its
 * stream. A redirect, a challenge or a filter leads on, to a leg of its own.
 *
 * <pre>{@code
 * CHOSEN ──send──▶ SENT ──written──▶ WRITTEN
 *                    └──── HTTP/2: both at once
 * }</pre>
 */
final class Leg {

  /** Where an exchange is that has no connection yet, or not yet the next one. */
  static final Leg NOWHERE = new Leg(null, false, null);

  /** How long a connection that is closed may try to say so, to a server that does not read. */
  private static final long FAREWELL_MILLIS = 200;

  /** A connection that had ended before a request was sent on it shows that within this time. */
  private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private enum Stage {
    CHOSEN,
    SENT,
    WRITTEN
  }

  private final @Nullable Channel connection;
  private final boolean pooled;
  private volatile Stage stage = Stage.CHOSEN;

  // Null once it is sent: a connection has its listeners for as long as it is open.
  private volatile @Nullable AhcChannel unsent;

  // Written before SENT.
  private boolean idle;
  private long sentAt;

  // Written by the event loop, on HTTP/2.
  private volatile @Nullable Http2Connection shared;
  private volatile @Nullable Http2StreamChannel stream;
  private volatile @Nullable Http2Stream codecs; // the stream, once its head is written

  private Leg(@Nullable Channel connection, boolean pooled, @Nullable AhcChannel unsent) {
    this.connection = connection;
    this.pooled = pooled;
    this.unsent = unsent;
  }

  // ---- to the connection ----------------------------------------------------------------------

  /** On a connection that was there before. */
  static Leg pooled(Channel connection) {
    return new Leg(connection, true, null);
  }

  /** On a new one. AHC does not notice if that ends before the request is sent. */
  static Leg connected(Channel connection, AhcChannel of) {
    Leg leg = new Leg(connection, false, of);
    connection.closeFuture().addListener(closed -> AhcIoThread.later(connection, leg::ended));
    return leg;
  }

  private void ended() {
    AhcChannel of = unsent;
    if (of != null && equals(of.leg())) {
      of.exchange().onThrowable(new ClosedChannelException());
    }
  }

  /**
   * The exchange is over, and the engine is about to write its request: leaves that out. A stream
   * is reset just after, as what the engine cannot write it logs as an error.
   */
  void dropUnsent(NettyRequest request) {
    Channel on = connection();
    if (!ChannelManager.isHttp2(on)) {
      AhcInternals.leaveOut(request);
      Channels.silentlyCloseChannel(on);
      return;
    }
    Http2StreamChannel opened = AhcInternals.stream(Http2Openings.opening(on));
    if (opened != null) { // else the future has ended, and its stream with it
      Channels.setDiscard(opened);
      AhcIoThread.later(on, () -> Channels.silentlyCloseChannel(opened));
    }
  }

  /**
   * The head is about to be written.
   *
   * @param permit with a place at this server; null if it may be another
   * @param isTunnel whether it is not the request itself yet, but one to a proxy to connect
   */
  void send(AhcLanes.@Nullable Permit permit, boolean isTunnel) {
    Channel on = connection();
    SslHandler tls = pooled ? null : on.pipeline().get(SslHandler.class);
    if (tls != null) {
      tls.setCloseNotifyFlushTimeoutMillis(FAREWELL_MILLIS);
    }
    Http2Connection of = ChannelManager.isHttp2(on) ? Http2Connection.of(on) : null;
    shared = of;
    idle = of == null || of.isQuiet();
    sentAt = System.nanoTime();
    unsent = null;
    stage = of == null ? Stage.SENT : Stage.WRITTEN;
    if (of != null) {
      of.opens(this);
      if (permit != null && permit.lane() != null) {
        of.serve(permit.lane());
      }
      return;
    }
    if (permit != null) {
      permit.alone();
    }
    Http1Connection alone = on.pipeline().get(Http1Connection.class);
    if (alone != null && !isTunnel) {
      alone.sends(this);
    } else if (!isTunnel) {
      written();
    }
  }

  /** HTTP/2: this is the stream that the request goes out on. */
  void onStream(Http2StreamChannel opened, AhcExchange<?> exchange) {
    stream = opened;
    ReadGate gate = new ReadGate(opened);
    opened
        .pipeline()
        .addFirst(ReadGate.NAME, gate)
        .addFirst(Http2Responses.NAME, new Http2Responses(exchange));
    AhcRequestBody body = exchange.requestBody();
    if (body != null) {
      body.attempt().attach(opened, gate);
    }
  }

  /** HTTP/1.1: the head is written now, to a connection that has not ended. */
  void written() {
    stage = Stage.WRITTEN;
  }

  /** HTTP/2: the codec has opened the stream: its head is written now, if it can be. */
  void opened(Http2Stream of) {
    if (connection().isActive()) { // the codec goes on where the connection has ended
      codecs = of;
    }
  }

  /** The server says nothing to a request that asked to continue: goes on as if it had said 100. */
  void continueAnyway(boolean answered) {
    Http2StreamChannel on = stream;
    if (on == null) {
      Http1Connection.continueAnyway(connection());
    } else if (!answered) {
      DefaultHttp2Headers goOn = new DefaultHttp2Headers();
      goOn.status("100");
      on.pipeline().fireChannelRead(new DefaultHttp2HeadersFrame(goOn));
    }
  }

  // ---- how far it is; any thread --------------------------------------------------------------

  Channel connection() {
    if (connection == null) {
      throw new IllegalStateException("a request without a connection");
    }
    return connection;
  }

  /** Whether the connection was there before, so that it may have come to its end meanwhile. */
  boolean isPooled() {
    return pooled;
  }

  boolean isSent() {
    return stage != Stage.CHOSEN;
  }

  /** Whether the request is ended by the end of its connection, or of its stream there. */
  boolean isOwn() {
    return connection != null && (isSent() || !pooled);
  }

  /** Whether the connection has ended before the request was sent, which nobody else tells. */
  boolean hasEndedUnsent() {
    return pooled && !isSent() && !connection().isActive();
  }

  /** Whether other exchanges share the connection, on which this one was sent. */
  boolean isShared() {
    return shared != null;
  }

  /**
   * Whether any of the request may have left. On HTTP/1.1 the engine sends from any thread, and the
   * event loop may find that the connection has ended before it comes to the head.
   */
  boolean isWritten() {
    return stage == Stage.WRITTEN;
  }

  /** Whether the request was sent just now, to a connection that may have ended unnoticed. */
  boolean isSentToIdleConnection() {
    return pooled && isSent() && idle && System.nanoTime() - sentAt < STALE_NANOS;
  }

  /**
   * Whether the server has done nothing about the request, whose connection has ended: the codec
   * had not opened its stream, or it is beyond the last one that GOAWAY has named.
   */
  boolean isUnprocessed() {
    Http2Connection by = shared;
    Http2Stream of = codecs;
    return isSent() && by != null && (of == null || by.isBeyondLast(of));
  }

  /**
   * Whether the connection that the request was to go out on takes no further stream, or none now.
   */
  boolean mayNotOpen() {
    Http2Connection of = shared;
    return of != null && (of.isLeaving() || of.isFull());
  }

  /** What holds back the rest of the response; null once its channel has ended. Event loop. */
  @Nullable ReadGate gate() {
    Channel of = shared == null ? connection : stream;
    return of == null ? null : of.pipeline().get(ReadGate.class);
  }

  /** On the event loop of the connection; at once, if this is it, or there is no connection. */
  void inEventLoop(Runnable work) {
    if (connection == null || connection.eventLoop().inEventLoop()) {
      work.run();
    } else {
      AhcIoThread.later(connection, work);
    }
  }

  /** Once the event loop of the connection has done what it is at. */
  void later(Runnable work) {
    if (connection == null) {
      work.run();
    } else {
      AhcIoThread.later(connection, work);
    }
  }

  // ---- the end --------------------------------------------------------------------------------

  /** The exchange has timed out: a connection that others share may be dead. */
  void timedOut(@Nullable Lane lane) {
    Http2Connection of = shared;
    if (isSent() && of != null) {
      if (lane != null) {
        of.pause(lane); // the next call may well come before the event loop does
      }
      inEventLoop(() -> of.timedOut(sentAt));
    }
  }

  /**
   * The exchange goes on elsewhere: over HTTP/2 its stream here is ended, if it has not by itself.
   * A server that answers, and takes no more of the request, may leave it open.
   */
  void left() {
    Http2Connection on = shared;
    Http2Stream of = codecs;
    if (on != null && of != null) {
      later(() -> on.leave(of, false, () -> {})); // after what the engine is at
    }
  }

  /** Whatever took it out of AHC's pool does not need it: nobody else knows it now. */
  void closeIfAlone() {
    if (connection != null && !ChannelManager.isHttp2(connection)) {
      Channels.silentlyCloseChannel(connection);
    }
  }

  /**
   * The exchange is over: passes its place on once no stream of it counts any longer. Else the next
   * call's stream could be one too many. Event loop.
   *
   * @param place any number of times
   * @param completed whether the response is whole
   * @param whole whether the request is as well, or nobody knows
   */
  void leave(Runnable place, boolean completed, boolean whole) {
    Http2Connection on = shared;
    Http2Stream of = codecs;
    if (on == null || (completed && of != null && isEnding(of))) {
      place.run();
    } else {
      later(() -> leave(on, whole, place)); // after what the engine is at
    }
  }

  /** Whether the end of the response, which is being read, is also that of the stream. */
  private static boolean isEnding(Http2Stream of) {
    return !of.state().localSideOpen() && !of.isResetSent();
  }

  private void leave(Http2Connection on, boolean whole, Runnable place) {
    Http2Stream of = codecs;
    if (of == null) {
      place.run(); // its head was never written
    } else {
      on.leave(of, whole, place);
    }
  }
}
