package io.heddle.okhttp;

import io.heddle.IoThread;
import io.heddle.core.CallSite;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What a worker reports, as OkHttp's synchronous interface declares it: the same instance wherever
 * it belongs to one call, with the stack of the caller attached.
 *
 * <p>An HTTP/2 connection that breaks hands one exception to all its streams. So an instance that
 * was not made by this call's worker, or that another caller has had, is not changed: the caller
 * gets a fresh one of the same class and message, which it is the cause of.
 */
final class OkHttpFailures {

  /** Those of which an instance like another can be made. */
  private static final Map<Class<?>, Function<@Nullable String, IOException>> FRESH =
      Map.of(
          IOException.class, IOException::new,
          InterruptedIOException.class, InterruptedIOException::new,
          SocketTimeoutException.class, SocketTimeoutException::new,
          SocketException.class, SocketException::new,
          EOFException.class, EOFException::new,
          ProtocolException.class, ProtocolException::new,
          SSLException.class, SSLException::new);

  private OkHttpFailures() {}

  /**
   * Throws if the current thread is the one that ends OkHttp's timeouts, so that none would end
   * while it waits, the one it waits for included.
   */
  static void forbidWaiting() {
    Thread thread = Thread.currentThread();
    if (OkHttpInternals.isWatchdog(thread)) {
      throw new IllegalStateException(
          "blocking call on the I/O thread \""
              + thread.getName()
              + "\", on which all timeouts of OkHttp depend: make the call from another thread");
    }
    IoThread.forbidWaiting();
  }

  /**
   * What a call threw on its caller's thread, at its outermost end: an interrupt as OkHttp reports
   * it, and with the caller in the trace of what another thread has made. Throws always.
   */
  static RuntimeException ofCall(Throwable failure) throws IOException {
    boolean interrupted = failure instanceof InterruptedException; // of OkHttp's wait to connect
    if (interrupted
        || (failure instanceof IOException
            && !(failure instanceof InterruptedIOException)
            && Thread.currentThread().isInterrupted())) {
      throw interrupted(failure);
    }
    if (failure instanceof IOException io && !isMadeIn(io, CallEngine.class)) {
      throw ofCaller(io, CallEngine.class);
    }
    throw sneaky(failure);
  }

  /** The failure of a worker, as the caller is to see it; throws always. */
  static RuntimeException rethrow(Throwable failure) throws IOException {
    if (failure instanceof IOException io) {
      throw ofCaller(io, HandOver.class);
    }
    // Kotlin code may throw any exception from anywhere.
    throw sneaky(isMadeIn(failure, HandOver.class) ? failure : CallSite.attach(failure));
  }

  /** The same failure once more: an instance of its own. */
  static IOException again(Throwable failure) {
    IOException fresh = fresh(failure);
    return fresh != null ? fresh : CallSite.caused(new IOException(failure.getMessage()), failure);
  }

  /** A wait has ended without what it was for. */
  static IOException inWait(Exception end) {
    return switch (end) {
      case InterruptedException e -> interrupted(e);
      case CancellationException e -> cancelled(e);
      case TimeoutException e -> timedOut(e);
      default -> again(Objects.requireNonNull(end.getCause()));
    };
  }

  /** As OkHttp reports it: with the flag set. */
  static InterruptedIOException interrupted(@Nullable Throwable cause) {
    return CallSite.interrupted("interrupted", cause);
  }

  /** As OkHttp reports a call timeout. */
  static InterruptedIOException timedOut(@Nullable Throwable cause) {
    return CallSite.caused(new InterruptedIOException("timeout"), cause);
  }

  /** As OkHttp reports a cancelled call. */
  static IOException cancelled(@Nullable Throwable cause) {
    return CallSite.caused(new IOException("Canceled"), cause);
  }

  /**
   * The failure with the caller in its trace.
   *
   * @param here has a frame in the trace of each exception that was made on the caller's thread
   */
  static IOException ofCaller(IOException failure, Class<?> here) {
    if (isMadeIn(failure, here) && !CallSite.isAttached(failure)) {
      return failure;
    }
    if (isMadeIn(failure, OkHttpExchange.class) && !CallSite.isAttached(failure)) {
      return CallSite.attach(failure); // a worker made it, and no caller has had it
    }
    IOException fresh = fresh(failure);
    return fresh != null ? fresh : CallSite.attach(failure);
  }

  private static boolean isMadeIn(Throwable failure, Class<?> here) {
    for (StackTraceElement each : failure.getStackTrace()) {
      if (each.getClassName().startsWith(here.getName())) {
        return true;
      }
    }
    return false;
  }

  /** Null if it is of a class that only its library makes. */
  private static @Nullable IOException fresh(Throwable failure) {
    Function<@Nullable String, IOException> like = FRESH.get(failure.getClass());
    return like == null ? null : CallSite.caused(like.apply(failure.getMessage()), failure);
  }

  /** Throws what need not be declared. */
  static RuntimeException sneaky(Throwable failure) {
    throw OkHttpFailures.<RuntimeException>thrown(failure);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T thrown(Throwable failure) throws T {
    throw (T) failure;
  }
}
