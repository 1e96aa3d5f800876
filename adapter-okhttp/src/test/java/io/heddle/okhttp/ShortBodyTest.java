package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
  void isClosedToARecordingIfNobodyReadsIt(@TempDir Path directory) throws Exception {
    assertEquals(List.of("closed"), endsOfUnread(Thread.ofVirtual(), directory));
  }

  /** All of it had come, perhaps. */
  @Test
  void isTheEndOfACallIfNobodyReadsIt(@TempDir Path directory) throws Exception {
    assertEquals(1, endsOfUnread(Thread.ofPlatform(), directory).size());
  }

  private List<String> endsOfUnread(Thread.Builder kind, Path directory) throws Exception {
    Path file = directory.resolve("calls.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("io.heddle.Call").withoutThreshold();
      recording.start();
      new Caller(
              kind,
              () -> {
                try (Response response = call(client()).execute()) {
                  Thread.sleep(200);
                  return response.code();
                }
              })
          .result();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(each -> each.getEventType().getName().equals("io.heddle.Call"))
        .map(each -> each.getString("ended"))
        .toList();
  }
}
