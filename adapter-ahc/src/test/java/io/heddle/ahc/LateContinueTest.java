package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.RawServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
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
    try (RawServer server = RawServer.start(socket -> answer(socket, came));
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setHttp2Enabled(false)
                    .setRequestTimeout(Duration.ofSeconds(20))
                    .build())) {
      Path file = Files.write(directory.resolve("body"), new byte[100]);
      RequestBuilder post = new RequestBuilder("POST").setUrl(server.uri().toString());
      post.setHeader("Expect", "100-continue").setBody(file.toFile());
      Response response = client.execute(post.build());
      assertEquals("loom", response.getResponseBody());
      assertEquals(false, came.get(), "bytes of the body after the final head");
    }
  }

  private static void answer(Socket socket, CompletableFuture<Boolean> came) throws IOException {
    InputStream in = socket.getInputStream();
    RawServer.readHead(in);
    RawServer.write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlo");
    socket.setSoTimeout(2500); // past the second that a word is waited for
    try {
      came.complete(in.read() >= 0);
    } catch (SocketTimeoutException none) {
      came.complete(false);
    }
    socket.setSoTimeout(0);
    RawServer.write(socket, "om");
    RawServer.readToEnd(in);
  }
}
