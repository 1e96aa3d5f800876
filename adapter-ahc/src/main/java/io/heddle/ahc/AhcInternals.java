package io.heddle.ahc;

import io.netty.channel.Channel;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.IllegalReferenceCountException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.Channels;
import org.asynchttpclient.netty.request.NettyRequest;
import org.jspecify.annotations.Nullable;

/**
 * What Heddle takes from AHC, Netty and the JDK's sockets beyond their documentation: texts of
 * failures, what wraps what, and what AHC has done by the time that it tells. Seen in AHC 3.0.13
 * with Netty 4.2.18; {@code AhcInternalsTest} fails first when one changes.
 */
final class AhcInternals {

  /** {@code Http2Handler.handleChannelInactive}: the stream has ended, with its connection say. */
  private static final String STREAM_CLOSED = "HTTP/2 stream channel closed";

  /**
   * {@code NettyRequestSender.writeHttp2Request} and {@code ChannelManager.failOrphanedH2Opener}:
   * the connection leaves or has ended, and the stream was never opened there.
   */
  private static final String NO_STREAM = "HTTP/2 connection";

  /** {@code Http2Handler.handleHttp2ResetFrame}; the code is the end of the text. */
  private static final String STREAM_RESET = "HTTP/2 stream reset";

  private static final String CODE_REFUSED_STREAM = ": 7";

  /** {@code RequestTimeoutTimerTask}; the other timeouts are of the same class. */
  private static final String REQUEST_TIMEOUT = "Request timeout";

  /** {@code NettyRequestSender.sendRequest}, in an {@link IllegalStateException}. */
  private static final String CLOSED = "Closed";

  /** The JDK's sockets, where it writes: without a class of its own. */
  private static final String RESET_BY_PEER = "Connection reset";

  private static final String NO_READER = "Broken pipe";

  /**
   * Where Netty's own {@link IOException}s are from: those of its native transports have no class
   * that an adapter can name without them ({@code unix.Errors.NativeIoException}).
   */
  private static final String NETTY = "io.netty";

  private AhcInternals() {}

  // ---- failures -------------------------------------------------------------------------------

  /**
   * Whether this is the end of a connection, or of all of it that an exchange had, which AHC, Netty
   * or the operating system says in words alone, or by a class of Netty's native transports.
   */
  static boolean isEndOfConnection(Throwable failure) {
    return isBare(failure, STREAM_CLOSED)
        || isBare(failure, NO_STREAM)
        || isBare(failure, RESET_BY_PEER)
        || isBare(failure, NO_READER)
        || isOfNetty(failure.getClass());
  }

  /** Whether this is an {@link IOException} of Netty's. */
  static boolean isOfNetty(Class<?> failure) {
    return IOException.class.isAssignableFrom(failure) && failure.getName().startsWith(NETTY);
  }

  /** Whether a shared connection took no more streams, before this one could be opened there. */
  static boolean isOfLeavingConnection(Throwable failure) {
    return isBare(failure, NO_STREAM);
  }

  /** Whether a server refused the stream before it did anything about it: RFC 9113, 8.7. */
  static boolean isRefusedStream(Throwable failure) {
    return isBare(failure, STREAM_RESET) && message(failure).endsWith(CODE_REFUSED_STREAM);
  }

  /** Whether the time is over that this request has in all; another may have more. */
  static boolean isRequestTimeout(Throwable failure) {
    return failure instanceof TimeoutException && message(failure).startsWith(REQUEST_TIMEOUT);
  }

  /** Whether AHC has not begun with a request, as it was closed before. */
  static boolean isClosed(Throwable failure) {
    return failure instanceof IllegalStateException && message(failure).equals(CLOSED);
  }

  /** Whether a response is no HTTP: what Netty's codec has for a first line that is none. */
  static boolean isNoHttp(Throwable failure) {
    return failure instanceof IllegalArgumentException;
  }

  /**
   * Whether this may be what AHC tells where a connection of HTTP/2 ends just as a stream opens: it
   * lets go of the request with the stream, and then writes it all the same, which tells of a
   * buffer that is gone.
   */
  static boolean mayBeEndAsStreamOpens(Throwable failure) {
    return failure instanceof IllegalReferenceCountException;
  }

  /**
   * What it is about: AHC wraps all that goes wrong before a connection is there in a {@link
   * ConnectException}, TLS among it.
   */
  static Throwable unwrapped(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof SSLException
          || each instanceof ConnectTimeoutException
          || each instanceof UnknownHostException
          || each instanceof TimeoutException) {
        return each;
      }
    }
    boolean wrapper =
        failure instanceof ConnectException || failure instanceof UncheckedIOException;
    Throwable cause = failure.getCause();
    return wrapper && cause instanceof IOException ? cause : failure;
  }

  /** What it says; never null. */
  static String message(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  /** Whether it has no class of its own, and this text. */
  private static boolean isBare(Throwable failure, String text) {
    return failure.getClass() == IOException.class && message(failure).startsWith(text);
  }

  // ---- how AHC opens a stream -----------------------------------------------------------------

  /**
   * What AHC hears when it asks a connection for a place for a stream. If there is none it offers
   * what opens the stream, with the future that will have it ({@code
   * NettyRequestSender.writeHttp2Request}); else it would tell nobody which future that is. It does
   * so with the one state that the connection has at {@code HTTP2_STATE_KEY}, looked up anew for
   * each request.
   */
  static final boolean PLACE_AT_ONCE = false;

  // ---- what AHC has done by the time that it calls onRequestSend ------------------------------

  /**
   * The future of the request that this connection was made for, or, on HTTP/1.1, that it has now
   * ({@code NettyConnectListener.writeRequest}); null if there is none.
   */
  static @Nullable NettyResponseFuture<?> future(Channel connection) {
    return Channels.getAttribute(connection) instanceof NettyResponseFuture<?> future
        ? future
        : null;
  }

  /**
   * The stream on which the request goes out, over HTTP/2, which the future has by then; null if
   * there is none yet.
   */
  static @Nullable Http2StreamChannel stream(@Nullable NettyResponseFuture<?> future) {
    return future != null && future.channel() instanceof Http2StreamChannel stream ? stream : null;
  }

  /** Has AHC not write a request of HTTP/1.1: it looks whether it was released, after the call. */
  static void leaveOut(NettyRequest request) {
    request.release();
  }
}
