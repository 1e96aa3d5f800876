package io.heddle.conformance;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Sends back what it gets, as it comes, in the ways of which {@link FaultServer} knows none. */
@SuppressWarnings("FutureReturnValueIgnored") // what cannot be sent back, the client waits for
public final class EchoServer implements AutoCloseable {

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel channel;

  private EchoServer(Consumer<Channel> connection) {
    this.channel =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel accepted) {
                    connection.accept(accepted);
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
  }

  /** HTTP/2 with prior knowledge: 200 as soon as the head is there, then each byte of the body. */
  public static EchoServer duplex() {
    return new EchoServer(
        accepted ->
            accepted
                .pipeline()
                .addLast(Http2FrameCodecBuilder.forServer().build())
                .addLast(new Http2MultiplexHandler(new DuplexStream())));
  }

  /** HTTP/1.1: web sockets at {@code /socket}. */
  public static EchoServer webSockets() {
    return new EchoServer(
        accepted ->
            accepted
                .pipeline()
                .addLast(new HttpServerCodec())
                .addLast(new HttpObjectAggregator(10_000))
                .addLast(new WebSocketServerProtocolHandler("/socket"))
                .addLast(
                    new SimpleChannelInboundHandler<TextWebSocketFrame>() {
                      @Override
                      protected void channelRead0(
                          ChannelHandlerContext context, TextWebSocketFrame frame) {
                        context.writeAndFlush(new TextWebSocketFrame(frame.text()));
                      }
                    }));
  }

  /** HTTP/1.1: switches to a protocol that sends back each byte. */
  public static EchoServer upgrades() {
    return new EchoServer(accepted -> accepted.pipeline().addLast(new Upgrade()));
  }

  /** A URI of the server. */
  public String uri(String path) {
    return "http://127.0.0.1:" + ((InetSocketAddress) channel.localAddress()).getPort() + path;
  }

  /** Ends the server and its thread. */
  @Override
  public void close() {
    channel.close().syncUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static final class DuplexStream extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel stream) {
      stream
          .pipeline()
          .addLast(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object frame) {
                  if (frame instanceof Http2HeadersFrame) {
                    context.writeAndFlush(
                        new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
                  } else if (frame instanceof Http2DataFrame data) {
                    context.writeAndFlush(
                        new DefaultHttp2DataFrame(data.content(), data.isEndStream()));
                  }
                }
              });
    }
  }

  private static final class Upgrade extends ChannelInboundHandlerAdapter {
    private final StringBuilder head = new StringBuilder();
    private boolean upgraded;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      if (upgraded) {
        context.writeAndFlush(bytes);
        return;
      }
      head.append(bytes.toString(StandardCharsets.US_ASCII));
      bytes.release();
      if (head.indexOf("\r\n\r\n") > 0) {
        upgraded = true;
        String answer =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
        context.writeAndFlush(Unpooled.copiedBuffer(answer, StandardCharsets.US_ASCII));
      }
    }
  }
}
