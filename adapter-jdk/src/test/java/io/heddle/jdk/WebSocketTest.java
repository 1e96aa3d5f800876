package io.heddle.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.EchoServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Web sockets are the wrapped client's. */
@Timeout(60)
class WebSocketTest {

  /** What the other side sends, and how it ends. */
  private static final class Listener implements WebSocket.Listener {
    final CompletableFuture<String> received = new CompletableFuture<>();
    final CompletableFuture<Integer> closed = new CompletableFuture<>();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
      received.complete(text.toString());
      socket.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
      closed.complete(code);
      return null;
    }
  }

  @Test
  void messagesGoBothWays() throws Exception {
    try (EchoServer echo = EchoServer.webSockets();
        HttpClient client = BlockingJdkHttpClient.wrap(HttpClient.newHttpClient())) {
      Listener listener = new Listener();
      WebSocket socket =
          client
              .newWebSocketBuilder()
              .buildAsync(URI.create(echo.uri("/socket").replaceFirst("http", "ws")), listener)
              .get();
      socket.sendText("shuttle", true).get();
      assertEquals("shuttle", listener.received.get());
      socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get();
      assertEquals(WebSocket.NORMAL_CLOSURE, listener.closed.get());
    }
  }
}
