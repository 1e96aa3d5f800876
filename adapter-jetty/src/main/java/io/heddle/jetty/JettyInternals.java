package io.heddle.jetty;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.eclipse.jetty.client.AbstractResponseListener;
import org.eclipse.jetty.client.RetryableRequestException;

/**
 * What Heddle takes from Jetty beyond its documentation: texts of failures, and the class that made
 * them. Seen in Jetty 12.1.14; {@code JettyInternalsTest} fails first when one changes.
 */
final class JettyInternals {

  /** In the names of Jetty's classes: what one of them has made, no user of Jetty has. */
  private static final String JETTY = "org.eclipse.jetty.";

  /**
   * {@code ErrorCode.REFUSED_STREAM_ERROR}: a stream of HTTP/2 that was reset with a code, or was
   * open when its connection ended with one, fails with the name of the code, and what else is
   * known behind a slash.
   */
  private static final String REFUSED = "refused_stream_error";

  /**
   * What a stream gets that the server refuses by GOAWAY: a response fails with a {@link
   * RetryableRequestException} that has it as its cause, a body that is being sent with itself. Of
   * HTTP/2, which may not be there.
   */
  private static final String REFUSED_STREAM = "org.eclipse.jetty.http2.RetryableStreamException";

  /** {@code ErrorCode.NO_ERROR}, as {@link #REFUSED}: the end of a connection. */
  private static final String NO_ERROR = "no_error";

  /** {@code HTTP2Session.StreamsState.newLocalStream}: the connection was closed meanwhile. */
  private static final String SESSION_CLOSED = "session closed";

  /**
   * {@code HTTP2Session.createLocalStream}: the server allows fewer streams than Jetty's pool
   * knows, which sends all that is queued before it has heard of that.
   */
  private static final String TOO_MANY_STREAMS = "Max local stream count";

  /**
   * {@code HTTP2Flusher.process}: a frame was to be written to a stream that has ended, as its
   * connection has. It is the head of a request or, after that, its body.
   */
  private static final String DROPPED = "dropped";

  /**
   * {@code SslConnection.SslEndPoint.fill} and {@code NegotiatingClientConnection.onFillable}: what
   * was to be sent waits for the handshake still.
   */
  private static final String CUT_HANDSHAKE = "Abruptly closed by peer";

  /**
   * {@code SslConnection.SslEndPoint.flush}: the peer has ended TLS before this was written, which
   * over HTTP/2 is the connection's preface.
   */
  private static final String ENDED_TLS = "Broken pipe";

  /**
   * {@code HttpConnection.RequestTimeouts.onExpired}: a total timeout is over. Jetty looks first at
   * the exchange that a connection has when that is, and aborts the one that it has then: where the
   * first ends in between, that is the next one's.
   */
  private static final String REQUEST_TIMEOUTS =
      JETTY + "client.transport.HttpConnection$RequestTimeouts";

  /** {@code HttpRedirector.isRedirect}. */
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  private JettyInternals() {}

  /** The server says itself that it has not looked at a request, or it has not even been sent. */
  static boolean isRefused(Throwable failure) {
    return failure instanceof RetryableRequestException
        || failure.getClass().getName().equals(REFUSED_STREAM)
        || isOfOneStream(failure)
        || (failure instanceof IllegalStateException
            && SESSION_CLOSED.equals(failure.getMessage()));
  }

  /** Whether that is so of one stream, or there was none, on a connection that goes on. */
  static boolean isOfOneStream(Throwable failure) {
    return (isReset(failure, REFUSED) && isMadeBy(JETTY, failure))
        || (failure instanceof IllegalStateException
            && String.valueOf(failure.getMessage()).startsWith(TOO_MANY_STREAMS));
  }

  /** Whether a frame of a request, over HTTP/2, was left out: its head, if it has nothing else. */
  static boolean isDropped(Throwable failure) {
    return failure instanceof EOFException
        && DROPPED.equals(failure.getMessage())
        && isMadeBy(JETTY, failure);
  }

  /** With which Jetty itself, and no user of it, aborts what is on a connection that has ended. */
  static boolean isConnectionLoss(Throwable failure) {
    return (failure instanceof ClosedChannelException
            || failure instanceof EOFException
            || isReset(failure, NO_ERROR)
            || (failure instanceof IOException && ENDED_TLS.equals(failure.getMessage()))
            || isCutHandshake(failure))
        && isMadeBy(JETTY, failure);
  }

  /**
   * The peer has gone before TLS had begun, so that nothing of the request was sent. Where it is
   * the socket that says so, that is beside what TLS says.
   */
  static boolean isCutHandshake(Throwable failure) {
    return failure instanceof SSLHandshakeException
        && isMadeBy(JETTY, failure)
        && (CUT_HANDSHAKE.equals(failure.getMessage())
            || Arrays.stream(failure.getSuppressed()).anyMatch(EOFException.class::isInstance));
  }

  /** Whether it is Jetty that aborts a request with this, and none of its users. */
  static boolean isJettys(Throwable failure) {
    return isMadeBy(JETTY, failure);
  }

  /** Whether the timer of a connection has made this, as the total timeout of a request is over. */
  static boolean isTotalTimeout(Throwable failure) {
    return failure instanceof TimeoutException && isMadeBy(REQUEST_TIMEOUTS, failure);
  }

  /**
   * Whether it is that timer, and nobody who has such a failure from it, that has called the
   * adapter's code which asks.
   */
  static boolean isCalledByTimer() {
    String ours = JettyInternals.class.getPackageName() + ".";
    return StackWalker.getInstance()
        .walk(frames -> frames.dropWhile(each -> each.getClassName().startsWith(ours)).findFirst())
        .filter(caller -> caller.getClassName().equals(REQUEST_TIMEOUTS))
        .isPresent();
  }

  /** Whether a response was longer than one of Jetty's own listeners gathers. */
  static boolean isTooLongForHandler(Throwable failure) {
    return failure instanceof IllegalArgumentException
        && isMadeBy(AbstractResponseListener.class.getName(), failure);
  }

  /** Whether Jetty follows a response with this status, if it is told to follow any. */
  static boolean isRedirect(int status) {
    return REDIRECTS.contains(status);
  }

  private static boolean isReset(Throwable failure, String code) {
    String message = failure.getMessage();
    return failure instanceof IOException
        && message != null
        && (message.equals(code) || message.startsWith(code + "/"));
  }

  private static boolean isMadeBy(String classes, Throwable failure) {
    StackTraceElement[] trace = failure.getStackTrace();
    return trace.length > 0 && trace[0].getClassName().startsWith(classes);
  }
}
