package io.heddle.apache;

import io.heddle.core.ResponseBodyPipe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.nio.HttpConnectionEventHandler;
import org.apache.hc.core5.reactor.IOEventHandler;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * What happens on one I/O session: the engine's protocol handler, and around it what Heddle has to
 * do before and after. Everything here runs on the session's I/O thread, or on a caller that takes
 * its part: see {@link Http1Session}.
 *
 * <p><b>One wake-up per response.</b> The head of a response is held back while the bytes that came
 * with it are worked through, so that a short response has arrived whole when its caller wakes, and
 * the caller does not park again for its body. At the latest the end of the input event lets it go.
 */
abstract class ReactorSession implements IOEventHandler {

  final ReactorConnection connection;

  /** The engine's handler; set once, before the session's first event. */
  HttpConnectionEventHandler protocol;

  /** How many bytes of a body the engine may deliver unasked. */
  final int window;

  private @Nullable ApacheExchange heldBack;
  private boolean reading;
  private @Nullable ResponseBodyPipe gathering;
  private boolean inputFailed;
  private @Nullable Exception failure;

  @SuppressWarnings("NullAway.Init") // see `protocol`
  ReactorSession(ReactorConnection connection, int window) {
    this.connection = connection;
    this.window = window;
  }

  /** The request of this exchange is about to be sent. */
  abstract void starting(ApacheExchange exchange);

  /** A response is at its end, and its caller about to be told. */
  void responseEnds() {}

  /** The engine is done with this exchange. */
  abstract void ended(ApacheExchange exchange);

  /**
   * The response is complete, and the rest of the request will not be sent.
   *
   * @throws IOException to have the engine end the exchange
   */
  void refuseRest() throws IOException {}

  /**
   * Sends on this thread, the caller's, what its request body has. Does not wait.
   *
   * @return false if the I/O thread has to be asked
   */
  boolean sendMore() {
    return false;
  }

  /** Aborts this exchange and no other; any thread, does not wait. */
  abstract void abort(ApacheExchange exchange);

  /** How many exchanges may be under way at a time. */
  abstract int limit();

  /** The exchange has the head of its response: its caller wakes after what came with it. */
  final void holdBack(ApacheExchange exchange) {
    letGo();
    heldBack = exchange;
  }

  /** Wakes the caller of the head that is held back, if there is one. */
  final void letGo() {
    ApacheExchange ready = takeHeldBack();
    if (ready != null) {
      ready.deliverHead();
    }
  }

  /** The exchange whose head was held back until now, or null. */
  final @Nullable ApacheExchange takeHeldBack() {
    ApacheExchange ready = heldBack;
    heldBack = null;
    return ready;
  }

  /** The exchange whose head is held back, or null. */
  final @Nullable ApacheExchange heldBack() {
    return heldBack;
  }

  /** Hands on bytes of a body: its caller wakes after what came with them. */
  final void handOn(ByteBuffer src, ResponseBodyPipe body) {
    if (!reading) {
      body.offer(src); // wakes the caller in read
      return;
    }
    if (gathering != body) {
      flush();
      gathering = body;
    }
    body.gather(src);
  }

  private void flush() {
    ResponseBodyPipe gathered = gathering;
    gathering = null;
    if (gathered != null) {
      gathered.flush(); // wakes the caller in read
    }
  }

  /** An event on the I/O thread. */
  void enter() {}

  /** … is over. */
  void leave() {
    letGo();
  }

  @Override
  public void connected(IOSession session) throws IOException {
    protocol.connected(session);
  }

  @Override
  public void inputReady(IOSession session, ByteBuffer src) throws IOException {
    enter();
    try {
      input(session, src);
    } finally {
      leave();
    }
  }

  private void input(IOSession session, ByteBuffer src) throws IOException {
    beginReading(session);
    inputFailed = true;
    reading = true;
    try {
      toEngine(session, src);
      readOn(session);
    } finally {
      reading = false;
      flush();
    }
    inputFailed = false;
  }

  private static void beginReading(IOSession session) {
    if (session instanceof PlainSession plain) {
      plain.beginReading();
    }
  }

  @Override
  public void outputReady(IOSession session) throws IOException {
    enter();
    try {
      beginReading(session); // to see whether the connection is stale
      protocol.outputReady(session);
    } finally {
      leave();
    }
  }

  @Override
  public void timeout(IOSession session, Timeout timeout) throws IOException {
    enter();
    try {
      protocol.timeout(session, timeout);
    } finally {
      leave();
    }
  }

  @Override
  public void exception(IOSession session, Exception cause) {
    enter();
    try {
      if (failure == null) {
        failure = cause;
        if (!inputFailed) {
          salvage(session);
        }
      }
      protocol.exception(session, cause);
      connection.failed(cause);
    } finally {
      leave();
    }
  }

  @Override
  public void disconnected(IOSession session) {
    enter();
    try {
      protocol.disconnected(session);
      connection.disconnected();
    } finally {
      leave();
    }
  }

  /** Hands what came to the engine. */
  void toEngine(IOSession session, ByteBuffer src) throws IOException {
    protocol.inputReady(session, src);
  }

  /** The engine has read once: takes what else is there, if the engine would not by itself. */
  void readOn(IOSession session) throws IOException {}

  /** Output failed: the last chance to take in what the peer had sent before. */
  void salvage(IOSession session) {}

  /** The peer has said why the session ends; what follows is but a consequence. */
  final void breaks(Exception cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  /** Why the session broke, where what the engine says now is but a consequence. */
  final Exception firstFailure(Exception consequence) {
    Exception first = failure != null ? failure : connection.closedFor();
    return first != null ? first : consequence;
  }

  /**
   * Does something with the session from outside. One that is closing has no selection key any
   * more; whoever waits for it is told by its end.
   */
  static void unlessClosing(Runnable action) {
    try {
      action.run();
    } catch (CancelledKeyException closing) {
      return;
    }
  }

  /** An interim response that the engine keeps to itself. */
  static boolean isContinue(HttpResponse response) {
    return response.getCode() == 100;
  }
}
