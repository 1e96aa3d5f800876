package io.heddle.ahc;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import java.time.Duration;
import java.util.function.Consumer;
import org.asynchttpclient.AsyncHttpClientConfig;
import org.asynchttpclient.AsyncHttpClientConfig.ResponseBodyPartFactory;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.netty.channel.ChannelManager;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the engine below a client: the user's, but for what the client does itself.
 */
final class Engine {

  /** What AHC has if the user says nothing; without back pressure it cannot be small. */
  private static final int HTTP2_WINDOW_OF_AHC = 16 * 1024 * 1024;

  /** What one response over HTTP/2 may have on its way, if the user says nothing, in bytes. */
  static final int HTTP2_WINDOW = 1024 * 1024;

  private Engine() {}

  /**
   * The configuration.
   *
   * @param resolver where names are looked up; null to leave that to the user's configuration
   * @param channels gets all channels, so that they can be closed
   */
  static AsyncHttpClientConfig config(
      AsyncHttpClientConfig user, @Nullable OffloadedResolver resolver, ChannelGroup channels) {
    DefaultAsyncHttpClientConfig.Builder builder =
        new DefaultAsyncHttpClientConfig.Builder(user)
            .setMaxConnections(-1) // CallLimits has them
            .setMaxConnectionsPerHost(-1)
            .setResponseBodyPartFactory(ResponseBodyPartFactory.LAZY) // one copy less
            .setShutdownQuietPeriod(Duration.ZERO) // all exchanges are ended before
            .setHttpAdditionalChannelInitializer(
                initializer(
                    user.getHttpAdditionalChannelInitializer(),
                    channels,
                    user.isHttp2Enabled() && user.isHttp2CleartextEnabled()));
    if (user.getIoExceptionFilters().isEmpty()) {
      builder.setMaxRequestRetry(0); // the client knows better what may be sent again
    }
    if (user.getHttp2InitialWindowSize() == HTTP2_WINDOW_OF_AHC) {
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
      channel
          .pipeline()
          .addBefore(ChannelManager.AHC_HTTP_HANDLER, ReadGate.NAME, new ReadGate())
          .addBefore(ChannelManager.AHC_HTTP_HANDLER, Http1Connection.NAME, new Http1Connection());
      if (mayBeginWithHttp2) {
        channel.pipeline().get(ReadGate.class).shut(channel); // until the codec is there
      }
      if (users != null) {
        users.accept(channel);
      }
    };
  }
}
