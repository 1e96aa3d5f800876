package io.heddle.jetty;

import io.heddle.DeadlineExceededException;
import io.heddle.core.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
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
      case InterruptedException e -> interrupted(doing, e);
      case TimeoutException e -> deadline(doing, e);
      case ExecutionException e -> inBody(doing, Objects.requireNonNull(e.getCause()), deadline);
      default -> closed(end);
    };
  }

  private static IOException inBody(String doing, Throwable failure, Deadline deadline) {
    if (failure instanceof TimeoutException timeout && deadline.isExpired()) {
      return deadline(doing, timeout); // Jetty's scheduler was first
    }
    String message = failure.getMessage();
    IOException fresh;
    if (failure instanceof TimeoutException) {
      fresh = new SocketTimeoutException(message);
    } else if (failure instanceof EOFException) {
      fresh = new EOFException(message);
    } else if (failure instanceof SSLException) {
      fresh = new SSLException(message);
    } else if (failure instanceof SocketException) {
      fresh = new SocketException(message);
    } else if (failure instanceof AsynchronousCloseException) {
      fresh = new AsynchronousCloseException();
    } else if (failure instanceof ClosedChannelException) {
      fresh = new ClosedChannelException();
    } else if (failure instanceof IOException) {
      fresh = new IOException(message);
    } else {
      fresh = new IOException(failure.toString());
    }
    return caused(fresh, failure);
  }

  /**
   * The caller was interrupted. Declared as an {@link IOException}, so the flag, which {@link
   * InterruptedException} cleared, is set again.
   */
  static InterruptedIOException interrupted(String doing, InterruptedException cause) {
    Thread.currentThread().interrupt();
    return caused(new InterruptedIOException("interrupted while " + doing), cause);
  }

  /** The request's total timeout is over. */
  static DeadlineExceededException deadline(String doing, TimeoutException cause) {
    return caused(
        new DeadlineExceededException("the total timeout has elapsed while " + doing), cause);
  }

  /** The body was closed, or given up before. */
  static AsynchronousCloseException closed(@Nullable Throwable cause) {
    return caused(new AsynchronousCloseException(), cause);
  }

  private static <T extends Throwable> T caused(T failure, @Nullable Throwable cause) {
    failure.initCause(cause);
    return failure;
  }
}
