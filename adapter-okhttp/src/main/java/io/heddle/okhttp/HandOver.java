package io.heddle.okhttp;

import java.io.IOException;
import java.net.SocketException;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * The last network interceptor: after it comes what writes to the connection, and waits for it. The
 * connection is known here, so this decides on which thread that is.
 *
 * <table>
 * <caption>Who talks to the server</caption>
 * <tr><td>HTTP/1.1, virtual caller</td><td>the caller: the connection is its call's alone, and an
 * interrupt, which closes its socket, harms nobody</td></tr>
 * <tr><td>the same before JDK 24, with a body of unknown length</td><td>a worker, since OkHttp writes
 * that in {@code synchronized}</td></tr>
 * <tr><td>HTTP/1.1, platform caller</td><td>a worker, since no interrupt ends what the caller would
 * do</td></tr>
 * <tr><td>HTTP/2</td><td>a worker: an interrupted virtual thread would close the socket that all
 * share. Bodies are read by the caller from JDK 24 on, as that only waits; before, it would hold
 * its carrier</td></tr>
 * <tr><td>a thread of a dispatcher</td><td>that thread</td></tr>
 * </table>
 */
final class HandOver implements Interceptor {

  private static final int SWITCHING_PROTOCOLS = 101;

  /** Bytes; OkHttp collects as many at least before it writes. */
  private static final int LONG = 8192;

  /** A connection cannot be used, and nothing was sent: {@link CallEngine} repeats the call. */
  static final class Unsound extends IOException {
    private static final long serialVersionUID = 1L;

    Unsound() {
      super("the connection was closed, since it brings what was meant for another call");
    }
  }

  /** Connections of HTTP/1.1 on which a first call has begun. */
  private static final Set<Connection> BEGUN =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final CallEngine engine;

  HandOver(CallEngine engine) {
    this.engine = engine;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    LiveCall call = LiveCall.current(chain.call());
    LiveCall moved = call == null ? engine.begun(chain.call()) : null;
    return moved == null ? answer(chain, call) : moved.on(() -> answer(chain, moved));
  }

  private Response answer(Chain chain, @Nullable LiveCall call) throws IOException {
    try {
      Response response = exchange(chain, call);
      if (OkHttpInternals.hasFailed(chain) && response.body().source() instanceof Buffer) {
        detach(chain); // an interceptor has answered in the server's place
      }
      return response;
    } catch (Throwable t) { // which Kotlin's code need not declare
      if (Thread.currentThread().isInterrupted() || (call != null && call.isLeft())) {
        detach(chain); // as OkHttp does, unless one answers so, or has left this thread
      }
      throw t;
    }
  }

  private void detach(Chain chain) {
    engine.cancel(() -> OkHttpInternals.detachExchange(chain));
  }

  private Response exchange(Chain chain, @Nullable LiveCall call) throws IOException {
    Connection connection = Objects.requireNonNull(chain.connection()); // as on the network's side
    boolean shared = OkHttpInternals.isMultiplexed(connection);
    int successes = OkHttpInternals.successes(connection);
    if (shared && (successes == 0 || isLong(chain.request().body()))) {
      sendAtOnce(connection);
    }
    if (!shared && isUnsound(connection, successes, call)) {
      OkHttpInternals.cancelExchange(chain); // OkHttp finds it closed, and takes another
      if (call != null
          && CallEngine.goesOn(chain, call)
          && !CallEngine.isRepeatable(chain, chain.request())) {
        throw new Unsound();
      }
    }
    boolean virtual = Thread.currentThread().isVirtual();
    boolean alone = virtual && !shared && !isWrittenInMonitor(chain.request());
    if (call != null) {
      call.connected(connection, successes);
    }
    Response response;
    if (call == null || alone) {
      response = inline(chain);
      boolean isRecorded = call != null && call.event().isOn(); // how the body is closed, too
      response =
          !shared && !isRecorded && isHere(connection, response) && !OkHttpInternals.mayCache(chain)
              ? response
              : read(chain, response, shared, call);
    } else {
      boolean pumps = !WorkerThreads.areVirtual() || (!shared && !virtual);
      OkHttpExchange exchange = new OkHttpExchange(chain, call, pumps);
      call.handOver(exchange);
      response = exchange.execute(engine);
      response = pumps ? response : read(chain, response, shared, call);
    }
    if (chain.call().isCanceled()) {
      // While the request was being sent, perhaps. OkHttp may go on then: it fails to send, looks
      // for an answer all the same, finds one, and takes the request for unfinished for ever. An
      // exception here makes it give the connection back.
      OkHttpExchange.closeQuietly(response);
      throw new IOException("Canceled");
    }
    if (call != null) {
      call.answered();
    }
    return response;
  }

  /**
   * Whether a connection of HTTP/1.1 may bring what is not for the next call: what a server has
   * sent unasked, or what is left of a response that was dropped unclosed. OkHttp finds that by
   * garbage collection, and closes the connection a moment later; a call that comes in between gets
   * it.
   */
  private static boolean isUnsound(Connection connection, int successes, @Nullable LiveCall call) {
    boolean isUsed = successes > 0 || !BEGUN.add(connection);
    boolean isKept = call == null ? successes > 0 : call.isOn(connection); // or nobody knows
    boolean isDropped = isUsed && !isKept && OkHttpInternals.isDropped(connection);
    boolean hasSurplus = (isDropped || successes > 0) && OkHttpInternals.dropSurplus(connection);
    return isDropped || hasSurplus;
  }

  /**
   * Without Nagle's algorithm, which OkHttp leaves on: the last piece of what an HTTP/2 window
   * allows would wait for the server's delayed acknowledgement, some 40 ms for each 64 KiB. Over
   * HTTP/1.1 there is no such window, and OkHttp writes 8 KiB at a time, which without that
   * algorithm are packets of their own.
   *
   * <p>Not for each call, since a socket's options have a lock in common with its reader: with a
   * thousand callers on one connection that took half of their throughput. A connection that
   * another client of the same pool opened has been used when it comes here, so long bodies set the
   * option again.
   */
  private static void sendAtOnce(Connection connection) {
    try {
      connection.socket().setTcpNoDelay(true);
    } catch (SocketException e) {
      // it is closed, which the call will find out
    }
  }

  /** More than goes out in one piece, or of unknown length. */
  private static boolean isLong(@Nullable RequestBody body) throws IOException {
    if (body == null) {
      return false;
    }
    long length = body.contentLength();
    return length < 0 || length > LONG;
  }

  /**
   * Whether OkHttp writes the body in {@code synchronized} ({@code
   * Http1ExchangeCodec.ChunkedSink}), where a virtual thread before JDK 24 holds its carrier while
   * it waits for room in the socket, or for the lock of okio's timers: see {@link PrefaceGate}.
   */
  private static boolean isWrittenInMonitor(Request request) {
    return !WorkerThreads.areVirtual() && request.header("Transfer-Encoding") != null;
  }

  private static Response inline(Chain chain) throws IOException {
    try {
      return chain.proceed(chain.request());
    } catch (IOException e) {
      // Or OkHttp would try again, with the flag set.
      throw Thread.currentThread().isInterrupted() ? OkHttpFailures.interrupted(e) : e;
    }
  }

  /** Whether nobody has to wait for the body, as all of it has come with the head. */
  private static boolean isHere(Connection connection, Response response) {
    long length = response.body().contentLength();
    return length >= 0 && OkHttpInternals.hasReceived(connection, length);
  }

  /** The response with a body that the caller reads from OkHttp's own. */
  private static Response read(Chain chain, Response own, boolean shared, @Nullable LiveCall call) {
    return hasStream(own)
        ? OkHttpResponseBody.install(chain, own, new InlineSource(chain, own, shared, call), null)
        : own;
  }

  /** All but what is in memory, and what is no body: the two ends of an upgraded connection. */
  static boolean hasStream(Response response) {
    return response.code() != SWITCHING_PROTOCOLS && !(response.body().source() instanceof Buffer);
  }
}
