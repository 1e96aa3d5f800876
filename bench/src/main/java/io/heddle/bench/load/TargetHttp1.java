package io.heddle.bench.load;

import io.heddle.bench.contestants.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** The target server's HTTP/1.1: one request after the other. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails is a client that left
final class TargetHttp1 extends ChannelInboundHandlerAdapter {

  private final TargetControl control;
  private Wish wish = Wish.of("/");
  private @Nullable Pouring pouring;

  TargetHttp1(TargetControl control) {
    this.control = control;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request) {
      wish = Wish.of(request.uri());
      control.arrived(Wire.HTTP_1);
    }
    if (message instanceof HttpContent content) {
      control.received(content.content().readableBytes());
    }
    if (message instanceof LastHttpContent) {
      ByteBuf text = control.control(wish);
      if (text != null) {
        answer(context, text);
      } else {
        Wish asked = wish;
        control.answerInTime(context, asked, () -> answer(context, asked.bytes()));
      }
    }
    ReferenceCountUtil.release(message);
  }

  private void answer(ChannelHandlerContext context, long bytes) {
    if (bytes <= Wish.PIECE) {
      answer(context, Wish.zeros(bytes));
      return;
    }
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head.headers().set(HttpHeaderNames.CONTENT_LENGTH, bytes);
    context.write(head, context.voidPromise());
    pouring =
        new Pouring(
            bytes,
            (piece, isLast) ->
                isLast ? new DefaultLastHttpContent(piece) : new DefaultHttpContent(piece));
    channelWritabilityChanged(context);
  }

  private static void answer(ChannelHandlerContext context, ByteBuf body) {
    int length = body.readableBytes();
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, length);
    context.writeAndFlush(response, context.voidPromise());
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (pouring != null && pouring.resume(context)) {
      pouring = null;
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close(); // a client that left
  }
}
