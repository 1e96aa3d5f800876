package io.heddle.conformance;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
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
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2SettingsFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.codec.http2.UniformStreamByteDistributor;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
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

  /** For thousands of handshakes at a time on a busy machine, where Netty would give up in 10 s. */
  private static final long HANDSHAKE_MILLIS = 120_000;

  /** How long a connection of HTTP/2 that is to end is still read, in ms. */
  private static final long LINGER_MILLIS = Bounds.patientMillis(2000);

  private static final int SOCKET_BUFFER = 128 * 1024;
  private static final int CONNECTION_WINDOW = 16 * 1024 * 1024;
  private static final int MAX_STREAMS = 100;

  /** Which connection a channel is, from 1. */
  private static final AttributeKey<Integer> CONNECTION =
      AttributeKey.valueOf(FaultServer.class, "connection");

  /** How many requests a connection has brought. */
  private static final AttributeKey<Integer> REQUESTS =
      AttributeKey.valueOf(FaultServer.class, "requests");

  /** The host that the first request of a connection was for. */
  private static final AttributeKey<String> HOST = AttributeKey.valueOf(FaultServer.class, "host");

  /** How many streams of a connection are taken and not over. */
  private static final AttributeKey<Integer> STREAMS =
      AttributeKey.valueOf(FaultServer.class, "streams");

  /** Whose connection it is. */
  private static final AttributeKey<FaultServer> SERVER =
      AttributeKey.valueOf(FaultServer.class, "server");

  /** Whether a connection of HTTP/2 takes no further streams. */
  private static final AttributeKey<Boolean> LEAVING =
      AttributeKey.valueOf(FaultServer.class, "leaving");

  /** Whether the server has told of that, which it then does not look at. */
  private static final AttributeKey<Boolean> TOLD = AttributeKey.valueOf(FaultServer.class, "told");

  static {
    LostBuffers.install(); // before the first buffer
  }

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
  private final Map<String, List<Seen>> arrived = new ConcurrentHashMap<>();
  private final Queue<String> malformed = new ConcurrentLinkedQueue<>();
  private final Set<Integer> broken = ConcurrentHashMap.newKeySet();

  private volatile long brokenAt = System.nanoTime() - TimeUnit.DAYS.toNanos(1);
  private volatile long narrowedAt = brokenAt;
  private volatile int maxStreams;
  private volatile int requestsPerConnection = Integer.MAX_VALUE;

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

  /** The cipher suites that the server speaks, the quickest first. */
  public static List<String> ciphers() {
    return Certificates.CIPHERS;
  }

  /**
   * The server's side of TLS, for a server of one's own; offers no protocol by ALPN. Its client's
   * side, too, where the server asks for a certificate.
   */
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
    return arrived(uri).stream().filter(each -> !each.isOverlooked()).toList();
  }

  /** As {@link #seen}, with those that the server has refused to look at. */
  List<Seen> arrived(URI uri) {
    return List.copyOf(arrived.getOrDefault(uri.getPath(), List.of()));
  }

  /** Forgets the requests for this URI. */
  void forget(URI uri) {
    arrived.remove(uri.getPath());
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
      narrowedAt = System.nanoTime();
      // Waits, so that no response to a later request overtakes it.
      each.writeAndFlush(
              new DefaultHttp2SettingsFrame(new Http2Settings().maxConcurrentStreams(streams)))
          .awaitUninterruptibly();
    }
  }

  /**
   * Takes only so many requests on each connection. Then HTTP/1.1 says {@code Connection: close};
   * HTTP/2 says by GOAWAY which request was the last one, does not look at what comes after it, and
   * closes once what it took is answered. Many servers do so by default.
   */
  public void requestsPerConnection(int requests) {
    requestsPerConnection = requests;
  }

  /**
   * HTTP/2: leaves all connections that are open now, in the two steps of RFC 9113, 6.8: says that
   * it will leave, takes what comes, and says after this time which stream was the last.
   */
  void leaveInTwoSteps(Duration between) {
    for (Channel each : open) {
      each.eventLoop().execute(() -> announceLeaving(each));
      each.eventLoop().schedule(() -> leaveNow(each), between.toMillis(), MILLISECONDS);
    }
  }

  /** Unless the last stream has been told: a later GOAWAY can only tell an earlier one. */
  private static void announceLeaving(Channel connection) {
    if (!connection.attr(LEAVING).get()) {
      sayLast(connection, Integer.MAX_VALUE);
    }
  }

  private static void leaveNow(Channel connection) {
    if (!connection.attr(LEAVING).get()
        && connection.pipeline().get(CODEC) instanceof Http2ConnectionHandler codec) {
      leaveAfter(connection, codec.connection().remote().lastStreamCreated());
    }
  }

  /**
   * All connections that are open now go dead: they stay open, and nothing that a client sends on
   * them arrives any more, until {@link #readOn()}. New ones work.
   */
  void killPaths() {
    for (Channel each : open) {
      // On its thread, so that it is not just about to read.
      each.eventLoop().submit(() -> each.config().setAutoRead(false)).awaitUninterruptibly();
    }
  }

  /**
   * What came since this was last asked that is no request, or one that cannot be: bytes that do
   * not parse, a request before the one before it was answered, or one of HTTP/2 whose body is not
   * as long as its Content-Length says; and what Netty ends a connection of HTTP/2 for.
   */
  List<String> takeMalformed() {
    List<String> taken = new ArrayList<>();
    for (String each = malformed.poll(); each != null; each = malformed.poll()) {
      taken.add(each);
    }
    return taken;
  }

  /** Reads on, on all connections, wherever a script had stopped: who has left is seen to leave. */
  void readOn() {
    for (Channel each : open) {
      each.config().setAutoRead(true);
    }
  }

  /** Whether the server has ended this connection under whatever was on it. */
  boolean hasBroken(int connection) {
    return broken.contains(connection);
  }

  /** It was the client that has ended this connection, which is known of its library. */
  void excuse(int connection) {
    broken.add(connection);
  }

  /** When the server last ended a connection so, by {@link System#nanoTime()}. */
  long brokenAt() {
    return brokenAt;
  }

  /**
   * HTTP/2: when the server last said that a connection takes no further streams, or fewer at a
   * time, by {@link System#nanoTime()}.
   */
  long narrowedAt() {
    return narrowedAt;
  }

  /** The server is about to end a connection under whatever is on it. */
  static void breaks(Channel connection) {
    FaultServer server = connection.attr(SERVER).get();
    server.broken.add(connection.attr(CONNECTION).get());
    server.brokenAt = System.nanoTime();
  }

  /** Whether the connection's first request was for another host. */
  static boolean isMisdirected(Channel connection, HttpRequest request) {
    String host = String.valueOf(request.headers().get(HttpHeaderNames.HOST));
    String first = connection.attr(HOST).setIfAbsent(host);
    return first != null && !first.equals(host);
  }

  /** Closes all connections, in good order. */
  public void closeConnections() {
    open.forEach(FaultServer::end);
  }

  /** Closes this connection, if it is open, in good order: over HTTP/2 with a last GOAWAY. */
  void closeConnection(int connection) {
    open.stream()
        .filter(each -> each.attr(CONNECTION).get() == connection)
        .forEach(FaultServer::end);
  }

  private static void end(Channel connection) {
    breaks(connection);
    connection.close();
  }

  /** Resets all connections. */
  public void resetConnections() {
    for (Channel each : open) {
      breaks(each);
      each.eventLoop().execute(() -> reset(each));
    }
  }

  /** Resets a connection; on its event loop. */
  static void reset(Channel connection) {
    ChannelHandlerContext first = connection.pipeline().firstContext();
    if (first != null && connection.isOpen()) { // else it is closed
      connection.config().setOption(ChannelOption.SO_LINGER, 0);
      first.close(); // past TLS, which would say good-bye
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
    channel.attr(SERVER).set(this);
    channel.attr(CONNECTION).set(accepted.incrementAndGet());
    open.add(channel);
    channel.closeFuture().addListener(closed -> open.remove(channel));
    channel.attr(REQUESTS).set(0);
    channel.attr(STREAMS).set(0);
    channel.attr(LEAVING).set(false);
    channel.attr(TOLD).set(false);
    ChannelPipeline pipeline = channel.pipeline();
    if (tls != null) {
      SslHandler handler = tls.newHandler(channel.alloc());
      handler.setHandshakeTimeoutMillis(HANDSHAKE_MILLIS);
      pipeline.addLast(handler);
      pipeline.addLast(new Farewell());
    }
    if (!wire.isMultiplexed()) {
      pipeline.addLast(CODEC, new HttpServerCodec());
      pipeline.addLast(new Requests(null));
      return;
    }
    Http2FrameCodecBuilder codec = Http2FrameCodecBuilder.forServer();
    codec.initialSettings(new Http2Settings().maxConcurrentStreams(maxStreams));
    // The rules cancel more streams in a second than a server in the open would put up with.
    codec.decoderEnforceMaxRstFramesPerWindow(0, 0);
    codec.encoderEnforceMaxRstFramesPerWindow(0, 0);
    StreamLimit streams = new StreamLimit(shareEvenly(codec.build()));
    pipeline.addLast(CODEC, streams.codec);
    pipeline.addLast(
        new Http2MultiplexHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel stream) {
                stream.pipeline().addLast(new Http2StreamFrameToHttpObjectCodec(true));
                stream.pipeline().addLast(new Requests(streams.isExceeded() ? streams : null));
              }
            }));
    pipeline.addLast(streams);
    pipeline.addLast(new Departures());
    // One stream that is not read must not hold the window of all.
    channel.write(new DefaultHttp2WindowUpdateFrame(CONNECTION_WINDOW));
  }

  /**
   * Has all streams write in turn. The order that Netty has by default breaks: now and then it
   * comes to a stream that is no more, which ends the connection under all others.
   */
  private static Http2FrameCodec shareEvenly(Http2FrameCodec codec) {
    Http2Connection connection = codec.connection();
    connection
        .remote()
        .flowController(
            new DefaultHttp2RemoteFlowController(
                connection, new UniformStreamByteDistributor(connection)));
    return codec;
  }

  /** Ends a connection whose client has said that it ends, as servers do; Netty leaves it open. */
  private static final class Farewell extends ChannelInboundHandlerAdapter {
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof SslCloseCompletionEvent) {
        context.close();
      }
      context.fireUserEventTriggered(event);
    }
  }

  /** Of the protocol's streams: a stream's channel may end a moment after the stream. */
  private void countStreams(Channel stream) {
    if (stream instanceof Http2StreamChannel) {
      Http2ConnectionHandler codec = (Http2ConnectionHandler) stream.parent().pipeline().get(CODEC);
      int active = codec.connection().remote().numActiveStreams();
      peakStreams.accumulateAndGet(active, Math::max);
    }
  }

  private static Channel connection(Channel channel) {
    return channel instanceof Http2StreamChannel ? channel.parent() : channel;
  }

  /** Counts a request; whether it is the last one that its connection is to bring. */
  private boolean isLast(Channel connection) {
    int requests = connection.attr(REQUESTS).get() + 1;
    connection.attr(REQUESTS).set(requests);
    return requests == requestsPerConnection;
  }

  /**
   * HTTP/2: says that no stream after {@code last} is taken, and closes when all others are over.
   * By hand: Netty's codec takes the bodies of such streams for an error of the connection.
   */
  private static void leaveAfter(Channel connection, int last) {
    connection.attr(LEAVING).set(true);
    connection.attr(TOLD).set(true);
    sayLast(connection, last);
    count(connection, 0);
  }

  private static void sayLast(Channel connection, int stream) {
    connection.attr(SERVER).get().narrowedAt = System.nanoTime(); // before the client can hear it
    ChannelHandlerContext codec = connection.pipeline().context(CODEC);
    if (codec == null) {
      return; // it is closed
    }
    ((Http2ConnectionHandler) codec.handler())
        .encoder()
        .frameWriter()
        .writeGoAway(
            codec,
            stream,
            Http2Error.NO_ERROR.code(),
            Unpooled.EMPTY_BUFFER,
            connection.newPromise());
    connection.flush();
  }

  /** HTTP/2: counts the streams that are taken and not over. */
  private static void count(Channel connection, int more) {
    int streams = connection.attr(STREAMS).get() + more;
    connection.attr(STREAMS).set(streams);
    if (streams == 0 && connection.attr(LEAVING).get()) {
      // Later: with bytes of the client's still unread, the end would be a reset, which drops what
      // was sent last.
      // Past the codec, which would say a GOAWAY of its own.
      connection
          .eventLoop()
          .schedule(
              () -> connection.pipeline().context(CODEC).close(), LINGER_MILLIS, MILLISECONDS);
    }
  }

  /**
   * Refuses streams beyond their number. Netty's codec would do so too, and then take all that
   * follows on such a stream, be it only its reset, for an error of the connection. Its event
   * loop's alone.
   */
  private static final class StreamLimit extends ChannelInboundHandlerAdapter {
    private final Http2FrameCodec codec;
    private int max = Integer.MAX_VALUE;
    private int refused;

    StreamLimit(Http2FrameCodec codec) {
      this.codec = codec;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
      Http2Connection.Endpoint<?> client = codec.connection().remote();
      if (client.maxActiveStreams() < Integer.MAX_VALUE) { // from the start, then as acknowledged
        max = client.maxActiveStreams();
        client.maxActiveStreams(Integer.MAX_VALUE);
      }
      ctx.fireChannelRead(msg);
    }

    /** Whether the stream that has just been opened is one too many: it is to be refused. */
    boolean isExceeded() {
      boolean exceeded = codec.connection().remote().numActiveStreams() - refused > max;
      if (exceeded) {
        refused++; // until it is said, it counts as active
      }
      return exceeded;
    }

    void refuse(ChannelHandlerContext stream) {
      stream
          .writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.REFUSED_STREAM))
          .addListener(said -> refused--);
    }
  }

  /** The end of a connection of HTTP/2 whose client leaves, be it without a word. */
  private static final class Departures extends ChannelInboundHandlerAdapter {

    /** Some clients say good-bye, and leave it to the server to close. */
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
      if (msg instanceof Http2GoAwayFrame) {
        ctx.channel().attr(LEAVING).set(true);
        count(ctx.channel(), 0);
      }
      ReferenceCountUtil.release(msg);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      if (cause instanceof Http2Exception) { // for which Netty ends the connection
        Http2ConnectionHandler codec = (Http2ConnectionHandler) ctx.pipeline().get(CODEC);
        breaks(ctx.channel()); // so that this alone is told, and not each call that was on it
        // Once it has said GOAWAY by itself, Netty takes the bodies of later streams for such.
        if (!codec.connection().goAwaySent()) {
          ctx.channel()
              .attr(SERVER)
              .get()
              .malformed
              .add("the client's fault: " + cause.getMessage());
        }
      }
      ctx.close(); // the streams' channelInactive tells
    }
  }

  /** Makes a {@link ServerExchange} of each request. */
  private final class Requests extends ChannelInboundHandlerAdapter {
    private final @Nullable StreamLimit exceeded;
    private @Nullable ServerExchange current;

    /** Of a stream, or of a connection of HTTP/1.1; exceeded: of a stream that is one too many. */
    Requests(@Nullable StreamLimit exceeded) {
      this.exceeded = exceeded;
    }

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
      Channel connection = connection(ctx.channel());
      if (request.decoderResult().isFailure() || current != null) {
        malformed.add(
            "on connection "
                + connection.attr(CONNECTION).get()
                + (current == null ? "" : ", before the request before it was over")
                + ": "
                + request.method()
                + " "
                + request.uri());
        ctx.close();
        return;
      }
      URI uri = URI.create(request.uri());
      Script script = Script.of(uri);
      Seen record =
          new Seen(
              ctx.channel(),
              request.method().name(),
              request.headers().entries(),
              connection.attr(CONNECTION).get(),
              script.from());
      List<Seen> all = arrived.computeIfAbsent(uri.getPath(), path -> new CopyOnWriteArrayList<>());
      all.add(record);
      if (exceeded != null) {
        record.overlooked();
        exceeded.refuse(ctx);
        return;
      }
      if (connection.attr(LEAVING).get()) {
        record.ignored(connection.attr(TOLD).get());
        return;
      }
      boolean last = isLast(connection);
      if (ctx.channel() instanceof Http2StreamChannel stream) {
        count(connection, 1);
        stream.closeFuture().addListener(closed -> count(connection, -1));
        if (last) {
          leaveAfter(connection, stream.stream().id());
        }
      }
      countStreams(ctx.channel());
      int looked = (int) all.stream().filter(each -> !each.isOverlooked()).count();
      current =
          new ServerExchange(ctx, request, script, record, looked - 1, last, () -> current = null);
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

    /** The client left; channelInactive tells. Or its stream cannot be. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      if (cause instanceof Http2FrameStreamException broken) {
        malformed.add(String.valueOf(broken.getMessage()));
      }
      ctx.close();
    }
  }
}
