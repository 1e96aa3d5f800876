package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A body that has come with its head, over HTTP/1.1, needs its connection no more. Who is told of
 * the call still hears of its end when the body is read.
 */
@Timeout(60)
class ShortBodyTest {

  private static final byte[] ANSWER =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);

  private ServerSocket server;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(this::serve);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private void serve() {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread.startVirtualThread(() -> answer(socket));
      }
    } catch (IOException e) {
      // the test is over
    }
  }

  /** Each time in one piece. */
  private static void answer(Socket socket) {
    try (socket;
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.isEmpty()) {
          socket.getOutputStream().write(ANSWER);
        }
      }
    } catch (IOException e) {
      // the client has left
    }
  }

  private Call call(OkHttpClient client) {
    String url = "http://127.0.0.1:" + server.getLocalPort() + "/";
    return client.newCall(new Request.Builder().url(url).build());
  }

  private static BlockingOkHttpClient client() {
    return BlockingOkHttpClient.wrap(new OkHttpClient());
  }

  @Test
  void givesItsConnectionBackBeforeItIsRead() throws Exception {
    try (BlockingOkHttpClient client = client()) {
      Caller caller =
          new Caller(
              () -> {
                try (Response response = call(client).execute()) {
                  assertEquals(1, client.connectionPool().idleConnectionCount());
                  assertEquals(0, client.inFlight());
                  assertEquals("ok", call(client).execute().body().string());
                  return response.body().string();
                }
              });
      assertEquals("ok", caller.result());
      assertEquals(1, client.connectionPool().connectionCount());
    }
  }

  @Test
  void tellsTheClientsListenerOfItsEndWhenItIsRead() throws Exception {
    Events events = new Events();
    assertTold(
        call(BlockingOkHttpClient.wrap(new OkHttpClient.Builder().eventListener(events).build())),
        events);
  }

  @Test
  void tellsAListenerOfTheCallOfItsEndWhenItIsRead() throws Exception {
    assumeTrue(ConversationTest.OKHTTP_5, "OkHttp 4 has no listeners of one call");
    Events events = new Events();
    Call call = call(client());
    call.addEventListener(events);
    assertTold(call, events);
  }

  @Test
  void tellsAListenerOfARebuiltClientOfItsEndWhenItIsRead() throws Exception {
    Events events = new Events();
    assertTold(call(client().newBuilder().eventListener(events).build()), events);
  }

  private static void assertTold(Call call, Events events) throws Exception {
    Caller caller =
        new Caller(
            () -> {
              try (Response response = call.execute()) {
                assertTrue(events.has("responseHeadersEnd"));
                assertFalse(events.has("responseBodyStart"));
                return response.body().string();
              }
            });
    assertEquals("ok", caller.result());
    assertEquals("callEnd", events.last());
  }

  @Test
  void isClosedToARecordingIfNobodyReadsIt(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("calls.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("io.heddle.Call").withoutThreshold();
      recording.start();
      new Caller(
              () -> {
                call(client()).execute().close();
                return true;
              })
          .result();
      recording.stop();
      recording.dump(file);
    }
    assertEquals(
        List.of("closed"),
        RecordingFile.readAllEvents(file).stream()
            .filter(each -> each.getEventType().getName().equals("io.heddle.Call"))
            .map(each -> each.getString("ended"))
            .toList());
  }

  @Test
  void isReadOnce() throws Exception {
    for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
      for (OkHttpClient client : List.of(client(), told())) {
        Caller caller =
            new Caller(
                kind,
                () -> {
                  try (Response response = call(client).execute()) {
                    response.body().string();
                    return assertThrows(IllegalStateException.class, () -> response.body().string())
                        .getMessage();
                  }
                });
        assertEquals("closed", caller.result());
      }
    }
  }

  private static OkHttpClient told() {
    return BlockingOkHttpClient.wrap(
        new OkHttpClient.Builder().eventListener(new Events()).build());
  }
}
