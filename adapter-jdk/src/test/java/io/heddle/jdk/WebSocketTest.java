package io.heddle.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Web sockets are the wrapped client's. */
@Timeout(60)
class WebSocketTest {

  /** What the other side sends, and how it ends. */
  private static final class Listener implements WebSocket.Listener {
    final CompletableFuture<String> received = new CompletableFuture<>();
    final CompletableFuture<Integer> closed = new CompletableFuture<>();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
      received.complete(text.toString());
      socket.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      closed.complete(code);
      return null;
    }
  }

  /** Says back what it hears. */
  private static final class Echo implements AutoCloseable {
    private final EventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel port;

    Echo() {
      port =
          new ServerBootstrap()
              .group(loops)
              .channel(NioServerSocketChannel.class)
              .childHandler(
                  new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel
                          .pipeline()
                          .addLast(new HttpServerCodec(), new HttpObjectAggregator(8192))
                          .addLast(new WebSocketServerProtocolHandler("/"), new Back());
                    }
                  })
              .bind(InetAddress.getLoopbackAddress(), 0)
              .syncUninterruptibly()
              .channel();
    }

    URI uri() {
      return URI.create("ws://127.0.0.1:" + ((InetSocketAddress) port.localAddress()).getPort());
    }

    @Override
    public void close() {
      loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  private static final class Back extends SimpleChannelInboundHandler<TextWebSocketFrame> {
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the peer hears of a connection that breaks
    protected void channelRead0(ChannelHandlerContext ctx, TextWebSocketFrame frame) {
      ctx.writeAndFlush(frame.retain());
    }
  }

  @Test
  void messagesGoBothWays() throws Exception {
    try (Echo echo = new Echo();
        HttpClient client = BlockingJdkHttpClient.wrap(HttpClient.newHttpClient())) {
      Listener listener = new Listener();
      WebSocket socket = client.newWebSocketBuilder().buildAsync(echo.uri(), listener).get();
      socket.sendText("shuttle", true).get();
      assertEquals("shuttle", listener.received.get());
      socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get();
      assertEquals(WebSocket.NORMAL_CLOSURE, listener.closed.get());
    }
  }
}
