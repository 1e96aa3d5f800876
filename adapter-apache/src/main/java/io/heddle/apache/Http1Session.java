package io.heddle.apache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hc.core5.http.HttpConnection;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.Http1StreamListener;
import org.apache.hc.core5.http.nio.NHttpMessageParser;
import org.apache.hc.core5.http.nio.SessionInputBuffer;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.EventMask;
import org.apache.hc.core5.reactor.IOSession;
import org.jspecify.annotations.Nullable;

/** HTTP/1.1 on a session: one exchange at a time; to abort it is to close the connection. */
final class Http1Session extends ReactorSession implements Http1StreamListener {

  /** Bytes of one connection, before others have their turn. */
  private static final int TURN = 64 * 1024;

  private final int bufferSize;

  private @Nullable ApacheExchange current;
  private boolean begun;
  private long received;
  private @Nullable SessionInputBuffer input;
  private boolean strayed;

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
    if (!begun) {
      begun = true;
      connection.started(this);
    }
  }

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
  NHttpMessageParser<HttpResponse> watching(NHttpMessageParser<HttpResponse> parser) {
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
   * it is asked again as long as the buffer was filled and the exchange wants more. After {@value
   * #TURN} bytes the other connections have their turn.
   */
  @Override
  void readOn(IOSession session) throws IOException {
    long before = received;
    received = received();
    long first = before;
    while (received - before >= bufferSize
        && received - first < TURN
        && (session.getEventMask() & EventMask.READ) != 0) {
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
