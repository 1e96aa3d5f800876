package io.heddle.jetty;

import io.heddle.DeadlineExceededException;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What Jetty's exchanges report, as its blocking calls and streams declare it.
 *
 * <p>A call ends with an {@link ExecutionException} of its own around what Jetty reports, or with
 * the {@link TimeoutException} itself, or, if somebody has aborted a {@code send()} with one, the
 * {@link java.util.concurrent.CancellationException} itself. A body fails at every further read
 * with an exception of its own, of the class that Jetty reports where it is one of those below, and
 * with the original as its cause.
 */
final class JettyFailures {

  private JettyFailures() {}

  /** The total timeout is over. */
  static TimeoutException totalTimeout(JettyRequest request) {
    return new TimeoutException("Total timeout " + request.getTimeout() + " ms elapsed");
  }

  /** No connection was found in this time. */
  static TimeoutException noConnection(@Nullable Duration wait) {
    return new TimeoutException(
        "no connection within " + (wait == null ? 0 : wait.toMillis()) + " ms");
  }

  /**
   * A failure of a call: what Jetty tells of a request that was not processed is no failure of it.
   */
  static Throwable ofCall(Throwable failure) {
    return JettyInternals.isRefused(failure) && !(failure instanceof IOException)
        ? new IOException("the server has not processed the request", failure)
        : failure;
  }

  /** A wait in a body, of the request or of the response, has ended without bytes. */
  static IOException inWait(String doing, Deadline deadline, Exception end) {
    return switch (end) {
      case InterruptedException e -> CallSite.interrupted("interrupted while " + doing, e);
      case TimeoutException e -> CallSite.caused(expired(doing), e);
      case ExecutionException e -> inBody(doing, Objects.requireNonNull(e.getCause()), deadline);
      default -> closed(end);
    };
  }

  private static IOException inBody(String doing, Throwable failure, Deadline deadline) {
    if (failure instanceof TimeoutException && deadline.isExpired()) {
      return CallSite.caused(expired(doing), failure); // Jetty's scheduler was first
    }
    String message = failure.getMessage();
    IOException fresh =
        switch (failure) {
          case TimeoutException e -> new SocketTimeoutException(message);
          case EOFException e -> new EOFException(message);
          case SSLException e -> new SSLException(message);
          case SocketException e -> new SocketException(message);
          case AsynchronousCloseException e -> new AsynchronousCloseException();
          case ClosedChannelException e -> new ClosedChannelException();
          case IOException e -> new IOException(message);
          default -> new IOException(failure.toString());
        };
    return CallSite.caused(fresh, failure);
  }

  private static IOException expired(String doing) {
    return new DeadlineExceededException("the total timeout has elapsed while " + doing);
  }

  /** The body was closed, or given up before. */
  static AsynchronousCloseException closed(@Nullable Throwable cause) {
    return CallSite.caused(new AsynchronousCloseException(), cause);
  }
}
