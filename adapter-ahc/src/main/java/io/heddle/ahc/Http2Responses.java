package io.heddle.ahc;

import io.heddle.core.DeclaredLength;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import java.net.ProtocolException;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.Channels;

/**
 * Lets AHC follow a redirect, answer a challenge and obey a filter on HTTP/2. AHC sends the next
 * request, but does not let go of the stream of the first: its end, be it in the head or later,
 * then ends the exchange, with a failure or with no response at all.
 *
 * <p>So AHC gets to see the head of such a response without an end. If it sends another request, it
 * hears no more of this stream; if not, the end follows.
 *
 * <p>A body that is not as long as its Content-Length says fails the exchange (RFC 9113, 8.1.1);
 * Netty does not see one that is missing altogether.
 */
final class Http2Responses extends ChannelInboundHandlerAdapter {

  static final String NAME = "heddle-http2-responses";

  private final AhcExchange<?> exchange;
  private DeclaredLength length = new DeclaredLength(-1);
  private boolean left;

  Http2Responses(AhcExchange<?> exchange) {
    this.exchange = exchange;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    if (left) {
      ReferenceCountUtil.release(msg);
    } else if (msg instanceof Http2HeadersFrame head && mayBeIntercepted(head)) {
      Channel channel = ctx.channel();
      length = declared(channel, head);
      ctx.fireChannelRead(
          head.isEndStream()
              ? new DefaultHttp2HeadersFrame(head.headers(), false, head.padding())
                  .stream(head.stream())
              : head);
      NettyResponseFuture<?> future = AhcInternals.future(channel);
      left = !exchange.isAnswered() && future != null && !future.isDone();
      if (left) {
        Channels.setDiscard(channel);
      } else if (head.isEndStream()) {
        read(ctx, new DefaultHttp2DataFrame(true), 0, true);
      }
    } else if (msg instanceof Http2DataFrame data) {
      read(ctx, msg, data.content().readableBytes(), data.isEndStream());
    } else if (msg instanceof Http2HeadersFrame trailers) {
      read(ctx, msg, 0, trailers.isEndStream());
    } else {
      ctx.fireChannelRead(msg);
    }
  }

  /** Passes on what has so many bytes of the body, if the body may have them and end there. */
  private void read(ChannelHandlerContext ctx, Object msg, int bytes, boolean end) {
    if (length.admits(bytes) && (!end || length.isReached())) {
      ctx.fireChannelRead(msg);
      return;
    }
    left = true;
    ReferenceCountUtil.release(msg);
    exchange.onThrowable(new ProtocolException(length.toString()));
  }

  /** Of a response that may have a body. */
  private static DeclaredLength declared(Channel channel, Http2HeadersFrame head) {
    NettyResponseFuture<?> future = AhcInternals.future(channel);
    String status = String.valueOf(head.headers().status());
    CharSequence said = head.headers().get(HttpHeaderNames.CONTENT_LENGTH);
    if (said == null
        || future == null
        || future.getNettyRequest().getHttpRequest().method().equals(HttpMethod.HEAD)
        || status.equals("204")
        || status.equals("304")) {
      return new DeclaredLength(-1);
    }
    try {
      return new DeclaredLength(Long.parseUnsignedLong(said.toString()));
    } catch (NumberFormatException e) {
      return new DeclaredLength(-1); // Netty refuses such a head
    }
  }

  /** Comes before the end of the stream, to those streams that the server has not looked at. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Http2GoAwayFrame) {
      exchange.refused();
    }
    ctx.fireUserEventTriggered(event);
  }

  private static boolean mayBeIntercepted(Http2HeadersFrame head) {
    CharSequence status = head.headers().status();
    return status != null && status.length() == 3 && status.charAt(0) >= '2';
  }
}
