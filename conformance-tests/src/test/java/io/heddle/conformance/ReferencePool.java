package io.heddle.conformance;

import io.heddle.core.Exchange;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The reference client's connections. HTTP/1.1: a slot per connection, and idle connections.
 * HTTP/2: one connection per origin, made once for all that wait, and a slot per stream.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails shows as a closed channel
final class ReferencePool {

  /** The right to one exchange on a connection. Given back once. */
  final class Lease {
    final Channel connection;
    final boolean reused;
    private final Slots slots;
    private final @Nullable String idleUnder;
    private final @Nullable Shared via;
    private final AtomicBoolean open = new AtomicBoolean(true);

    Lease(
        Channel connection,
        boolean reused,
        Slots slots,
        @Nullable String idleUnder,
        @Nullable Shared via) {
      this.connection = connection;
      this.reused = reused;
      this.slots = slots;
      this.idleUnder = idleUnder;
      this.via = via;
    }

    /** Whether the server has said that it does not look at this stream, or it was never sent. */
    boolean isRefused(int stream) {
      return via != null && (stream <= 0 || stream > via.lastStream);
    }

    /** No new exchange goes over a connection of HTTP/2 that has brought nothing since then. */
    void leaveUnlessHeardOfSince(long time) {
      synchronized (ReferencePool.this) {
        if (via != null && via.heardAt - time < 0) {
          via.gone = true;
        }
      }
    }

    void release(boolean reusable) {
      if (!open.compareAndSet(true, false)) {
        return;
      }
      if (idleUnder != null) {
        if (reusable && connection.isActive()) {
          keep(idleUnder, connection);
        } else {
          drop(connection);
        }
      }
      slots.release();
    }
  }

  /** One connection of HTTP/2, from its first wish on. */
  static final class Shared {
    // Guarded by the pool.
    final Set<Exchange<Shared>> waiting = new HashSet<>();
    @Nullable Channel channel;
    boolean ready;
    boolean used;
    boolean gone;

    volatile long heardAt = System.nanoTime();
    volatile int lastStream = Integer.MAX_VALUE; // that the server will look at
    final Slots streams = new Slots(0);
  }

  private final ReferenceClient client;
  final Slots connections;
  private final @Nullable SslContext tls;

  // Set by wrong drivers.
  volatile boolean sharesAmongHosts;
  volatile boolean missesGoAway;
  volatile boolean endsAtGoAway;

  // Guarded by this.
  private final Map<String, Deque<Channel>> idle = new HashMap<>();
  private final Map<String, Shared> shared = new HashMap<>();
  private final Set<Shared> allShared = new HashSet<>();

  // All that are open, or being opened.
  final Set<Channel> channels = ConcurrentHashMap.newKeySet();

  ReferencePool(ReferenceClient client) {
    this.client = client;
    this.connections = new Slots(client.settings.maxConnections());
    this.tls = client.settings.wire().isTls() ? tls(client.settings) : null;
  }

  int leases() {
    int leases = connections.taken();
    List<Shared> all;
    synchronized (this) {
      all = new ArrayList<>(allShared);
    }
    for (Shared each : all) {
      leases += each.streams.taken();
    }
    return leases;
  }

  void close() {
    channels.forEach(ReferencePool::drop);
  }

  Lease lease(ReferenceClient.Prepared call, String host, InetSocketAddress address)
      throws IOException {
    return client.settings.wire().isMultiplexed()
        ? stream(call, host, address)
        : connection(call, host, address);
  }

  /** Closes a connection at once: no good-bye of TLS or HTTP/2, for which the peer must read. */
  static void drop(Channel connection) {
    ChannelHandlerContext first = connection.pipeline().firstContext();
    if (first == null) {
      connection.close();
    } else {
      first.close();
    }
  }

  // ---- HTTP/1.1 -------------------------------------------------------------------------------

  private Lease connection(ReferenceClient.Prepared call, String host, InetSocketAddress address)
      throws IOException {
    ClientSettings settings = client.settings;
    String origin = host + ":" + address.getPort();
    Slots slot = call.await(connections.take(), Failure.LEASE_TIMEOUT, settings.leaseTimeout());
    boolean leased = false;
    try {
      Channel known = takeIdle(origin);
      Channel channel =
          known != null
              ? known
              : call.await(
                  connect(host, address), Failure.CONNECT_TIMEOUT, settings.connectTimeout());
      leased = true;
      return new Lease(channel, known != null, slot, origin, null);
    } finally {
      if (!leased) {
        slot.release();
      }
    }
  }

  private synchronized @Nullable Channel takeIdle(String origin) {
    Deque<Channel> known = idle.getOrDefault(origin, new ArrayDeque<>());
    for (Channel next = known.poll(); next != null; next = known.poll()) {
      if (next.isActive()) {
        return next;
      }
    }
    // Room for a new one, if the idle ones are of other origins.
    idle.values().stream()
        .filter(each -> !each.isEmpty())
        .findFirst()
        .ifPresent(other -> other.remove().close());
    return null;
  }

  private synchronized void keep(String origin, Channel connection) {
    idle.computeIfAbsent(origin, key -> new ArrayDeque<>()).push(connection);
  }

  private Exchange<Channel> connect(String host, InetSocketAddress address) {
    Exchange<Channel> connected = new Exchange<>(Channel::close);
    Channel channel = open(host, address, connected::complete, connected::fail, null);
    connected.onAbandon(() -> drop(channel));
    return connected;
  }

  // ---- HTTP/2 ---------------------------------------------------------------------------------

  private Lease stream(ReferenceClient.Prepared call, String host, InetSocketAddress address)
      throws IOException {
    ClientSettings settings = client.settings;
    Shared connection =
        call.await(join(host, address), Failure.CONNECT_TIMEOUT, settings.connectTimeout());
    Slots slot =
        call.await(connection.streams.take(), Failure.LEASE_TIMEOUT, settings.leaseTimeout());
    boolean used;
    synchronized (this) {
      used = connection.used;
      connection.used = true;
    }
    return new Lease(Kit.present(connection.channel, "channel"), used, slot, null, connection);
  }

  private synchronized Exchange<Shared> join(String host, InetSocketAddress address) {
    String whose = sharesAmongHosts ? address.getAddress().getHostAddress() : host;
    String origin = whose + ":" + address.getPort();
    Exchange<Shared> wish = new Exchange<>();
    Shared known = shared.get(origin);
    if (known == null || known.gone) {
      Shared fresh = new Shared();
      shared.put(origin, fresh);
      allShared.add(fresh);
      known = fresh;
      fresh.channel =
          open(
              host,
              address,
              channel ->
                  channel
                      .closeFuture()
                      .addListener(
                          closed ->
                              gone(fresh, new ReferenceException(Failure.RESET_BEFORE_HEAD, null))),
              failure -> gone(fresh, failure),
              new SharedEvents(fresh));
    }
    if (known.ready) {
      wish.complete(known);
    } else {
      known.waiting.add(wish);
      Shared joined = known;
      wish.onAbandon(() -> leave(joined, wish));
    }
    return wish;
  }

  private synchronized void leave(Shared connection, Exchange<Shared> wish) {
    connection.waiting.remove(wish);
    Channel channel = connection.channel;
    if (connection.waiting.isEmpty() && !connection.ready && channel != null) {
      connection.gone = true; // nobody waits any more
      drop(channel);
    }
  }

  private void ready(Shared connection) {
    List<Exchange<Shared>> waiting;
    synchronized (this) {
      connection.ready = true;
      waiting = new ArrayList<>(connection.waiting);
      connection.waiting.clear();
    }
    waiting.forEach(each -> each.complete(connection));
  }

  private void gone(Shared connection, ReferenceException reason) {
    List<Exchange<Shared>> waiting;
    synchronized (this) {
      connection.gone = true;
      waiting = new ArrayList<>(connection.waiting);
      connection.waiting.clear();
    }
    waiting.forEach(each -> each.fail(reason));
    connection.streams.fail(new ReferenceException(Failure.GOAWAY, reason)); // nothing was sent
  }

  /** What happens to a connection as a whole. */
  private final class SharedEvents extends ChannelInboundHandlerAdapter {
    private final Shared connection;

    SharedEvents(Shared connection) {
      this.connection = connection;
    }

    ChannelInboundHandlerAdapter signsOfLife() {
      return new ChannelInboundHandlerAdapter() {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
          connection.heardAt = System.nanoTime();
          ctx.fireChannelRead(msg);
        }
      };
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
      if (msg instanceof Http2SettingsFrame frame) {
        Long streams = frame.settings().maxConcurrentStreams();
        if (streams != null || !connection.ready) {
          connection.streams.max(
              streams == null ? 1000 : (int) Math.min(Integer.MAX_VALUE, streams));
        }
        if (!connection.ready) {
          ctx.writeAndFlush(new DefaultHttp2WindowUpdateFrame(16 * 1024 * 1024));
        }
        ready(connection);
      }
      if (msg instanceof Http2GoAwayFrame frame && !missesGoAway) {
        connection.lastStream = frame.lastStreamId();
        synchronized (ReferencePool.this) {
          connection.gone = true;
        }
        connection.streams.fail(new ReferenceException(Failure.GOAWAY, null));
        if (endsAtGoAway) {
          ctx.close();
        }
      }
      ReferenceCountUtil.release(msg);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      // At once: who does not read takes no GOAWAY, of which Netty queues one for each such frame.
      ctx.pipeline().firstContext().close();
    }
  }

  // ---- connecting -----------------------------------------------------------------------------

  private Channel open(
      String host,
      InetSocketAddress address,
      Consumer<Channel> connected,
      Consumer<ReferenceException> failed,
      @Nullable SharedEvents events) {
    ClientSettings settings = client.settings;
    // Not to be asked for later: a pipeline that has failed is empty.
    SslHandler handler =
        tls == null ? null : tls.newHandler(ByteBufAllocator.DEFAULT, host, address.getPort());
    ChannelFuture connecting =
        new Bootstrap()
            .group(client.loops)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) settings.connectTimeout().toMillis())
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    build(channel, handler, events);
                  }
                })
            .connect(address);
    Channel channel = connecting.channel();
    channels.add(channel);
    channel.closeFuture().addListener(closed -> channels.remove(channel));
    connecting.addListener(
        future -> {
          Throwable failure = future.cause();
          if (failure != null) {
            fail(failed, channel, connectFailure(failure));
          } else if (handler == null) {
            connected.accept(channel);
          } else {
            handler
                .handshakeFuture()
                .addListener(
                    shaken -> {
                      Throwable broken = shaken.cause();
                      if (broken == null) {
                        connected.accept(channel);
                      } else {
                        fail(failed, channel, connectFailure(broken));
                      }
                    });
          }
        });
    if (client.isClosed()) {
      drop(channel);
    }
    return channel;
  }

  private void fail(Consumer<ReferenceException> failed, Channel channel, Failure kind) {
    failed.accept(new ReferenceException(client.isClosed() ? Failure.CLOSED : kind, null));
    channel.close();
  }

  private static Failure connectFailure(Throwable failure) {
    if (failure instanceof ConnectTimeoutException) {
      return Failure.CONNECT_TIMEOUT;
    }
    if (failure instanceof SSLException) {
      return Failure.UNTRUSTED;
    }
    return failure instanceof ConnectException ? Failure.REFUSED : Failure.RESET_BEFORE_HEAD;
  }

  private static void build(
      Channel channel, @Nullable SslHandler handler, @Nullable SharedEvents events) {
    if (handler != null) {
      SSLParameters parameters = handler.engine().getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      handler.engine().setSSLParameters(parameters);
      handler.setHandshakeTimeoutMillis(0);
      // Who does not read takes no close_notify. Until this is over Netty queues what answers
      // PINGs.
      handler.setCloseNotifyFlushTimeoutMillis(100);
      channel.pipeline().addLast(handler);
    }
    if (events != null) {
      channel.pipeline().addLast(events.signsOfLife());
      channel
          .pipeline()
          .addLast(
              Http2FrameCodecBuilder.forClient()
                  .initialSettings(new Http2Settings().pushEnabled(false))
                  .encoderEnforceMaxRstFramesPerWindow(0, 0)
                  .decoderEnforceMaxRstFramesPerWindow(0, 0)
                  .build());
      channel.pipeline().addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
      channel.pipeline().addLast(events);
    } else {
      channel.pipeline().addLast(new HttpClientCodec());
    }
  }

  private static SslContext tls(ClientSettings settings) {
    try {
      SslContextBuilder builder =
          SslContextBuilder.forClient()
              .sslProvider(SslProvider.JDK)
              .ciphers(Certificates.CIPHERS)
              .applicationProtocolConfig(
                  new ApplicationProtocolConfig(
                      ApplicationProtocolConfig.Protocol.ALPN,
                      ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                      ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                      settings.wire().isMultiplexed() ? "h2" : "http/1.1"));
      if (settings.trusted() != null) {
        builder.trustManager(settings.trusted());
      }
      return builder.build();
    } catch (SSLException e) {
      throw new IllegalStateException(e);
    }
  }
}
