package io.heddle.jdk;

import io.heddle.DeadlineExceededException;
import io.heddle.IoThread;
import io.heddle.core.CallSite;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Failures as callers of the JDK's client know them. What is over in time is an {@link
 * HttpTimeoutException}, since that is what their code catches; if nothing was sent, an {@link
 * HttpConnectTimeoutException}, so that they may send again. If it was the deadline of the call,
 * the cause is a {@link DeadlineExceededException}, as with every other adapter.
 */
final class JdkFailures {

  private JdkFailures() {}

  /** Throws if the current thread is one that others depend on to be woken. */
  static void forbidWaiting() {
    IoThread.forbidWaitingIf(JdkInternals.isSelector(Thread.currentThread()));
    IoThread.forbidWaiting();
  }

  /** The deadline was over before anything was sent. */
  static HttpConnectTimeoutException overBeforeSending(String doing) {
    String message = "the deadline of the call is over: " + doing;
    return CallSite.caused(
        new HttpConnectTimeoutException(message), new DeadlineExceededException(message));
  }

  /** The deadline is over. */
  static HttpTimeoutException over(@Nullable IOException found) {
    String message = "the deadline of the call is over";
    DeadlineExceededException deadline = new DeadlineExceededException(message);
    if (found != null) {
      deadline.addSuppressed(found);
    }
    return CallSite.caused(
        found instanceof HttpConnectTimeoutException
            ? new HttpConnectTimeoutException(message)
            : new HttpTimeoutException(message),
        deadline);
  }

  /** The failure of a {@code sendAsync} as {@code send} throws it, with the caller in its trace. */
  static IOException asOfSend(Throwable failure) {
    String message = failure.getMessage();
    return switch (failure) {
      case IllegalArgumentException e -> throw new IllegalArgumentException(message, e);
      case SecurityException e -> throw new SecurityException(message, e);
      case HttpConnectTimeoutException e ->
          CallSite.caused(new HttpConnectTimeoutException(message), e);
      case HttpTimeoutException e -> CallSite.caused(new HttpTimeoutException(message), e);
      case ConnectException e -> CallSite.caused(new ConnectException(message), e);
      case SSLHandshakeException e -> new SSLHandshakeException(message, e);
      case SSLException e -> new SSLException(message, e);
      case ProtocolException e -> CallSite.caused(new ProtocolException(message), e);
      default -> new IOException(message, failure);
    };
  }

  /** The same failure for one more read, with the reader in its trace. */
  static IOException again(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof HttpTimeoutException) {
      boolean ofCall = failure.getCause() instanceof DeadlineExceededException;
      return CallSite.caused(
          new HttpTimeoutException(message), ofCall ? failure.getCause() : failure);
    }
    if (failure instanceof ProtocolException) {
      return CallSite.caused(new ProtocolException(message), failure);
    }
    return CallSite.caused(new IOException(message), failure);
  }

  /** A wait in a body has ended without bytes. */
  static IOException inWait(String doing, Exception end) {
    return switch (end) {
      case InterruptedException e -> CallSite.interrupted("interrupted while " + doing, e);
      case TimeoutException e -> over(null);
      case ExecutionException e -> again(Objects.requireNonNull(e.getCause()));
      default -> closed();
    };
  }

  static IOException closed() {
    return new IOException("closed"); // the JDK's words for a client that is
  }
}
