package io.heddle.ahc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.Channels;

/**
 * Lets AHC follow a redirect, answer a challenge and obey a filter on HTTP/2. AHC sends the next
 * request, but does not let go of the stream of the first: its end, be it in the head or later,
 * then ends the exchange, with a failure or with no response at all.
 *
 * <p>So AHC gets to see the head of such a response without an end. If it sends another request, it
 * hears no more of this stream; if not, the end follows.
 */
final class Http2Responses extends ChannelInboundHandlerAdapter {

  static final String NAME = "heddle-http2-responses";

  private final AhcExchange<?> exchange;
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
      int before = exchange.heads();
      ctx.fireChannelRead(
          head.isEndStream()
              ? new DefaultHttp2HeadersFrame(head.headers(), false, head.padding())
                  .stream(head.stream())
              : head);
      NettyResponseFuture<?> future = Http1Connection.exchange(channel);
      left = exchange.heads() == before && future != null && !future.isDone();
      if (left) {
        Channels.setDiscard(channel);
      } else if (head.isEndStream()) {
        ctx.fireChannelRead(new DefaultHttp2DataFrame(true));
      }
    } else {
      ctx.fireChannelRead(msg);
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
