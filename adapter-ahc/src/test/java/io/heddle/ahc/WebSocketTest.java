package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.EchoServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.netty.ws.NettyWebSocket;
import org.asynchttpclient.ws.WebSocket;
import org.asynchttpclient.ws.WebSocketListener;
import org.asynchttpclient.ws.WebSocketUpgradeHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** WebSockets go through the client as they go through AHC's own. */
@Timeout(60)
class WebSocketTest {

  /** What the other side sends, and how it ends. */
  private static final class Listener implements WebSocketListener {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    final CompletableFuture<Integer> closed = new CompletableFuture<>();

    @Override
    public void onOpen(WebSocket webSocket) {}

    @Override
    public void onClose(WebSocket webSocket, int code, String reason) {
      closed.complete(code);
    }

    @Override
    public void onError(Throwable t) {
      closed.completeExceptionally(t);
    }

    @Override
    public void onTextFrame(String text, boolean last, int reserved) {
      received.add(text);
    }
  }

  private static ListenableFuture<NettyWebSocket> open(
      BlockingAhcClient client, String url, Listener listener) {
    return client
        .prepareGet(url)
        .execute(new WebSocketUpgradeHandler.Builder().addWebSocketListener(listener).build());
  }

  @Test
  void messagesGoBothWays() throws Exception {
    try (EchoServer echo = EchoServer.webSockets();
        BlockingAhcClient client = new BlockingAhcClient()) {
      Listener listener = new Listener();
      WebSocket webSocket =
          open(client, echo.uri("/socket").replaceFirst("http", "ws"), listener).get();
      for (int i = 0; i < 3; i++) {
        webSocket.sendTextFrame("shuttle " + i).sync();
        assertEquals("shuttle " + i, listener.received.poll(10, TimeUnit.SECONDS));
      }
      webSocket.sendCloseFrame().sync();
      assertEquals(1000, listener.closed.get(10, TimeUnit.SECONDS));
      assertEquals(0, client.inFlight());
    }
  }

  /** A server that accepts and says nothing: stock leaves the caller blocked. */
  @Test
  void closeEndsAHandshake() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      BlockingAhcClient client = new BlockingAhcClient(Dsl.config().build());
      ListenableFuture<NettyWebSocket> future =
          open(client, "ws://127.0.0.1:" + mute.getLocalPort() + "/", new Listener());
      mute.accept();
      client.close();
      ExecutionException failure =
          assertThrows(ExecutionException.class, () -> future.get(10, TimeUnit.SECONDS));
      assertInstanceOf(SocketException.class, failure.getCause());
      assertTrue(future.isDone());
    }
  }

  @Test
  void interruptEndsAHandshake() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        BlockingAhcClient client = new BlockingAhcClient()) {
      ListenableFuture<NettyWebSocket> future =
          open(client, "ws://127.0.0.1:" + mute.getLocalPort() + "/", new Listener());
      try (Socket peer = mute.accept()) {
        peer.setSoTimeout(10_000);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, future::get);
        peer.getInputStream().readAllBytes(); // to the end: the client has left
      }
      assertTrue(future.isCancelled());
    }
  }
}
