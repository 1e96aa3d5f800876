package io.heddle.bench.load;

import io.heddle.bench.contestants.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;

/** The target server's HTTP/2: the streams. */
@ChannelHandler.Sharable
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails is a client that left
final class TargetHttp2 extends ChannelInboundHandlerAdapter {

  private static final AttributeKey<Wish> WISH = AttributeKey.valueOf("wish");
  private static final AttributeKey<Pouring> POURING = AttributeKey.valueOf("pouring");

  private final TargetControl control;

  TargetHttp2(TargetControl control) {
    this.control = control;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof Http2HeadersFrame head) {
      Wish wish = Wish.of(String.valueOf(head.headers().path()));
      context.channel().attr(WISH).set(wish);
      control.arrived(Wire.HTTP_2);
      answerIf(head.isEndStream(), context);
    } else if (message instanceof Http2DataFrame data) {
      boolean last = data.isEndStream();
      control.received(data.content().readableBytes());
      data.release();
      answerIf(last, context);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  private void answerIf(boolean requestComplete, ChannelHandlerContext context) {
    if (!requestComplete) {
      return;
    }
    Wish wish = context.channel().attr(WISH).get();
    ByteBuf text = control.control(wish);
    if (text != null) {
      answer(context, text.readableBytes(), text);
    } else {
      control.answerInTime(context, wish, () -> answer(context, wish.bytes()));
    }
  }

  private void answer(ChannelHandlerContext context, long bytes) {
    if (bytes <= Wish.PIECE) {
      answer(context, bytes, Wish.zeros(bytes));
      return;
    }
    context.write(head(bytes));
    context.channel().attr(POURING).set(new Pouring(bytes, DefaultHttp2DataFrame::new));
    channelWritabilityChanged(context);
  }

  private static void answer(ChannelHandlerContext context, long length, ByteBuf body) {
    context.write(head(length));
    context.writeAndFlush(new DefaultHttp2DataFrame(body, true));
  }

  private static DefaultHttp2HeadersFrame head(long length) {
    Http2Headers head =
        new DefaultHttp2Headers().status("200").setLong(HttpHeaderNames.CONTENT_LENGTH, length);
    return new DefaultHttp2HeadersFrame(head);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    Pouring pouring = context.channel().attr(POURING).get();
    if (pouring != null && pouring.resume(context)) {
      context.channel().attr(POURING).set(null);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
