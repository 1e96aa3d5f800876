package io.heddle.bench.load;

import io.heddle.bench.contestants.Certificate;
import io.heddle.bench.contestants.Wire;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerUpgradeHandler;
import io.netty.handler.codec.http2.CleartextHttp2ServerUpgradeHandler;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ServerUpgradeCodec;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.AsciiString;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;

/**
 * The server that is called: answers at once or later, over HTTP/1.1 and HTTP/2, without TLS on one
 * port of several addresses of the loopback, and with TLS on another port.
 *
 * <p>{@code /?bytes=N&delay=MS} answers with N bytes (default 128) after MS milliseconds (default
 * 0); {@link TargetControl} has more. A request body is read and dropped.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a close that fails is a client that left
public final class TargetServer implements AutoCloseable {

  /** As most servers allow at a time; nginx has 128, Jetty 1,024. */
  static final int MAX_CONCURRENT_STREAMS = 1_000;

  private final MultiThreadIoEventLoopGroup loops;
  private final List<Channel> listening = new ArrayList<>();
  private final TargetControl control = new TargetControl();
  private final AtomicInteger connections = new AtomicInteger();
  private final int port;
  private final int tlsPort;

  /**
   * Listens.
   *
   * @param addresses how many, from 127.0.0.1 on
   */
  public TargetServer(int threads, int addresses) throws InterruptedException {
    loops = new MultiThreadIoEventLoopGroup(threads, NioIoHandler.newFactory());
    port = listen("127.0.0.1", 0, new Plain());
    tlsPort = listen("127.0.0.1", 0, new Tls());
    for (int i = 2; i <= addresses; i++) {
      listen("127.0.0." + i, port, new Plain());
    }
  }

  private int listen(String address, int port, ChannelHandler connections)
      throws InterruptedException {
    Channel channel =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 8_192)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(connections)
            .bind(address, port)
            .sync()
            .channel();
    listening.add(channel);
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  public int port() {
    return port;
  }

  public int tlsPort() {
    return tlsPort;
  }

  /** How many bytes of requests' bodies have arrived. */
  public long bodyBytes() {
    return control.bodyBytes();
  }

  /** How many connections without TLS there have been. */
  public int connections() {
    return connections.get();
  }

  /** How many requests have arrived by this wire. */
  public long requests(Wire wire) {
    return control.requests(wire);
  }

  @Override
  public void close() {
    listening.forEach(each -> each.close().syncUninterruptibly());
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static Http2FrameCodec frames() {
    return Http2FrameCodecBuilder.forServer()
        .initialSettings(new Http2Settings().maxConcurrentStreams(MAX_CONCURRENT_STREAMS))
        .build();
  }

  /** HTTP/2 for connections that begin with its preface or ask for it, HTTP/1.1 for others. */
  private final class Plain extends ChannelInitializer<Channel> {

    private static final int LONGEST_UPGRADE = 4 << 20;

    @Override
    protected void initChannel(Channel connection) {
      connections.incrementAndGet();
      HttpServerCodec http1 = new HttpServerCodec();
      ChannelHandler http2 =
          new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel connection) {
              connection.pipeline().remove(TargetHttp1.class);
              connection
                  .pipeline()
                  .addLast(
                      frames(), new Http2MultiplexHandler(new TargetHttp2(control)), new Gone());
            }
          };
      HttpServerUpgradeHandler upgrade =
          new HttpServerUpgradeHandler(
              http1,
              protocol ->
                  AsciiString.contentEquals(Http2CodecUtil.HTTP_UPGRADE_PROTOCOL_NAME, protocol)
                      ? new Http2ServerUpgradeCodec(
                          frames(), new Http2MultiplexHandler(new TargetHttp2(control)))
                      : null,
              LONGEST_UPGRADE);
      connection
          .pipeline()
          .addLast(new CleartextHttp2ServerUpgradeHandler(http1, upgrade, http2))
          .addLast(new TargetHttp1(control));
    }
  }

  /** What ALPN says. */
  private final class Tls extends ChannelInitializer<Channel> {
    private final SslContext context = context();

    private static SslContext context() {
      try {
        return SslContextBuilder.forServer(Certificate.keys())
            .sslProvider(SslProvider.JDK)
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2,
                    ApplicationProtocolNames.HTTP_1_1))
            .build();
      } catch (SSLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    protected void initChannel(Channel connection) {
      connection.pipeline().addLast(context.newHandler(connection.alloc()), new Negotiated());
    }
  }

  private final class Negotiated extends ApplicationProtocolNegotiationHandler {

    Negotiated() {
      super(ApplicationProtocolNames.HTTP_1_1);
    }

    @Override
    protected void configurePipeline(ChannelHandlerContext context, String protocol) {
      if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
        context
            .pipeline()
            .addLast(frames(), new Http2MultiplexHandler(new TargetHttp2(control)), new Gone());
      } else {
        context.pipeline().addLast(new HttpServerCodec(), new TargetHttp1(control));
      }
    }

    @Override
    protected void handshakeFailure(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  /** The end of a connection whose client has left without a word. */
  private static final class Gone extends ChannelInboundHandlerAdapter {

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
