package io.heddle.apache;

import io.heddle.DeadlineExceededException;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.HttpHostConnectException;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.ProtocolException;
import org.apache.hc.core5.http.TruncatedChunkException;
import org.apache.hc.core5.http2.H2ConnectionException;
import org.apache.hc.core5.http2.H2CorruptFrameException;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.H2StreamResetException;
import org.jspecify.annotations.Nullable;

/**
 * What the engine and core report, as the classic interface declares it.
 *
 * <p>A failure that came on an I/O thread may have gone to several callers (a reset connection
 * under many HTTP/2 streams), and a body reports one failure at every further read. So what is
 * thrown is always fresh: the same class and message where that class is one of the engine's, with
 * the original as its cause. The caller's stack is then the trace, the I/O thread's that of the
 * cause.
 */
final class ApacheFailures {

  /** The manager was closed. Not retried by the classic retry strategy, as its class is not. */
  static final class ShutDown extends ConnectionClosedException {
    private static final long serialVersionUID = 1L;

    ShutDown() {
      super("Connection pool shut down");
    }
  }

  /**
   * What came in place of a response begins with no status line (RFC 9112, 4). The classic client
   * passes over it and says that there was no response, which its retry strategy knows.
   */
  static final class NoStatusLine extends ProtocolException {
    private static final long serialVersionUID = 1L;

    NoStatusLine(ParseException line) {
      super(line.getMessage(), line);
    }
  }

  /**
   * What is thrown where a wait of the caller's ends without what it was for.
   *
   * @param doing completes "interrupted while"
   * @param call the deadline over the whole call, which is told as such
   * @param timeout the message where it is not over, and a timeout is
   */
  record Wait(String doing, Deadline call, String timeout)
      implements Function<Exception, IOException> {
    @Override
    public IOException apply(Exception end) {
      return switch (end) {
        case InterruptedException e -> interrupted(doing, e);
        case TimeoutException e -> timedOut(doing, call, timeout, e);
        case ExecutionException e -> inBody(Objects.requireNonNull(e.getCause()));
        default -> closed(end);
      };
    }
  }

  private ApacheFailures() {}

  /** A failure before the head of the response; throws always. */
  static RuntimeException throwBeforeHead(Throwable failure, String peer)
      throws IOException, HttpException {
    if (isConnectionClosed(failure) && !(failure instanceof ShutDown)) {
      // As a blocking connection has it, and what the retry strategy of the classic client expects:
      // a pooled connection that the server closed meanwhile is retried, if the request allows.
      throw CallSite.caused(new NoHttpResponseException(peer + " failed to respond"), failure);
    }
    if (failure instanceof NoStatusLine) {
      String message = peer + " failed to respond: " + failure.getMessage();
      throw CallSite.caused(new NoHttpResponseException(message), failure);
    }
    if (failure instanceof HttpException http) {
      throw fresh(http);
    }
    throw inBody(failure);
  }

  /** A failure in a body, of the request or of the response. */
  static IOException inBody(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    IOException fresh =
        switch (failure) {
          case TruncatedChunkException e -> new TruncatedChunkException(message);
          case MalformedChunkCodingException e -> new MalformedChunkCodingException(message);
          case ConnectionClosedException e -> new ConnectionClosedException(message);
          case ClosedChannelException e -> new ConnectionClosedException();
          case H2CorruptFrameException e -> new ConnectionClosedException();
          case H2StreamResetException e ->
              new H2StreamResetException(h2Error(e.getCode()), message);
          case H2ConnectionException e -> new H2ConnectionException(h2Error(e.getCode()), message);
          case NoStatusLine e ->
              new NoHttpResponseException("the server failed to respond: " + message);
          case ClientProtocolException e -> new ClientProtocolException(message);
          case HttpException e -> new ClientProtocolException(message); // as the classic client
          case MessageConstraintException e -> new MessageConstraintException(message);
          case SSLHandshakeException e -> new SSLHandshakeException(message);
          case SSLPeerUnverifiedException e -> new SSLPeerUnverifiedException(message);
          case SSLException e -> new SSLException(message);
          case SocketTimeoutException e -> new SocketTimeoutException(message);
          case SocketException e -> new SocketException(message);
          case UnknownHostException e -> new UnknownHostException(message);
          default ->
              isOfSocket(failure)
                  ? new SocketException(message)
                  : new IOException(failure.toString());
        };
    return CallSite.caused(fresh, failure);
  }

  /**
   * TLS says it with an exception of NIO's that has no message, or, where the last record is not
   * whole, with one of its own; HTTP/2, where the last frame is not whole, with one of frames.
   */
  private static boolean isConnectionClosed(Throwable failure) {
    return failure instanceof ConnectionClosedException
        || failure instanceof ClosedChannelException
        || failure instanceof H2CorruptFrameException
        || ApacheInternals.isEndWithinRecord(failure);
  }

  /** NIO has no class of its own for "Broken pipe" and "Connection reset by peer". */
  private static boolean isOfSocket(Throwable failure) {
    return failure.getClass() == IOException.class;
  }

  /** A connection that broke while it was being made, as a blocking socket says it. */
  static IOException whileConnecting(Throwable failure) {
    if (failure instanceof ConnectionClosedException ours) {
      return CallSite.attach(ours);
    }
    if (isOfSocket(failure) || isConnectionClosed(failure)) {
      return inBody(failure);
    }
    return failure instanceof IOException io
        ? CallSite.attach(io)
        : new IOException(failure.getMessage(), failure);
  }

  /** A connection that could not be made, told to one more of those who waited for it. */
  static IOException again(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof ConnectTimeoutException late) {
      return CallSite.caused(new ConnectTimeoutException(message, late.getHost()), failure);
    }
    if (failure instanceof HttpHostConnectException refused) {
      return CallSite.caused(new HttpHostConnectException(message, refused.getHost()), failure);
    }
    return inBody(failure);
  }

  /**
   * Whether a connection that could not be made says something about the route, and not about the
   * caller that gave up.
   */
  static boolean isOfRoute(IOException failure, Deadline deadline) {
    return !(failure instanceof ShutDown
        || failure.getCause() instanceof CancellationException
        || failure.getCause() instanceof ShutDown
        || Thread.currentThread().isInterrupted()
        || deadline.isExpired());
  }

  /** The caller was interrupted; its flag is set again. */
  static InterruptedIOException interrupted(String doing, InterruptedException cause) {
    return CallSite.interrupted("interrupted while " + doing, cause);
  }

  /** The wait was over: by the deadline over the whole call, if that is over, else by a timeout. */
  static SocketTimeoutException timedOut(
      String doing, Deadline deadline, String timeout, @Nullable Exception cause) {
    return CallSite.caused(
        deadline.isExpired()
            ? new DeadlineExceededException("the call's deadline is over while " + doing)
            : new SocketTimeoutException(timeout),
        cause);
  }

  /** Somebody else ended the exchange: cancelled the request, or closed the client. */
  static SocketException closed(@Nullable Throwable cause) {
    return CallSite.caused(new SocketException("Socket closed"), cause);
  }

  private static HttpException fresh(HttpException failure) {
    return failure instanceof ProtocolException
        ? new ProtocolException(failure.getMessage(), failure)
        : new HttpException(failure.getMessage(), failure);
  }

  private static H2Error h2Error(int code) {
    H2Error known = H2Error.getByCode(code);
    return known != null ? known : H2Error.INTERNAL_ERROR; // RFC 9113, 7: unknown codes
  }
}
