package io.heddle.ahc;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.heddle.core.Lanes.Lane;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2Stream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.asynchttpclient.netty.channel.Http2ConnectionState;
import org.jspecify.annotations.Nullable;

/**
 * What happens on one HTTP/2 connection, as far as it concerns more than one stream: how many of
 * them the server allows, when it allows no more, and whether it is there at all.
 *
 * <pre>{@code
 * OPEN ──a call timed out, nothing read──▶ PINGED    no new streams; a PING is sent
 *   ▲                                        │ └──nothing read for 1 s──▶ closed
 *   └──────────────something read────────────┘
 * OPEN, PINGED ──GOAWAY, end──▶ leaving    no new streams, for good
 * }</pre>
 *
 * <p>A path that went silent is not told by TCP for many minutes; without this all calls would go
 * that way, and wait for their timeouts, one after the other.
 *
 * <p>The connection's own flow control window is opened wide. What bounds the bytes that nobody
 * reads are the windows of the streams; if all shared one window, a body that nobody reads would
 * stop its siblings.
 *
 * <p>All of it on the connection's event loop.
 */
final class Http2Connection extends ChannelDuplexHandler {

  static final String NAME = "heddle-http2";

  private static final int WINDOW = 1 << 30;

  /** A connection that has not read for so long may be dead. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long the answer to a PING may take. */
  private static final long PING_MILLIS = 1000;

  /** How long a stream that serves nobody any more may take to end. */
  private static final long REST_MILLIS = 1000;

  private final Channel channel;
  private final Http2FrameCodec codec;
  private final ReadGate gate;
  private final Map<Http2Stream, Runnable> closing = new HashMap<>();
  private final Queue<Runnable> openings = new ArrayDeque<>();
  private @Nullable Leg opening;
  private long quietSince;
  private boolean pinged;
  private long pingedAt;
  private boolean leaving;
  private @Nullable Lane lane;

  private Http2Connection(Channel channel, Http2FrameCodec codec) {
    this.channel = channel;
    this.codec = codec;
    this.gate = new ReadGate(channel);
  }

  /** The one of this channel, which is made when the first exchange comes by. */
  static Http2Connection of(Channel channel) {
    Http2Connection known = (Http2Connection) channel.pipeline().get(NAME);
    if (known == null) {
      known = new Http2Connection(channel, channel.pipeline().get(Http2FrameCodec.class));
      channel.pipeline().addLast(NAME, known);
    }
    return known;
  }

  /**
   * An exchange that has a place in this lane is about to open a stream. One that was left, with
   * another connection, is nobody's to open or to leave any more.
   */
  void serve(Lane of) {
    if (!leaving && !of.isLeft()) {
      lane = of;
      tell();
    }
  }

  /** How many calls may be in the lane. */
  private void tell() {
    if (lane != null && codec.decoder().prefaceReceived() && !leaving) {
      lane.open(channel, pinged ? 0 : maxStreams());
    }
  }

  /**
   * How many streams the server allows, by all that it has said; no bound, unless it says one. The
   * codec knows, who was there before this: if the call that the connection was opened for is given
   * up, this is made for the next one, and SETTINGS may have come by then.
   */
  private int maxStreams() {
    return codec.connection().local().maxActiveStreams();
  }

  /**
   * Runs this once the codec would open one more stream, or if it never will again.
   *
   * <p>A call that is redirected leaves its stream, and asks for the next one at once; but the
   * codec counts the first until it has written its reset, or has read its end. If the server
   * allows no more streams, it would refuse the second.
   */
  void whenItMayOpen(Runnable opens) {
    openings.add(opens);
    openNext();
  }

  private boolean mayOpen() {
    return isLeaving() || !isFull();
  }

  /** Whether the codec would refuse one stream more, by what the server allows. */
  boolean isFull() {
    return !codec.connection().local().canOpenStream();
  }

  private void openNext() {
    while (!openings.isEmpty() && mayOpen()) {
      openings.remove().run();
    }
  }

  private void openNextLater() {
    if (!openings.isEmpty()) {
      AhcIoThread.later(channel, this::openNext); // after what the codec is at
    }
  }

  /** The next stream that the codec opens is that of this exchange. */
  void opens(Leg leg) {
    opening = leg;
  }

  /** Whether this stream came after the last one that the server has looked at: RFC 9113, 6.8. */
  boolean isBeyondLast(Http2Stream stream) {
    int last = codec.connection().local().lastStreamKnownByPeer();
    return last >= 0 && stream.id() > last;
  }

  /**
   * Whether nobody would have noticed that the server has gone, now that a request is about to be
   * sent: no stream is open, or nothing has been read since the first of them was opened.
   */
  boolean isQuiet() {
    if (isIdle()) {
      quietSince = System.nanoTime();
      return true;
    }
    return gate.lastRead() - quietSince < 0;
  }

  /** Whether no stream is open here. */
  private boolean isIdle() {
    return codec.connection().numActiveStreams() == 0;
  }

  /** Whether there may be no more streams, for good. */
  boolean isLeaving() {
    return !channel.isActive() || codec.connection().goAwayReceived();
  }

  /** A call of this lane is about to tell that it has timed out here; any thread. */
  void pause(Lane of) {
    if (of.isShared()) {
      of.open(channel, 0);
    }
  }

  /**
   * A call has timed out here.
   *
   * @param sentAt when it was sent; as {@link System#nanoTime}
   */
  @SuppressWarnings("FutureReturnValueIgnored") // what is not written is not answered
  void timedOut(long sentAt) {
    if (pinged || leaving || !channel.isActive()) {
      return;
    }
    long now = System.nanoTime();
    pinged = gate.lastRead() - sentAt < 0 || now - gate.lastRead() > SILENCE_NANOS;
    if (!pinged) {
      tell(); // he who told has paused the lane
      return;
    }
    pingedAt = now;
    limit();
    channel.writeAndFlush(new DefaultHttp2PingFrame(now));
    channel.eventLoop().schedule(() -> pingIsOver(now), PING_MILLIS, MILLISECONDS);
  }

  /** Whatever was read shows that the path is alive. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (pinged && gate.lastRead() - pingedAt >= 0) {
      pinged = false;
      limit();
    }
    ctx.fireChannelReadComplete();
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private void pingIsOver(long of) {
    ChannelHandlerContext ctx = channel.pipeline().context(this);
    if (pinged && pingedAt == of && ctx != null) {
      leave(); // now: TLS may try to say good-bye first
      ctx.close();
    }
  }

  /** So many streams at a time, whoever opens them. */
  private void limit() {
    Http2ConnectionState engines = engines();
    if (engines != null && !leaving) {
      engines.updateMaxConcurrentStreams(pinged ? 0 : maxStreams());
    }
    tell();
  }

  private @Nullable Http2ConnectionState engines() {
    return channel.attr(Http2ConnectionState.HTTP2_STATE_KEY).get();
  }

  /**
   * An exchange is done with this stream, which is ended if it does not end by itself: neither AHC
   * nor Netty ends one that the server has ended first.
   *
   * @param whole whether the request and the response are, so that the stream ends by itself once
   *     the server takes the rest of the request
   * @param then is run once the stream counts no longer, or after {@value #REST_MILLIS} ms
   */
  @SuppressWarnings("FutureReturnValueIgnored")
  void leave(Http2Stream stream, boolean whole, Runnable then) {
    if (stream.state() == Http2Stream.State.CLOSED || !channel.isActive()) {
      then.run();
      return;
    }
    closing.put(stream, then);
    if (!whole) {
      reset(stream);
    }
    if (closing.containsKey(stream)) {
      channel.eventLoop().schedule(() -> waitNoLonger(stream), REST_MILLIS, MILLISECONDS);
    }
  }

  /** On a path that takes nothing any more, the next call has to find that out. */
  private void waitNoLonger(Http2Stream stream) {
    reset(stream);
    free(stream);
  }

  private void free(Http2Stream stream) {
    Runnable then = closing.remove(stream);
    if (then != null) {
      then.run();
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // what is not written ends with its connection
  private void reset(Http2Stream stream) {
    ChannelHandlerContext ctx = channel.pipeline().context(codec);
    if (ctx != null && stream.state() != Http2Stream.State.CLOSED && !stream.isResetSent()) {
      codec.encoder().writeRstStream(ctx, stream.id(), Http2Error.CANCEL.code(), ctx.newPromise());
      ctx.flush();
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws Http2Exception {
    channel.config().setAutoClose(true);
    if (ctx.pipeline().get(Http1Connection.class) != null) {
      ctx.pipeline().remove(Http1Connection.class);
    }
    if (ctx.pipeline().get(ReadGate.class) != null) {
      ctx.pipeline().remove(ReadGate.class);
    }
    ctx.pipeline().addFirst(ReadGate.NAME, gate); // the codec and TLS ask for reads by themselves
    Http2LocalFlowController flow = codec.connection().local().flowController();
    flow.incrementWindowSize(codec.connection().connectionStream(), WINDOW);
    ctx.flush();
    codec.connection().addListener(new Streams());
    Http2Openings.gatherFlushes(ctx.pipeline());
  }

  /** What the codec says of its streams: it is the first to know. */
  private final class Streams extends Http2ConnectionAdapter {
    @Override
    public void onStreamAdded(Http2Stream stream) {
      Leg leg = opening;
      if (leg != null) {
        opening = null;
        leg.opened(stream);
      }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a connection that does not close is not ours
    public void onStreamClosed(Http2Stream stream) {
      openNextLater();
      free(stream);
      Http2ConnectionState engines = engines();
      if (isIdle()
          && engines != null
          && (engines.isDraining() || engines.isRedundant())
          && engines.getActiveStreams() <= 0) {
        AhcIoThread.later(
            channel, channel::close); // as the engine did, while the last stream still counted
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    if (msg instanceof Http2SettingsFrame) {
      tell();
      openNextLater();
    } else if (msg instanceof Http2GoAwayFrame) {
      leave();
    }
    ctx.fireChannelRead(msg);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    leave();
    ctx.fireChannelInactive();
  }

  /**
   * AHC closes the channel that it has of a request that times out or fails, which is this one
   * until the stream is open: not while others are here.
   */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // that is the promise
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    if (isIdle() || !channel.isActive()) {
      ctx.close(promise);
    } else {
      promise.tryFailure(new IOException("other requests use the connection"));
    }
  }

  /** The end of the connection ends each of its streams, which tell their exchanges. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof IOException)) {
      ctx.fireExceptionCaught(cause);
    }
  }

  private void leave() {
    leaving = true;
    openNextLater();
    if (lane != null) {
      lane.left();
    }
  }
}
