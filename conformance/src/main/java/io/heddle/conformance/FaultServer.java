package io.heddle.conformance;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.DefaultHttp2SettingsFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A server for one {@link Wire}, on real sockets, that does what the {@link Script} in the URI of
 * each request says, and keeps a record of what it {@link Seen saw}.
 *
 * <p>It has two threads, named {@value #THREADS}, and waits with timers: a thousand stalled
 * requests cost it no thread. Send and receive buffers of its sockets are small, so that a peer
 * that stops shows soon.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails shows as a closed channel
public final class FaultServer implements AutoCloseable {

  /** The beginning of the names of all threads of all servers. */
  public static final String THREADS = "fault-server";

  static final String CODEC = "codec";

  private static final int SOCKET_BUFFER = 128 * 1024;
  private static final int CONNECTION_WINDOW = 16 * 1024 * 1024;
  private static final int MAX_STREAMS = 100;

  /** Which connection a channel is, from 1. */
  private static final AttributeKey<Integer> CONNECTION =
      AttributeKey.valueOf(FaultServer.class, "connection");

  private final Wire wire;
  private final @Nullable SslContext tls;
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(
          2, new DefaultThreadFactory(THREADS, true), NioIoHandler.newFactory());
  private final Channel listener;
  private final AtomicInteger uris = new AtomicInteger();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger peakStreams = new AtomicInteger();
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();
  private final Map<String, List<Seen>> seen = new ConcurrentHashMap<>();

  private volatile int maxStreams;

  private FaultServer(Wire wire, Certificates certificate, int maxStreams) {
    this.wire = wire;
    this.maxStreams = maxStreams;
    this.tls = wire.isTls() ? certificate.serverContext(wire) : null;
    this.listener =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER)
            .childOption(ChannelOption.SO_SNDBUF, SOCKET_BUFFER)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                })
            .bind("127.0.0.1", 0)
            .syncUninterruptibly()
            .channel();
  }

  /** A server that listens at 127.0.0.1, and lets a client of HTTP/2 have 100 streams at a time. */
  public static FaultServer start(Wire wire) {
    return start(wire, Certificates.RIGHT, MAX_STREAMS);
  }

  static FaultServer start(Wire wire, Certificates certificate, int maxStreams) {
    return new FaultServer(wire, certificate, maxStreams);
  }

  /** Starts a server for each wire, and prints their ports as one line of {@code WIRE=port}. */
  public static void main(String[] args) throws InterruptedException {
    List<String> ports = new ArrayList<>();
    for (Wire wire : Wire.values()) {
      ports.add(wire + "=" + start(wire).port());
    }
    System.out.println(String.join(" ", ports));
    Thread.currentThread().join(); // until the process is ended
  }

  /** What a client has to trust where the server speaks TLS; for 127.0.0.1 and localhost. */
  public static X509Certificate certificate() {
    return Certificates.RIGHT.certificate();
  }

  /** The server's side of TLS, for a server of one's own; offers no protocol by ALPN. */
  public static SSLContext sslContext() {
    return Certificates.RIGHT.sslContext();
  }

  /** The port that the server listens at. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** A URI of its own for this script; {@link #seen(URI)} tells what came for it. */
  public URI uri(Script script) {
    return uri("127.0.0.1", script);
  }

  /** Like {@link #uri(Script)}, with another name for the host. */
  public URI uri(String host, Script script) {
    return URI.create(
        wire.scheme()
            + "://"
            + host
            + ":"
            + port()
            + "/"
            + uris.incrementAndGet()
            + "?"
            + script.query());
  }

  /** The requests for this URI so far, in the order in which they came. */
  public List<Seen> seen(URI uri) {
    return List.copyOf(seen.getOrDefault(uri.getPath(), List.of()));
  }

  /** How many connections were ever accepted. */
  public int connectionsAccepted() {
    return accepted.get();
  }

  /** How many connections are open now. */
  public int connectionsOpen() {
    return open.size();
  }

  /**
   * HTTP/2: how many streams were open at a time, at most, on any one connection, since this was
   * last asked.
   */
  public int takePeakStreams() {
    return peakStreams.getAndSet(0);
  }

  /**
   * HTTP/2: tells all clients, and those to come, how many streams they may have at a time; returns
   * when all have been told.
   */
  public void maxStreams(int streams) {
    maxStreams = streams;
    for (Channel each : open) {
      // Waits, so that no response to a later request overtakes it.
      each.writeAndFlush(
              new DefaultHttp2SettingsFrame(new Http2Settings().maxConcurrentStreams(streams)))
          .awaitUninterruptibly();
    }
  }

  /** Reads on, on all connections, wherever a script had stopped: who has left is seen to leave. */
  void readOn() {
    for (Channel each : open) {
      each.config().setAutoRead(true);
    }
  }

  /** Closes all connections, in good order. */
  public void closeConnections() {
    for (Channel each : open) {
      each.close();
    }
  }

  /** Ends the server and its threads. */
  @Override
  public void close() {
    listener.close().syncUninterruptibly();
    // One that was accepted a moment ago is still to be registered, by a task of its event loop.
    loops.forEach(loop -> loop.submit(() -> {}).awaitUninterruptibly());
    for (Channel each : open) {
      // Past TLS, and to the end: a channel that still says good-bye can outlive its event loop.
      ChannelHandlerContext first = each.pipeline().firstContext();
      (first == null ? each.close() : first.close()).awaitUninterruptibly();
    }
    loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private void accept(Channel channel) {
    open.add(channel);
    channel.closeFuture().addListener(closed -> open.remove(channel));
    channel.attr(CONNECTION).set(accepted.incrementAndGet());
    ChannelPipeline pipeline = channel.pipeline();
    if (tls != null) {
      pipeline.addLast(tls.newHandler(channel.alloc()));
    }
    if (!wire.isMultiplexed()) {
      pipeline.addLast(CODEC, new HttpServerCodec());
      pipeline.addLast(new Requests());
      return;
    }
    Http2FrameCodecBuilder codec = Http2FrameCodecBuilder.forServer();
    codec.initialSettings(new Http2Settings().maxConcurrentStreams(maxStreams));
    // The rules cancel more streams in a second than a server in the open would put up with.
    codec.decoderEnforceMaxRstFramesPerWindow(0, 0);
    codec.encoderEnforceMaxRstFramesPerWindow(0, 0);
    pipeline.addLast(CODEC, codec.build());
    pipeline.addLast(
        new Http2MultiplexHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel stream) {
                stream.pipeline().addLast(new Http2StreamFrameToHttpObjectCodec(true));
                stream.pipeline().addLast(new Requests());
              }
            }));
    pipeline.addLast(new Departures());
    // One stream that is not read must not hold the window of all.
    channel.write(new DefaultHttp2WindowUpdateFrame(CONNECTION_WINDOW));
  }

  /** Of the protocol's streams: a stream's channel may end a moment after the stream. */
  private void countStreams(Channel stream) {
    if (stream instanceof Http2StreamChannel) {
      Http2ConnectionHandler codec = (Http2ConnectionHandler) stream.parent().pipeline().get(CODEC);
      int active = codec.connection().remote().numActiveStreams();
      peakStreams.accumulateAndGet(active, Math::max);
    }
  }

  private static int connection(Channel channel) {
    Channel connection = channel instanceof Http2StreamChannel ? channel.parent() : channel;
    return connection.attr(CONNECTION).get();
  }

  /** The end of a connection of HTTP/2 whose client has left without a word. */
  private static final class Departures extends ChannelInboundHandlerAdapter {

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close(); // the streams' channelInactive tells
    }
  }

  /** Makes a {@link ServerExchange} of each request. */
  private final class Requests extends ChannelInboundHandlerAdapter {
    private @Nullable ServerExchange current;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
      try {
        if (msg instanceof HttpRequest request) {
          begin(ctx, request);
        }
        ServerExchange exchange = current;
        if (msg instanceof HttpContent content && exchange != null) {
          exchange.content(content);
        }
      } finally {
        ReferenceCountUtil.release(msg);
      }
    }

    private void begin(ChannelHandlerContext ctx, HttpRequest request) {
      if (request.decoderResult().isFailure()) {
        ctx.close();
        return;
      }
      countStreams(ctx.channel());
      URI uri = URI.create(request.uri());
      Seen record =
          new Seen(
              ctx.channel(),
              request.method().name(),
              request.headers().entries(),
              connection(ctx.channel()));
      List<Seen> all = seen.computeIfAbsent(uri.getPath(), path -> new CopyOnWriteArrayList<>());
      all.add(record);
      current =
          new ServerExchange(
              ctx, request, Script.of(uri), record, all.size() > 1, () -> current = null);
      current.begin();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      ServerExchange exchange = current;
      if (exchange != null) {
        exchange.writabilityChanged();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      ServerExchange exchange = current;
      current = null;
      if (exchange != null) {
        exchange.closed();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close(); // the client left; channelInactive tells
    }
  }
}
