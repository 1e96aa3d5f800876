package io.heddle.bench;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerUpgradeHandler;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http2.CleartextHttp2ServerUpgradeHandler;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The server that is called: small answers, at once or after a delay, over HTTP/1.1 and HTTP/2
 * without TLS on one port of the loopback.
 *
 * <p>{@code /?bytes=N&delay=MS} answers with N bytes (default 128) after MS milliseconds (default
 * 0). A request body is read and dropped.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails is a client that left
final class TargetServer implements AutoCloseable {

  /** As most servers allow at a time; nginx has 128, Jetty 1,024. */
  private static final int MAX_CONCURRENT_STREAMS = 1_000;

  private final MultiThreadIoEventLoopGroup loops;
  private final Channel listening;

  TargetServer(int threads) throws InterruptedException {
    loops = new MultiThreadIoEventLoopGroup(threads, NioIoHandler.newFactory());
    listening =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 8_192)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(new Connections())
            .bind("127.0.0.1", 0)
            .sync()
            .channel();
  }

  int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  @Override
  public void close() {
    listening.close().syncUninterruptibly();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** What a request asks for. */
  private record Wish(int bytes, long delayMillis) {

    static Wish of(String uri) {
      QueryStringDecoder query = new QueryStringDecoder(uri);
      return new Wish(number(query, "bytes", 128), number(query, "delay", 0));
    }

    private static int number(QueryStringDecoder query, String name, int otherwise) {
      List<String> values = query.parameters().get(name);
      return values == null ? otherwise : Integer.parseInt(values.get(0));
    }

    ByteBuf body() {
      return Unpooled.wrappedBuffer(new byte[bytes]);
    }

    /** Now, or later on the same event loop. */
    void after(ChannelHandlerContext context, Runnable answer) {
      if (delayMillis == 0) {
        answer.run();
      } else {
        context.executor().schedule(answer, delayMillis, TimeUnit.MILLISECONDS);
      }
    }
  }

  /** HTTP/2 for connections that begin with its preface, HTTP/1.1 for others. */
  private static final class Connections extends ChannelInitializer<Channel> {

    @Override
    protected void initChannel(Channel connection) {
      HttpServerCodec http1 = new HttpServerCodec();
      ChannelHandler http2 =
          new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel connection) {
              connection.pipeline().remove(Exchange.class);
              connection
                  .pipeline()
                  .addLast(
                      Http2FrameCodecBuilder.forServer()
                          .initialSettings(
                              new Http2Settings().maxConcurrentStreams(MAX_CONCURRENT_STREAMS))
                          .build(),
                      new Http2MultiplexHandler(new Stream()),
                      new Gone());
            }
          };
      connection
          .pipeline()
          .addLast(
              new CleartextHttp2ServerUpgradeHandler(
                  http1, new HttpServerUpgradeHandler(http1, protocol -> null), http2))
          .addLast(new Exchange());
    }
  }

  /** HTTP/1.1: one request after the other. */
  private static final class Exchange extends ChannelInboundHandlerAdapter {
    private Wish wish = new Wish(0, 0);

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest request) {
        wish = Wish.of(request.uri());
      }
      if (message instanceof LastHttpContent) {
        wish.after(context, () -> answer(context, wish));
      }
      ReferenceCountUtil.release(message);
    }

    private static void answer(ChannelHandlerContext context, Wish wish) {
      FullHttpResponse response =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, wish.body());
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, wish.bytes());
      context.writeAndFlush(response, context.voidPromise());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close(); // a client that left
    }
  }

  /** The end of a connection whose client has left without a word. */
  private static final class Gone extends ChannelInboundHandlerAdapter {

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  /** One HTTP/2 stream. */
  @ChannelHandler.Sharable
  private static final class Stream extends ChannelInboundHandlerAdapter {
    private static final AttributeKey<Wish> WISH = AttributeKey.valueOf("wish");

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof Http2HeadersFrame head) {
        Wish wish = Wish.of(String.valueOf(head.headers().path()));
        context.channel().attr(WISH).set(wish);
        answerIf(head.isEndStream(), context);
      } else if (message instanceof Http2DataFrame data) {
        boolean last = data.isEndStream();
        data.release();
        answerIf(last, context);
      } else {
        ReferenceCountUtil.release(message);
      }
    }

    private static void answerIf(boolean requestComplete, ChannelHandlerContext context) {
      if (requestComplete) {
        Wish wish = context.channel().attr(WISH).get();
        wish.after(context, () -> answer(context, wish));
      }
    }

    private static void answer(ChannelHandlerContext context, Wish wish) {
      Http2Headers head =
          new DefaultHttp2Headers()
              .status("200")
              .setInt(HttpHeaderNames.CONTENT_LENGTH, wish.bytes());
      context.write(new DefaultHttp2HeadersFrame(head));
      context.writeAndFlush(new DefaultHttp2DataFrame(wish.body(), true));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
