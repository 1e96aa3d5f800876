package io.heddle.ahc;

import io.heddle.IoThread;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import java.util.function.Consumer;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.AsyncHttpClientConfig.ResponseBodyPartFactory;
import org.asynchttpclient.DefaultAsyncHttpClient;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Request;
import org.asynchttpclient.netty.channel.ChannelManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * AHC's client below ours: configured as the user says, but for what ours does itself, with our
 * handlers in its pipelines, and a close that leaves nobody waiting.
 */
final class AhcEngine {

  private static final Logger LOG = LoggerFactory.getLogger(AhcEngine.class);

  /** What AHC has if the user says nothing; without back pressure it cannot be small. */
  private static final int HTTP2_WINDOW_OF_AHC = 16 * 1024 * 1024;

  /** What AHC has if the user says nothing, so that requests may end that are not ended yet. */
  private static final Duration QUIET_PERIOD_OF_AHC = Duration.ofSeconds(2);

  /** Says a window for all clients; then 16 MiB are meant as well. */
  private static final String HTTP2_WINDOW_PROPERTY = "org.asynchttpclient.http2InitialWindowSize";

  /** What one response over HTTP/2 may have on its way, if the user says nothing, in bytes. */
  static final int HTTP2_WINDOW = 1024 * 1024;

  private final DefaultAsyncHttpClient client;
  private final @Nullable AhcResolver resolver;
  private final boolean ownThreads;

  // All connections, so that they can be closed, and those that are still to come.
  private final ChannelGroup channels =
      new DefaultChannelGroup("heddle-ahc", GlobalEventExecutor.INSTANCE, true);

  AhcEngine(AsyncHttpClientConfig user) {
    this.resolver =
        user.getAddressResolverGroup() == null
            ? new AhcResolver(user.getThreadPoolName() + "-resolver")
            : null;
    this.ownThreads = user.getThreadFactory() == null && user.getEventLoopGroup() == null;
    this.client = new DefaultAsyncHttpClient(config(user, resolver, channels));
  }

  // ---- configuration --------------------------------------------------------------------------

  /**
   * The configuration.
   *
   * @param resolver where names are looked up; null to leave that to the user's configuration
   * @param channels gets all channels
   */
  static AsyncHttpClientConfig config(
      AsyncHttpClientConfig user, @Nullable AhcResolver resolver, ChannelGroup channels) {
    DefaultAsyncHttpClientConfig.Builder builder =
        new DefaultAsyncHttpClientConfig.Builder(user)
            .setMaxConnections(-1) // AhcLanes has them
            .setMaxConnectionsPerHost(-1)
            .setKeepAliveStrategy(Http1Connection.keepAlive(user.getKeepAliveStrategy()))
            .setHttpAdditionalChannelInitializer(
                initializer(
                    user.getHttpAdditionalChannelInitializer(),
                    channels,
                    user.isHttp2Enabled() && user.isHttp2CleartextEnabled()));
    if (user.getRequestFilters().isEmpty()
        && user.getResponseFilters().isEmpty()
        && user.getIoExceptionFilters().isEmpty()) { // which may put a handler before ours
      builder.setResponseBodyPartFactory(ResponseBodyPartFactory.LAZY); // one copy less
    }
    if (user.getIoExceptionFilters().isEmpty()) {
      builder.setMaxRequestRetry(0); // the client knows better what may be sent again
    }
    if (user.getShutdownQuietPeriod().equals(QUIET_PERIOD_OF_AHC)) {
      builder.setShutdownQuietPeriod(Duration.ZERO); // all exchanges are ended before
    }
    if (user.getHttp2InitialWindowSize() == HTTP2_WINDOW_OF_AHC
        && System.getProperty(HTTP2_WINDOW_PROPERTY) == null) {
      LOG.info(
          "http2InitialWindowSize is AHC's default of 16 MiB; streams get {} bytes."
              + " For 16 MiB set the system property {}",
          HTTP2_WINDOW,
          HTTP2_WINDOW_PROPERTY);
      builder.setHttp2InitialWindowSize(HTTP2_WINDOW);
    }
    if (resolver != null) {
      builder.setAddressResolverGroup(resolver);
    }
    if (user.getThreadFactory() == null) {
      builder.setThreadFactory(AhcIoThread.factory(user.getThreadPoolName()));
    }
    return builder.build();
  }

  private static Consumer<Channel> initializer(
      @Nullable Consumer<Channel> users, ChannelGroup channels, boolean mayBeginWithHttp2) {
    return channel -> {
      channels.add(channel);
      channel.config().setAutoClose(false); // an answer may be there, though no more can be written
      ReadGate gate = new ReadGate(channel);
      channel
          .pipeline()
          .addBefore(ChannelManager.AHC_HTTP_HANDLER, ReadGate.NAME, gate)
          .addBefore(ChannelManager.AHC_HTTP_HANDLER, Http1Connection.NAME, new Http1Connection());
      if (mayBeginWithHttp2) {
        gate.shut(); // until the codec is there
      }
      if (users != null) {
        users.accept(channel);
      }
    };
  }

  // ---- calls ----------------------------------------------------------------------------------

  DefaultAsyncHttpClient client() {
    return client;
  }

  /** AHC is about to look up a name for this request, on this thread. */
  void resolvingFor(Request request) {
    if (resolver != null) {
      AhcResolver.resolvingFor(request);
    }
  }

  /** Throws if the current thread is one that moves bytes. */
  void forbidWaiting() {
    IoThread.forbidWaitingIf(isIoThread());
  }

  /** Whether the current thread is one that moves bytes. */
  boolean isIoThread() {
    if (Thread.currentThread() instanceof IoThread) {
      return true;
    }
    if (ownThreads || Thread.currentThread().isVirtual()) {
      return false;
    }
    EventLoopGroup loops = client.getEventLoopGroup();
    for (EventExecutor each : loops) {
      if (each.inEventLoop()) {
        return true;
      }
    }
    return false;
  }

  // ---- the end --------------------------------------------------------------------------------

  /** Closes all connections. */
  @SuppressWarnings("FutureReturnValueIgnored") // a connection that does not close is not ours
  void close() {
    channels.close();
    channels.forEach(AhcEngine::closeNow);
    client.close();
    if (resolver != null) {
      resolver.close();
    }
  }

  /** TLS would say good-bye first: to a server that may not read, on a loop that ends before. */
  @SuppressWarnings("FutureReturnValueIgnored")
  private static void closeNow(Channel channel) {
    Runnable close =
        () -> {
          ChannelHandlerContext first = channel.pipeline().firstContext();
          if (channel.isOpen() && first != null) {
            first.close();
          }
        };
    AhcIoThread.later(channel, close);
  }
}
