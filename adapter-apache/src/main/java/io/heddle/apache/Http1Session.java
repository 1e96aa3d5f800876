package io.heddle.apache;

import java.io.IOException;
import org.apache.hc.core5.http.HttpConnection;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.impl.Http1StreamListener;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOSession;
import org.jspecify.annotations.Nullable;

/** HTTP/1.1 on a session: one exchange at a time; to abort it is to close the connection. */
final class Http1Session extends ReactorSession implements Http1StreamListener {

  private @Nullable ApacheExchange current;
  private boolean begun;

  Http1Session(ReactorConnection connection, int window) {
    super(connection, window);
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

  @Override
  void abort(ApacheExchange exchange) {
    connection.close(CloseMode.IMMEDIATE);
  }

  @Override
  int limit() {
    return 1;
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
        before = protocol.getEndpointDetails().getReceivedBytesCount();
        session.getHandler().inputReady(session, null);
      } while (protocol.getEndpointDetails().getReceivedBytesCount() > before);
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
