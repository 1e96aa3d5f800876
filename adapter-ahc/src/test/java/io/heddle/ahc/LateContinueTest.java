package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.RequestBuilder;
import org.asynchttpclient.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A request asks to continue, and the final answer has begun: its body is not sent any more. */
@Timeout(60)
class LateContinueTest {

  @TempDir Path directory;

  @Test
  void finalAnswerThatIsStillComing() throws Exception {
    CompletableFuture<Boolean> came = new CompletableFuture<>();
    try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setHttp2Enabled(false)
                    .setRequestTimeout(Duration.ofSeconds(20))
                    .build())) {
      Thread.ofVirtual()
          .start(
              () -> {
                try (Socket connection = listener.accept()) {
                  BufferedReader in =
                      new BufferedReader(
                          new InputStreamReader(
                              connection.getInputStream(), StandardCharsets.US_ASCII));
                  while (!in.readLine().isEmpty()) {}
                  OutputStream out = connection.getOutputStream();
                  out.write(
                      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlo"
                          .getBytes(StandardCharsets.US_ASCII));
                  out.flush();
                  connection.setSoTimeout(2500); // past the second that a word is waited for
                  try {
                    came.complete(in.read() >= 0);
                  } catch (IOException none) {
                    came.complete(false);
                  }
                  out.write("om".getBytes(StandardCharsets.US_ASCII));
                  out.flush();
                  in.read();
                } catch (IOException e) {
                  came.completeExceptionally(e);
                }
              });
      Path file = Files.write(directory.resolve("body"), new byte[100]);
      RequestBuilder post =
          new RequestBuilder("POST").setUrl("http://127.0.0.1:" + listener.getLocalPort() + "/");
      post.setHeader("Expect", "100-continue").setBody(file.toFile());
      Response response = client.execute(post.build());
      assertEquals("loom", response.getResponseBody());
      assertEquals(false, came.get(), "bytes of the body after the final head");
    }
  }
}
