package io.heddle.okhttp;

import java.io.IOException;
import java.lang.reflect.Field;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.Protocol;
import okhttp3.internal.connection.Exchange;
import okhttp3.internal.connection.RealConnection;
import okhttp3.internal.http.RealInterceptorChain;
import okhttp3.internal.http2.ConnectionShutdownException;
import okhttp3.internal.http2.Http2Connection;
import okhttp3.internal.http2.StreamResetException;
import org.jspecify.annotations.Nullable;

/**
 * What the adapter knows of OkHttp and okio that they do not document, as seen in OkHttp 5.5.1 with
 * okio 3.18.1, and in 4.12.0. Each has a test in {@code InternalsTest}, which breaks first when a
 * library changes. Where OkHttp is a module that does not export its internals, the adapter goes on
 * without them.
 */
final class OkHttpInternals {

  /** okio's thread for all timeouts of the JVM. It calls {@code EventListener.canceled}. */
  private static final String WATCHDOG = "okio.AsyncTimeout$Watchdog";

  /** A dispatcher's thread bears the URL of its call for as long as that lasts. */
  private static final String ENQUEUED = "OkHttp http";

  private static final @Nullable Field HTTP_2 = http2Connection();

  private OkHttpInternals() {}

  private static @Nullable Field http2Connection() {
    try {
      Field field = RealConnection.class.getDeclaredField("http2Connection");
      field.setAccessible(true);
      return field;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return null;
    }
  }

  // ---- threads --------------------------------------------------------------------------------

  /** Whether all timeouts of the JVM depend on this thread. */
  static boolean isWatchdog(Thread thread) {
    return !thread.isVirtual() && thread.getClass().getName().equals(WATCHDOG);
  }

  /** Whether this is a platform thread of a dispatcher, which runs a call for nobody who waits. */
  static boolean isDispatcher(Thread thread) {
    return !thread.isVirtual() && thread.getName().startsWith(ENQUEUED);
  }

  // ---- connections ----------------------------------------------------------------------------

  /** Whether calls share the connection. */
  static boolean isMultiplexed(@Nullable Connection connection) {
    return connection != null
        && (connection.protocol() == Protocol.HTTP_2
            || connection.protocol() == Protocol.H2_PRIOR_KNOWLEDGE);
  }

  /** How many streams the server allows, as far as OkHttp has heard; else very many. */
  static int streams(@Nullable Connection connection) {
    try {
      return connection instanceof RealConnection real
          ? real.getAllocationLimit$okhttp()
          : Integer.MAX_VALUE;
    } catch (LinkageError e) { // OkHttp 4
      return Integer.MAX_VALUE;
    }
  }

  /**
   * Asks the peer of an HTTP/2 connection for a sign of life, as OkHttp does after a read timeout:
   * without one within a second no further call goes that way. Does not wait.
   */
  static void askForSign(@Nullable Connection connection) {
    try {
      if (HTTP_2 != null
          && connection instanceof RealConnection
          && HTTP_2.get(connection) instanceof Http2Connection http2) {
        http2.sendDegradedPingLater$okhttp();
      }
    } catch (ReflectiveOperationException | LinkageError e) {
      // the read timeout of a later call finds out
    }
  }

  // ---- calls ----------------------------------------------------------------------------------

  /**
   * Aborts the exchange of a network interceptor, and not the call, which may have another. Does
   * not wait: over HTTP/2 the reset is sent by a thread of OkHttp's, over HTTP/1.1 the socket is
   * closed.
   */
  static void cancelExchange(Interceptor.Chain chain) {
    try {
      if (chain instanceof RealInterceptorChain real) {
        Exchange exchange = real.getExchange$okhttp();
        if (exchange != null) {
          exchange.cancel();
        }
        return;
      }
    } catch (LinkageError e) {
      // the call, then
    }
    chain.call().cancel();
  }

  /** Whether the server says that it did not process this request (RFC 9113, 6.8 and 8.7). */
  static boolean isRefused(IOException failure) {
    try {
      return failure instanceof ConnectionShutdownException
          || (failure instanceof StreamResetException reset
              && reset.errorCode == okhttp3.internal.http2.ErrorCode.REFUSED_STREAM);
    } catch (LinkageError e) {
      return false;
    }
  }
}
