package io.heddle.ahc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2Connection.Endpoint;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What happens on one HTTP/2 connection, as far as it concerns more than one stream: how many of
 * them the server allows, and when it allows no more.
 *
 * <p>The connection's own flow control window is opened wide. What bounds the bytes that nobody
 * reads are the windows of the streams; if all shared one window, a body that nobody reads would
 * stop its siblings.
 *
 * <p>All of it on the connection's event loop.
 */
final class Http2Connection extends ChannelInboundHandlerAdapter {

  static final String NAME = "heddle-http2";

  private static final int WINDOW = 1 << 30;

  private final ReadGate gate = new ReadGate();
  private int holds;
  private int maxStreams = -1;
  private boolean leaving;
  private Origin.@Nullable Lane lane;

  private Http2Connection() {}

  /** The one of this channel, which is made when the first exchange comes by. */
  static Http2Connection of(Channel channel) {
    Http2Connection known = (Http2Connection) channel.pipeline().get(NAME);
    if (known == null) {
      known = new Http2Connection();
      channel.pipeline().addLast(NAME, known);
    }
    return known;
  }

  /** An exchange that has a place in this lane is about to open a stream. */
  void serve(Origin.Lane of, Channel channel) {
    if (leaving) {
      return;
    }
    lane = of;
    if (maxStreams >= 0) {
      of.opened(channel, maxStreams);
    }
  }

  /** Whether no stream is open here: then nobody would have noticed that the server has gone. */
  boolean isIdle(Channel channel) {
    Http2FrameCodec codec = channel.pipeline().get(Http2FrameCodec.class);
    return codec == null || codec.connection().numActiveStreams() == 0;
  }

  /** Reads nothing until {@link #readOn}: once for each of those who asked. */
  void hold(Channel channel) {
    if (holds++ == 0) {
      gate.shut(channel);
    }
  }

  void readOn(Channel channel) {
    if (--holds == 0) {
      gate.open(channel);
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws Http2Exception {
    ctx.channel().config().setAutoClose(true);
    if (ctx.pipeline().get(Http1Connection.class) != null) {
      ctx.pipeline().remove(Http1Connection.class);
    }
    if (ctx.pipeline().get(ReadGate.class) != null) {
      ctx.pipeline().remove(ReadGate.class);
    }
    ctx.pipeline().addFirst(ReadGate.NAME, gate); // the codec and TLS ask for reads by themselves
    Http2FrameCodec codec = ctx.pipeline().get(Http2FrameCodec.class);
    if (codec != null) {
      Endpoint<Http2LocalFlowController> local = codec.connection().local();
      local.flowController().incrementWindowSize(codec.connection().connectionStream(), WINDOW);
      ctx.flush();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    if (msg instanceof Http2SettingsFrame frame) {
      Long streams = frame.settings().maxConcurrentStreams();
      if (streams != null) {
        maxStreams = (int) Math.min(Integer.MAX_VALUE, streams);
      } else if (maxStreams < 0) {
        maxStreams = Integer.MAX_VALUE; // RFC 9113, 6.5.2: no limit, unless the server says one
      }
      if (lane != null && !leaving) {
        lane.opened(ctx.channel(), maxStreams);
      }
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

  /** The end of the connection ends each of its streams, which tell their exchanges. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof IOException)) {
      ctx.fireExceptionCaught(cause);
    }
  }

  private void leave() {
    leaving = true;
    if (lane != null) {
      lane.left();
    }
  }
}
