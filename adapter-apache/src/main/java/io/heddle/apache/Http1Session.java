package io.heddle.apache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.core5.http.HttpConnection;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.Http1StreamListener;
import org.apache.hc.core5.http.nio.NHttpMessageParser;
import org.apache.hc.core5.http.nio.SessionInputBuffer;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.EventMask;
import org.apache.hc.core5.reactor.IOSession;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 on a session: one exchange at a time; to abort it is to close the connection.
 *
 * <p><b>Whose turn it is.</b> A caller whose connection has no TLS sends its request itself, as far
 * as the socket takes it, so that no I/O thread has to be woken for it. The engine is made for one
 * thread at a time: whoever has the turn.
 *
 * <pre>{@code
 *            caller                             I/O thread
 * turn free  send: takes it, gives it back      an event: takes it, gives it back
 * taken      send: enqueues the request, and    an event: comes a moment later, before the
 *            the I/O thread sends it            caller's next send
 * }</pre>
 *
 * <p>A caller does not wait for the turn, and does not park while it has it: it formats a head and
 * writes to a socket that does not block. So it is over in a moment, as is what callers do under
 * the session's own lock.
 */
final class Http1Session extends ReactorSession implements Http1StreamListener {

  private final int bufferSize;

  private @Nullable ApacheExchange current;
  private boolean begun;
  private long received;
  private @Nullable SessionInputBuffer input;
  private boolean strayed;

  private final ReentrantLock turn = new ReentrantLock();

  // What a caller may write to; null as long as there is none, and with TLS.
  private volatile @Nullable PlainSession plain;

  Http1Session(ReactorConnection connection, int window, int bufferSize) {
    super(connection, window);
    this.bufferSize = bufferSize;
  }

  /**
   * Comes again when TLS begins at the end of a tunnel, before it is known what is spoken there.
   */
  @Override
  public void connected(IOSession session) throws IOException {
    super.connected(session);
    plain = session instanceof PlainSession itself ? itself : null;
    if (!begun) {
      begun = true;
      connection.started(this);
    }
  }

  // ---- whose turn it is ---------------------------------------------------------------------

  /**
   * TLS is about to begin, which is the I/O thread's alone; the caller is between two exchanges.
   */
  void beginTls() {
    plain = null;
  }

  /** Whether {@link #send} is more than a question: there is no TLS. */
  boolean letsCallerSend() {
    return plain != null;
  }

  /**
   * Sends a request on this thread, the caller's, as far as the socket has room; the I/O thread
   * does the rest. Does not wait.
   *
   * @param request null to go on with the one that has begun
   * @return false if nothing was done, and the I/O thread has to be asked: it is at work on this
   *     session, or will be, or there is TLS
   */
  boolean send(@Nullable Command request) {
    PlainSession on = plain;
    if (on == null || on.hasCommands() || !on.isOpen()) {
      return false;
    }
    if (turn.hasQueuedThreads() || !turn.tryLock()) { // the I/O thread's turn, or its next
      return false;
    }
    Runnable rest = null;
    try {
      on.beginSending(request);
      try {
        for (int i = 0; i < ApacheInternals.OUTPUTS && on.isOutputWanted(); i++) {
          protocol.outputReady(on);
        }
      } finally {
        rest = on.endSending();
      }
    } catch (CancelledKeyException closing) { // as the reactor has it, here and below
      on.close();
    } catch (IOException | RuntimeException e) {
      exception(on, e);
      on.close();
    } finally {
      turn.unlock();
    }
    if (rest != null) {
      unlessClosing(rest);
    }
    return true;
  }

  @Override
  boolean sendMore() {
    return send(null);
  }

  @Override
  void enter() {
    turn.lock();
  }

  @Override
  void leave() {
    ApacheExchange ready = takeHeldBack();
    turn.unlock();
    if (ready != null) { // its caller may send the next request at once
      ready.deliverHead();
    }
  }

  // ---- whoever has the turn -----------------------------------------------------------------

  @Override
  void starting(ApacheExchange exchange) {
    current = exchange;
  }

  @Override
  void ended(ApacheExchange exchange) {
    if (current == exchange) {
      current = null;
    }
  }

  /** Looks at what the engine reads into, which it shows its parser only. */
  NHttpMessageParser<HttpResponse> watching(NHttpMessageParser<? extends HttpResponse> parser) {
    return new NHttpMessageParser<>() {
      @Override
      public void reset() {
        parser.reset();
      }

      @Override
      public HttpResponse parse(SessionInputBuffer buffer, boolean endOfStream)
          throws IOException, HttpException {
        input = buffer;
        strayed |= current == null && buffer.hasData();
        HttpResponse response = parser.parse(buffer, endOfStream);
        ApacheExchange exchange = current;
        if (response != null && exchange != null) {
          exchange.hideStatus(response);
        }
        return response;
      }
    };
  }

  /** Whether no exchange is under way. */
  boolean isIdle() {
    return current == null;
  }

  /** Whether bytes came that are of no exchange, or of one that is not at its end. */
  boolean hasUnread() {
    return strayed || (input != null && input.hasData());
  }

  /**
   * What came behind the response belongs to none, and must not become the next call's: this
   * connection has no next call.
   */
  @Override
  void responseEnds() {
    if (input != null && input.hasData()) {
      connection.goingAway();
    }
  }

  /** What the server would take for the next request is the rest of this one. */
  @Override
  void refuseRest() {
    connection.goingAway();
  }

  /** Bytes of the body of the response that is under way. */
  void consume(ByteBuffer src) throws IOException {
    ApacheExchange exchange = current;
    if (exchange != null) {
      exchange.consume(src);
    }
  }

  @Override
  void abort(ApacheExchange exchange) {
    connection.close(CloseMode.IMMEDIATE);
  }

  @Override
  int limit() {
    return 1;
  }

  /**
   * The engine reads once per event, as much as its buffer takes, which is little for a long body:
   * it is asked again as long as the buffer was filled and the exchange wants more. A {@link
   * PlainSession} sees to it that other connections have their turn.
   */
  @Override
  void readOn(IOSession session) throws IOException {
    long before = received;
    received = received();
    while (received - before >= bufferSize && (session.getEventMask() & EventMask.READ) != 0) {
      before = received;
      protocol.inputReady(session, null);
      received = received();
    }
  }

  private long received() {
    return protocol.getEndpointDetails().getReceivedBytesCount();
  }

  /**
   * A server that answers early, say with 413, may reset the connection while the request is still
   * being written, and the failed write is seen first. The answer is in the receive buffer.
   */
  @Override
  void salvage(IOSession session) {
    ApacheExchange exchange = current;
    if (exchange == null || exchange.hasHead()) {
      return;
    }
    try {
      long before;
      do {
        before = received();
        session.getHandler().inputReady(session, null);
      } while (received() > before);
    } catch (IOException | RuntimeException nothingMore) {
      return; // that output failed is what is told
    }
  }

  @Override
  public void onResponseHead(HttpConnection connection, HttpResponse response) {
    ApacheExchange exchange = current;
    if (isContinue(response) && exchange != null) {
      exchange.interim(response); // the engine swallows it; the classic executor waits for it
    }
  }

  @Override
  public void onRequestHead(HttpConnection connection, HttpRequest request) {}

  @Override
  public void onExchangeComplete(HttpConnection connection, boolean keepAlive) {}
}
