package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.LeakCheck;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A server that answers while the request is still being sent, and reads on only as it gets rid of
 * its answer: the caller wrote, nobody read, and both waited for ever.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class AnswerWhileSendingTest {

  private static final int FIVE_MIB = 5 * 1024 * 1024;

  /** Sends back what comes, and lets no more come than it got rid of. */
  private static final class Echo implements FramePeer.Play {
    private int owed;
    private boolean ended;

    @Override
    public void head(FramePeer.Stream stream, boolean end) throws IOException {
      owed = 0;
      ended = false;
      stream.head(200, false);
    }

    @Override
    public void data(FramePeer.Stream stream, int bytes, boolean end) throws IOException {
      owed += bytes;
      ended = end;
      window(stream);
    }

    @Override
    public void window(FramePeer.Stream stream) throws IOException {
      for (int n = -1; owed > 0 && n != 0; ) {
        n = stream.data(owed, false);
        owed -= n;
        if (n > 0) {
          stream.grant(n);
        }
      }
      if (ended && owed == 0) {
        ended = false;
        stream.data(0, true);
      }
    }
  }

  private static CloseableHttpClient client(HttpVersionPolicy policy) {
    return BlockingHttpClients.custom()
        .setConnectionManager(BlockingConnectionManager.builder().setVersionPolicy(policy).build())
        .build();
  }

  private static int post(CloseableHttpClient client, String uri, int bytes) throws IOException {
    HttpPost request = new HttpPost(uri);
    request.setEntity(new ByteArrayEntity(new byte[bytes], null));
    return client.execute(
        request, response -> EntityUtils.toByteArray(response.getEntity()).length);
  }

  @Test
  void anEchoOfFiveMebibytesArrivesOverHttp2() throws Exception {
    try (FramePeer server = new FramePeer(new Echo());
        CloseableHttpClient client = client(HttpVersionPolicy.FORCE_HTTP_2)) {
      assertEquals(FIVE_MIB, post(client, server.uri("/"), FIVE_MIB));
      assertEquals(FIVE_MIB, post(client, server.uri("/"), FIVE_MIB));
      assertEquals(1, server.accepted());
      assertEquals(List.of(), server.resets());
    }
  }

  @Test
  void anEchoBeyondTheBoundFailsInClearWordsOverHttp2() throws Exception {
    try (FramePeer server = new FramePeer(new Echo());
        CloseableHttpClient client = client(HttpVersionPolicy.FORCE_HTTP_2)) {
      assertTooMuch(
          assertThrows(
              ConnectionClosedException.class,
              () -> post(client, server.uri("/"), 4 * ResponseDemand.MOST_AHEAD)));
      Threads.await("the stream is reset", () -> server.resets().size() == 1);
      assertEquals(1_000, post(client, server.uri("/"), 1_000));
      assertEquals(1, server.accepted(), "the connection lives");
    }
  }

  private static void assertTooMuch(IOException thrown) {
    assertTrue(
        thrown.toString().contains("while the request was still being written"), thrown.toString());
  }

  @Test
  void anEchoOfFiveMebibytesArrivesOverHttp11() throws Exception {
    try (EchoSocket server = new EchoSocket(FIVE_MIB);
        CloseableHttpClient client = client(HttpVersionPolicy.FORCE_HTTP_1)) {
      assertEquals(FIVE_MIB, post(client, server.uri(), FIVE_MIB));
    }
  }

  @Test
  void anEchoBeyondTheBoundFailsInClearWordsOverHttp11() throws Exception {
    int bytes = 4 * ResponseDemand.MOST_AHEAD;
    try (EchoSocket server = new EchoSocket(bytes);
        CloseableHttpClient client = client(HttpVersionPolicy.FORCE_HTTP_1)) {
      assertTooMuch(
          assertThrows(ConnectionClosedException.class, () -> post(client, server.uri(), bytes)));
    }
  }

  /** The same over HTTP/1.1: one thread that reads a little and writes it back. */
  private static final class EchoSocket implements AutoCloseable {
    private final ServerSocket listening =
        new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final int bytes;

    EchoSocket(int bytes) throws IOException {
      this.bytes = bytes;
      listening.setReceiveBufferSize(64 * 1024);
      Thread.ofPlatform().daemon().start(this::serve);
    }

    String uri() {
      return "http://127.0.0.1:" + listening.getLocalPort() + "/";
    }

    private void serve() {
      try {
        while (true) {
          Socket socket = listening.accept();
          sockets.add(socket);
          socket.setSendBufferSize(64 * 1024);
          Thread.ofPlatform().daemon().start(() -> echo(socket));
        }
      } catch (IOException closed) {
        return;
      }
    }

    private void echo(Socket socket) {
      try (socket) {
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
          head.append((char) in.read());
        }
        String answer = "HTTP/1.1 200 OK\r\nContent-Length: " + bytes + "\r\n\r\n";
        out.write(answer.getBytes(StandardCharsets.US_ASCII));
        in.transferTo(out);
      } catch (IOException left) {
        return;
      }
    }

    @Override
    public void close() throws IOException {
      listening.close();
      for (Socket each : sockets) {
        each.close();
      }
    }
  }
}
