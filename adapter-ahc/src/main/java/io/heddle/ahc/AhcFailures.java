package io.heddle.ahc;

import io.heddle.DeadlineExceededException;
import io.heddle.core.CallSite;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.asynchttpclient.exception.ChannelClosedException;
import org.asynchttpclient.exception.PoolAlreadyClosedException;
import org.asynchttpclient.exception.RemotelyClosedException;
import org.asynchttpclient.exception.TooManyConnectionsException;
import org.asynchttpclient.exception.TooManyConnectionsPerHostException;
import org.jspecify.annotations.Nullable;

/**
 * What the engine and core report, as a blocking caller expects it: unwrapped, and an {@link
 * IOException}.
 *
 * <p>The engine's failures come from event loops, and some are one instance for all, without a
 * trace. So what is thrown is always fresh, with the original as its cause. The caller's stack is
 * then the trace, the event loop's that of the cause.
 */
final class AhcFailures {

  private AhcFailures() {}

  /** What is thrown for a failure that the engine reported. */
  static IOException thrown(Throwable failure) {
    Throwable is = AhcInternals.unwrapped(failure);
    String message = AhcInternals.message(is);
    IOException fresh =
        switch (is) {
          case TimeoutException e ->
              AhcInternals.isRequestTimeout(e) // the one over the whole call
                  ? new DeadlineExceededException(message)
                  : new SocketTimeoutException(message);
          case UnknownHostException e -> new UnknownHostException(message);
          case SSLPeerUnverifiedException e -> new SSLPeerUnverifiedException(message);
          case SSLHandshakeException e -> new SSLHandshakeException(message);
          case SSLException e -> new SSLException(message);
          case ConnectTimeoutException e -> new ConnectTimeoutException(message);
          case ConnectException e -> new ConnectException(message);
          case CancellationException e -> new SocketException(message);
          case DecoderException e -> new ProtocolException(message);
          case ProtocolException e -> new ProtocolException(message);
          case Http2Exception e -> new ProtocolException(message);
          case TooManyConnectionsException e -> e; // made by this call, on this thread
          case TooManyConnectionsPerHostException e -> e;
          default -> unnamed(is, message);
        };
    return fresh.equals(is) ? fresh : CallSite.caused(fresh, failure);
  }

  private static IOException unnamed(Throwable is, String message) {
    if (isConnectionGone(is)) {
      return new SocketException(message);
    }
    return AhcInternals.isNoHttp(is)
        ? new ProtocolException(message)
        : new IOException(is instanceof IOException ? message : is.toString());
  }

  /**
   * Whether the connection, or all of it that this exchange had, came to its end, for no reason
   * that has to do with this exchange.
   */
  static boolean isConnectionGone(Throwable failure) {
    return failure instanceof RemotelyClosedException
        || failure instanceof ChannelClosedException
        || failure instanceof PoolAlreadyClosedException
        || failure instanceof ClosedChannelException
        || (failure instanceof SocketException && !(failure instanceof ConnectException))
        || AhcInternals.isEndOfConnection(failure);
  }

  /**
   * A wait of the caller's has ended without what it was for. After an interrupt the flag is kept.
   *
   * @param clientClosed whether it is the client's close that cancelled it, if anything did
   */
  static IOException inWait(String doing, boolean clientClosed, Exception end) {
    return switch (end) {
      case InterruptedException e -> CallSite.interrupted("interrupted while " + doing, e);
      case TimeoutException e ->
          CallSite.caused(
              new DeadlineExceededException("the call's deadline is over while " + doing), e);
      case ExecutionException e -> thrown(Objects.requireNonNull(e.getCause()));
      default -> ended(clientClosed, end);
    };
  }

  /** Somebody else ended the call: cancelled it, or closed the client. */
  static SocketException ended(boolean clientClosed, @Nullable Throwable cause) {
    return CallSite.caused(
        new SocketException(clientClosed ? "the client was closed" : "the call was cancelled"),
        cause);
  }
}
