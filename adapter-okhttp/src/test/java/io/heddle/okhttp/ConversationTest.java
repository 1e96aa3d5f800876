package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.conformance.EchoServer;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import okio.BufferedSink;
import okio.BufferedSource;
import okio.Okio;
import okio.Socket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What goes both ways at a time, and what comes after a body: none of it is gathered first. Each
 * test holds for OkHttp's own client, too, run with the system property {@code
 * heddle.okhttp.stock}.
 */
@Timeout(30)
class ConversationTest {

  /** Enough for a head on a busy machine; less than three turns of a conversation take. */
  private static final Duration CALL_TIMEOUT = Duration.ofMillis(1500);

  private static final boolean STOCK = Boolean.getBoolean("heddle.okhttp.stock");

  /** Whether this is OkHttp 5: 4 has neither sockets of upgrades nor a look at trailers. */
  static final boolean OKHTTP_5 = isOkHttp5();

  private static boolean isOkHttp5() {
    try {
      Class.forName("okhttp3.TrailersSource");
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static OkHttpClient client(OkHttpClient.Builder builder) {
    OkHttpClient stock = builder.build();
    return STOCK ? stock : BlockingOkHttpClient.wrap(stock);
  }

  private static OkHttpClient.Builder h2c() {
    return new OkHttpClient.Builder().protocols(KitClient.protocols(Wire.H2C));
  }

  // ---- duplex -----------------------------------------------------------------------------------

  /** Hands out its sink, and leaves it open. */
  private static final class Duplex extends RequestBody {
    private final CompletableFuture<BufferedSink> sink = new CompletableFuture<>();

    @Override
    public @Nullable MediaType contentType() {
      return null;
    }

    @Override
    public boolean isDuplex() {
      return true;
    }

    @Override
    public void writeTo(BufferedSink to) {
      sink.complete(to);
    }
  }

  @Test
  void aDuplexCallIsAConversation() throws Exception {
    try (EchoServer server = EchoServer.duplex()) {
      Duplex body = new Duplex();
      Call call =
          client(h2c()).newCall(new Request.Builder().url(server.uri("/")).post(body).build());
      Caller caller =
          new Caller(
              () -> {
                try (Response response = call.execute()) {
                  BufferedSink to = body.sink.get();
                  BufferedSource from = response.body().source();
                  for (int i = 0; i < 100; i++) {
                    to.writeUtf8("pick " + i + "\n").flush();
                    assertEquals("pick " + i, from.readUtf8Line());
                  }
                  to.close();
                  return from.exhausted();
                }
              });
      assertEquals(true, caller.result());
    }
  }

  @Test
  void theCallTimeoutOfADuplexCallEndsWithItsHead() throws Exception {
    try (EchoServer server = EchoServer.duplex()) {
      Duplex body = new Duplex();
      OkHttpClient client = client(h2c().callTimeout(CALL_TIMEOUT));
      Call call = client.newCall(new Request.Builder().url(server.uri("/")).post(body).build());
      try (Response response = call.execute()) {
        BufferedSink to = body.sink.get();
        for (int i = 0; i < 3; i++) {
          to.writeUtf8("shed\n").flush();
          assertEquals("shed", response.body().source().readUtf8Line());
          Thread.sleep(CALL_TIMEOUT.toMillis() / 2);
        }
        to.close();
      }
    }
  }

  @Test
  void aDuplexCallThatIsCancelledEndsBothWays() throws Exception {
    try (EchoServer server = EchoServer.duplex()) {
      Duplex body = new Duplex();
      OkHttpClient client = client(h2c());
      Call call = client.newCall(new Request.Builder().url(server.uri("/")).post(body).build());
      Response response = call.execute();
      Caller reader = new Caller(() -> response.body().source().readUtf8Line());
      call.cancel();
      assertInstanceOf(IOException.class, reader.failure());
      Caller writer =
          new Caller(
              () -> {
                body.sink.get().writeUtf8("weft").flush();
                return "written";
              });
      assertInstanceOf(IOException.class, writer.failure());
      response.close();
      closeQuietly(body.sink.get());
      ExecuteTest.await(
          () ->
              client.connectionPool().connectionCount()
                  == client.connectionPool().idleConnectionCount());
    }
  }

  private static void closeQuietly(BufferedSink sink) {
    try {
      sink.close();
    } catch (IOException e) {
      // cancelled
    }
  }

  // ---- upgrades ---------------------------------------------------------------------------------

  @Test
  void anUpgradeGivesBothEndsOfTheConnection() throws Exception {
    assumeTrue(OKHTTP_5, "OkHttp 4 has no sockets of upgrades");
    try (EchoServer server = EchoServer.upgrades()) {
      OkHttpClient client = client(new OkHttpClient.Builder().callTimeout(CALL_TIMEOUT));
      Request request =
          new Request.Builder()
              .url(server.uri("/"))
              .header("Connection", "Upgrade")
              .header("Upgrade", "echo")
              .build();
      Caller caller = new Caller(() -> converse(client.newCall(request)));
      assertEquals("pick 0, pick 1, pick 2, ", caller.result());
      ExecuteTest.await(() -> client.connectionPool().connectionCount() == 0);
    }
  }

  private static String converse(Call call) throws Exception {
    StringBuilder heard = new StringBuilder();
    Response response = call.execute();
    assertEquals(101, response.code());
    Socket socket = Objects.requireNonNull(response.socket());
    try (BufferedSink to = Okio.buffer(socket.getSink());
        BufferedSource from = Okio.buffer(socket.getSource())) {
      for (int i = 0; i < 3; i++) {
        to.writeUtf8("pick " + i + "\n").flush();
        heard.append(from.readUtf8Line()).append(", ");
        Thread.sleep(
            CALL_TIMEOUT.toMillis() / 2); // beyond the call timeout, which ended with the head
      }
    }
    return heard.toString();
  }

  @Test
  void webSocketsWork() throws Exception {
    try (EchoServer server = EchoServer.webSockets()) {
      BlockingQueue<String> heard = new LinkedBlockingQueue<>();
      OkHttpClient client = client(new OkHttpClient.Builder());
      WebSocket socket =
          client.newWebSocket(
              new Request.Builder().url(server.uri("/socket")).build(),
              new WebSocketListener() {
                @Override
                public void onOpen(WebSocket webSocket, Response response) {
                  heard.add("open " + response.code());
                }

                @Override
                public void onMessage(WebSocket webSocket, String text) {
                  heard.add(text);
                }

                @Override
                public void onClosing(WebSocket webSocket, int code, String reason) {
                  webSocket.close(code, null);
                  heard.add("closing " + code);
                }

                @Override
                public void onFailure(
                    WebSocket webSocket, Throwable failure, @Nullable Response response) {
                  heard.add("failed: " + failure);
                }
              });
      assertEquals("open 101", heard.poll(10, TimeUnit.SECONDS));
      assertTrue(socket.send("warp"));
      assertTrue(socket.send("weft"));
      assertEquals("warp", heard.poll(10, TimeUnit.SECONDS));
      assertEquals("weft", heard.poll(10, TimeUnit.SECONDS));
      socket.close(1000, null);
      assertEquals("closing 1000", heard.poll(10, TimeUnit.SECONDS));
    }
  }

  // ---- trailers ---------------------------------------------------------------------------------

  private static Request get(URI uri) {
    return new Request.Builder().url(uri.toString()).build();
  }

  @Test
  void trailersComeAfterTheBody() throws Exception {
    for (Wire wire : new Wire[] {Wire.HTTP_1_1, Wire.H2C}) {
      try (FaultServer server = FaultServer.start(wire)) {
        OkHttpClient client =
            client(new OkHttpClient.Builder().protocols(KitClient.protocols(wire)));
        Request request = get(server.uri(Script.ok().body(100_000).trailers()));
        try (Response response = client.newCall(request).execute()) {
          assertEquals(100_000, response.body().bytes().length);
          assertNotNull(response.trailers().get("x-checksum"));
        }
      }
    }
  }

  @Test
  void aBodyWithTrailersIsReadAsItComes() throws Exception {
    assumeTrue(OKHTTP_5, "OkHttp 4 has no look at trailers");
    for (Wire wire : new Wire[] {Wire.HTTP_1_1, Wire.H2C}) {
      try (FaultServer server = FaultServer.start(wire)) {
        OkHttpClient client =
            client(new OkHttpClient.Builder().protocols(KitClient.protocols(wire)));
        URI uri = server.uri(Script.ok().body(10_000).trailers().fault(Script.Fault.STALL, 1000));
        try (Response response = client.newCall(get(uri)).execute()) {
          assertEquals(1000, response.body().source().readByteArray(1000).length);
          assertNull(response.peekTrailers()); // neither waits nor fails
          server.seen(uri).get(0).release();
          assertNotNull(response.trailers().get("x-checksum")); // drops what was not read
          assertNotNull(response.peekTrailers());
        }
      }
    }
  }

  @Test
  void aResponseWithoutTrailersHasNone() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      OkHttpClient client = client(new OkHttpClient.Builder());
      Request request = get(server.uri(Script.ok().body(100)));
      try (Response response = client.newCall(request).execute()) {
        assertEquals(100, response.body().bytes().length);
        assertEquals(0, response.trailers().size());
      }
    }
  }
}
