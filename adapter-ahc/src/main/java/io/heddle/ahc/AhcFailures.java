package io.heddle.ahc;

import io.heddle.DeadlineExceededException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
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
    Throwable is = unwrapped(failure);
    String message = message(is);
    IOException fresh;
    if (is instanceof TimeoutException) {
      fresh =
          isRequestTimeout(is) // the one over the whole call
              ? new DeadlineExceededException(message)
              : new SocketTimeoutException(message);
    } else if (is instanceof UnknownHostException) {
      fresh = new UnknownHostException(message);
    } else if (is instanceof SSLPeerUnverifiedException) {
      fresh = new SSLPeerUnverifiedException(message);
    } else if (is instanceof SSLHandshakeException) {
      fresh = new SSLHandshakeException(message);
    } else if (is instanceof SSLException) {
      fresh = new SSLException(message);
    } else if (is instanceof ConnectTimeoutException) {
      fresh = new ConnectTimeoutException(message);
    } else if (is instanceof ConnectException) {
      fresh = new ConnectException(message);
    } else if (isConnectionGone(is) || is instanceof CancellationException) {
      fresh = new SocketException(message);
    } else if (is instanceof DecoderException
        || is instanceof ProtocolException
        || is instanceof Http2Exception
        || is instanceof IllegalArgumentException) { // what Netty has for a line that is no HTTP
      fresh = new ProtocolException(message);
    } else if (is instanceof TooManyConnectionsException
        || is instanceof TooManyConnectionsPerHostException) {
      return (IOException) is; // made by this call, on this thread
    } else if (is instanceof IOException) {
      fresh = new IOException(message);
    } else {
      return new IOException(failure.toString(), failure);
    }
    return caused(fresh, failure);
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
        || (failure.getClass() == IOException.class && isOfConnection(message(failure)))
        || (failure instanceof IOException && failure.getClass().getName().startsWith("io.netty"));
  }

  /** AHC and the operating system say it in words alone. */
  private static boolean isOfConnection(String message) {
    return message.startsWith("HTTP/2 stream channel closed")
        || message.startsWith("HTTP/2 connection")
        || message.startsWith("Connection reset")
        || message.startsWith("Broken pipe");
  }

  /** Whether a server refused the stream before it did anything about it: RFC 9113, 8.7. */
  static boolean isRefusedStream(Throwable failure) {
    return failure.getClass() == IOException.class
        && message(failure).startsWith("HTTP/2 stream reset")
        && message(failure).endsWith(": 7");
  }

  /** Whether the time is over that this request has in all; another may have more. */
  static boolean isRequestTimeout(Throwable failure) {
    return failure instanceof TimeoutException && message(failure).startsWith("Request timeout");
  }

  /** Whether a shared connection took no more streams, before this one could be opened there. */
  static boolean isOfLeavingConnection(Throwable failure) {
    return failure.getClass() == IOException.class
        && message(failure).startsWith("HTTP/2 connection");
  }

  /**
   * A wait of the caller's has ended without what it was for.
   *
   * @param clientClosed whether it is the client's close that cancelled it, if anything did
   */
  static IOException inWait(String doing, boolean clientClosed, Exception end) {
    return switch (end) {
      case InterruptedException e -> interrupted(doing, e);
      case TimeoutException e -> deadline(doing, e);
      case ExecutionException e -> thrown(Objects.requireNonNull(e.getCause()));
      default -> ended(clientClosed, end);
    };
  }

  /** The deadline that the caller gave is over. */
  static DeadlineExceededException deadline(String doing, @Nullable Throwable cause) {
    return caused(
        new DeadlineExceededException("the call's deadline is over while " + doing), cause);
  }

  /** The caller was interrupted where only an {@link IOException} is declared: the flag is kept. */
  static InterruptedIOException interrupted(String doing, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return caused(new InterruptedIOException("interrupted while " + doing), cause);
  }

  /** Somebody else ended the call: cancelled it, or closed the client. */
  static SocketException ended(boolean clientClosed, @Nullable Throwable cause) {
    return caused(
        new SocketException(clientClosed ? "the client was closed" : "the call was cancelled"),
        cause);
  }

  /** {@code failure} with this cause. */
  static <T extends Throwable> T caused(T failure, @Nullable Throwable cause) {
    failure.initCause(cause);
    return failure;
  }

  /** AHC wraps all that goes wrong before a connection is there, TLS among it. */
  private static Throwable unwrapped(Throwable failure) {
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
    return wrapper && (cause instanceof ConnectException || cause instanceof IOException)
        ? cause
        : failure;
  }

  private static String message(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
