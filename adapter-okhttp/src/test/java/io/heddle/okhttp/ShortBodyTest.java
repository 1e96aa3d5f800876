package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.RecordedCalls;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A body that has come with its head, over HTTP/1.1: nobody waits for it. */
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
  void isOkHttpsOwn() throws Exception {
    Caller caller =
        new Caller(
            () -> {
              try (Response response = call(client()).execute()) {
                return response.body().source() instanceof BodySource;
              }
            });
    assertEquals(false, caller.result());
  }

  @Test
  void isServedToAThreadThatIsInterrupted() throws Exception {
    Caller caller =
        new Caller(
            () -> {
              try (Response response = call(client()).execute()) {
                Thread.currentThread().interrupt();
                return response.body().string() + Thread.interrupted();
              }
            });
    assertEquals("oktrue", caller.result());
  }

  @Test
  void isClosedToARecordingIfNobodyReadsIt() throws Exception {
    assertEquals(List.of("200 closed"), endsOfUnread(Thread.ofVirtual()));
  }

  /** All of it had come, perhaps. */
  @Test
  void isTheEndOfACallIfNobodyReadsIt() throws Exception {
    assertEquals(1, endsOfUnread(Thread.ofPlatform()).size());
  }

  private List<String> endsOfUnread(Thread.Builder kind) throws Exception {
    Call call = call(client());
    try (RecordedCalls recorded = RecordedCalls.start()) {
      new Caller(
              kind,
              () -> {
                try (Response response = call.execute()) {
                  Thread.sleep(200);
                  return response.code();
                }
              })
          .result();
      return recorded.ends(call.request().url().uri());
    }
  }
}
