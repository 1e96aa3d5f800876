package io.heddle.okhttp;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.Socket;
import java.net.SocketException;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.Protocol;
import okhttp3.internal.connection.BufferedSocket;
import okhttp3.internal.connection.Exchange;
import okhttp3.internal.connection.RealCall;
import okhttp3.internal.connection.RealConnection;
import okhttp3.internal.connection.RealConnectionPool;
import okhttp3.internal.http.RealInterceptorChain;
import okhttp3.internal.http2.ConnectionShutdownException;
import okhttp3.internal.http2.StreamResetException;
import okio.AsyncTimeout;
import okio.Buffer;
import okio.BufferedSource;
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

  private static final @Nullable Field EXCHANGE = of(() -> RealCall.class, "exchange");
  private static final @Nullable Field SUCCESSES = ofConnection("successCount");
  private static final @Nullable Field ALLOCATION_LIMIT = ofConnection("allocationLimit");
  private static final @Nullable Field RAW_SOCKET = ofConnection("rawSocket");

  /** Of OkHttp 4, and of 5. */
  private static final @Nullable Field SOURCE =
      ofConnection("source") != null ? ofConnection("source") : ofConnection("socket");

  /** Whether a connection tells since when it is idle; that of OkHttp 4 does not. */
  private static final boolean TELLS_IDLE = tellsIdle();

  private OkHttpInternals() {}

  private static boolean tellsIdle() {
    try {
      RealConnection.class.getMethod("getIdleAtNs");
      RealConnectionPool.class.getMethod("getKeepAliveDurationNs$okhttp");
      return true;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return false;
    }
  }

  private static @Nullable Field ofConnection(String name) {
    return of(() -> RealConnection.class, name);
  }

  /** Of a class that may not be to be had. */
  private static @Nullable Field of(Supplier<Class<?>> type, String name) {
    try {
      Field field = type.get().getDeclaredField(name);
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

  /** What all timeouts of the JVM take turns at; where it is not to be had, a lock of our own. */
  static ReentrantLock timersLock() {
    try {
      Field field = AsyncTimeout.class.getDeclaredField("lock");
      field.setAccessible(true);
      return (ReentrantLock) field.get(null);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return new ReentrantLock(); // so that one caller at a time, at least, waits for okio's
    }
  }

  /** Whether this is a thread of a dispatcher, which runs a call for nobody who waits. */
  static boolean isDispatcher(Thread thread) {
    return thread.getName().startsWith(ENQUEUED);
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
    return number(ALLOCATION_LIMIT, connection, Integer.MAX_VALUE);
  }

  /**
   * How many calls have ended well on a connection, which is a sign that it lives; always the same
   * if that is not to be known.
   */
  static int successes(@Nullable Connection connection) {
    return number(SUCCESSES, connection, 0);
  }

  private static int number(@Nullable Field field, @Nullable Connection of, int unknown) {
    try {
      return of == null || field == null ? unknown : field.getInt(of);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return unknown;
    }
  }

  /** No further call goes over the connection; those that are on it go on. */
  static void leave(Connection connection) {
    try {
      if (connection instanceof RealConnection real) {
        synchronized (real) { // which guards it
          real.setNoNewExchanges(true);
        }
      }
    } catch (LinkageError e) {
      // OkHttp asks for a sign of life itself, after a read timeout
    }
  }

  /**
   * Whether the last call on a connection of the pool was dropped, and OkHttp is about to close it:
   * it takes it for one that has been idle for too long. (OkHttp 4 lets no further call have it.)
   *
   * @param connection has had a call before, and the pool has just given it to another
   */
  static boolean isDropped(Connection connection) {
    if (!TELLS_IDLE || !(connection instanceof RealConnection real)) {
      return false;
    }
    long longest = real.getConnectionPool().getKeepAliveDurationNs$okhttp(); // may be without end
    return real.getIdleAtNs() - (System.nanoTime() - longest) <= 0;
  }

  /**
   * Throws away what was received behind the last response on a connection of HTTP/1.1, which the
   * next call would take for its own. On TLS a record counts, whatever is in it.
   *
   * @param connection no other call's; after a handshake it has had a response, or the records that
   *     end the handshake would count
   * @return whether there was anything
   */
  static boolean dropSurplus(Connection connection) {
    try {
      Buffer received = received(connection);
      Socket socket = connection.socket();
      Object raw = Objects.requireNonNull(RAW_SOCKET).get(connection); // the same without TLS
      InputStream in = socket.getInputStream();
      boolean isTls = !socket.equals(raw);
      int here = in.available();
      boolean any =
          received.size() > 0
              || here > 0
              || (isTls && ((Socket) raw).getInputStream().available() > 0);
      received.clear();
      if (isTls) {
        in.skipNBytes(here); // what TLS has deciphered can be read after the socket is closed
      }
      return any;
    } catch (IOException | ReflectiveOperationException | RuntimeException | LinkageError e) {
      return false; // it is closed, or nobody can tell
    }
  }

  /**
   * Whether OkHttp has received so many bytes on a connection of HTTP/1.1, or more, that nobody has
   * taken yet: to read them is to wait for nothing.
   */
  static boolean hasReceived(Connection connection, long bytes) {
    try {
      return bytes <= received(connection).size();
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return false;
    }
  }

  /** What OkHttp has read from a connection of HTTP/1.1, and nobody has taken. */
  private static Buffer received(Connection connection) throws ReflectiveOperationException {
    Object held = Objects.requireNonNull(SOURCE).get(connection);
    return held instanceof BufferedSource of4
        ? of4.getBuffer()
        : ((BufferedSocket) held).getSource().getBuffer();
  }

  // ---- calls ----------------------------------------------------------------------------------

  /** Whether the client that makes the call, or an interceptor before this one, lets it retry. */
  static boolean retries(Interceptor.Chain chain) {
    try {
      return chain.getRetryOnConnectionFailure();
    } catch (LinkageError e) { // OkHttp 4
      return !(chain.call() instanceof RealCall real)
          || real.getClient().retryOnConnectionFailure();
    }
  }

  /** Whether OkHttp may write the response of the call to a cache, as its caller reads it. */
  static boolean mayCache(Interceptor.Chain chain) {
    try {
      return chain.getCache() != null;
    } catch (LinkageError e) { // OkHttp 4
      return !(chain.call() instanceof RealCall real) || real.getClient().cache() != null;
    }
  }

  /** The last interceptor of the application's side; null if that is not to be known. */
  static @Nullable Interceptor lastInterceptor(Interceptor.Chain chain) {
    try {
      return chain.call() instanceof RealCall real
          ? real.getClient().interceptors().getLast()
          : null;
    } catch (LinkageError e) {
      return null;
    }
  }

  /**
   * Aborts the exchange of a network interceptor, and not the call, which may have another. Does
   * not wait: over HTTP/2 the reset is sent by a thread of OkHttp's, over HTTP/1.1 the socket is
   * closed.
   */
  static void cancelExchange(Interceptor.Chain chain) {
    try {
      if (chain instanceof RealInterceptorChain) {
        Exchange exchange = exchange(chain);
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

  private static @Nullable Exchange exchange(Interceptor.Chain chain) {
    return chain instanceof RealInterceptorChain real ? real.getExchange$okhttp() : null;
  }

  /** Whether the exchange of a network interceptor has failed. */
  static boolean hasFailed(Interceptor.Chain chain) {
    try {
      Exchange exchange = exchange(chain);
      return exchange != null && exchange.getHasFailure$okhttp();
    } catch (LinkageError e) {
      return false;
    }
  }

  /**
   * Aborts the exchange of a network interceptor, and takes it from the call: its connection is the
   * call's no more, and goes back to the pool when the call is over. What is reported of the
   * exchange later counts for nothing. Does not wait, as {@link #cancelExchange}. Nothing happens
   * if it is over, since its connection may be another call's by then.
   */
  static void detachExchange(Interceptor.Chain chain) {
    try {
      Exchange exchange = exchange(chain);
      if (exchange != null && exchange.equals(open(chain.call()))) {
        exchange.detachWithViolence();
      }
    } catch (LinkageError e) {
      // the garbage collector ends it, if OkHttp does not
    }
  }

  /** Whether a call still has an exchange, of which nothing more can come. */
  static boolean hasDeadExchange(Call call) {
    try {
      Exchange exchange = open(call);
      return exchange != null && (call.isCanceled() || exchange.getHasFailure$okhttp());
    } catch (LinkageError e) {
      return false;
    }
  }

  /** As {@link #detachExchange}, of the one that its call has now. */
  static void detachOpenExchange(Call call) {
    try {
      Exchange exchange = open(call);
      if (exchange != null) {
        exchange.detachWithViolence();
      }
    } catch (LinkageError e) {
      // as above
    }
  }

  /** The exchange of a call; null once that is over. */
  private static @Nullable Exchange open(Call call) {
    try {
      return EXCHANGE == null ? null : (Exchange) EXCHANGE.get(call);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  /**
   * Whether a failure is of the connection: not of time, nothing that the server has said of the
   * stream, and nothing of an interceptor's. At its end a connection resets its streams itself, as
   * if to cancel them.
   */
  static boolean isOfConnection(IOException failure) {
    try {
      return failure instanceof SocketException
          || failure instanceof SSLException
          || failure instanceof EOFException
          || isUnsent(failure)
          || (failure instanceof StreamResetException reset
              && reset.errorCode == okhttp3.internal.http2.ErrorCode.CANCEL);
    } catch (LinkageError e) {
      return false;
    }
  }

  /** Whether the server says that it did not process this request (RFC 9113, 6.8 and 8.7). */
  static boolean isRefused(Throwable failure) {
    try {
      return isUnsent(failure)
          || (failure instanceof StreamResetException reset
              && reset.errorCode == okhttp3.internal.http2.ErrorCode.REFUSED_STREAM);
    } catch (LinkageError e) {
      return false;
    }
  }

  /** Whether a request got no stream: nothing of it was sent, and its body was not asked for. */
  static boolean isUnsent(Throwable failure) {
    try {
      return failure instanceof ConnectionShutdownException;
    } catch (LinkageError e) {
      return false;
    }
  }
}
