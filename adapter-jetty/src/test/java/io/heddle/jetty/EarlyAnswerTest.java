package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.RawServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.InputStreamRequestContent;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.io.ByteBufferPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server that answers a request whose body it does not read, and closes: the kernel resets the
 * connection, with the answer in it. It was seen to be lost in half of such calls, as the upload
 * broke first.
 */
@Timeout(120)
class EarlyAnswerTest {

  private static final int TIMES = 40;
  private static final byte[] BODY = new byte[4 << 20];

  private final BlockingJettyClient client = new BlockingJettyClient();
  private volatile String answer =
      "HTTP/1.1 413 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno";
  private RawServer server;

  @BeforeEach
  void start() throws Exception {
    server = RawServer.start(this::answer);
    client.start();
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
    server.close();
  }

  private void answer(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    RawServer.readHead(in);
    in.readNBytes(100_000); // until the client is in the midst of its body
    RawServer.write(socket, answer);
  }

  private Request post() {
    return client.POST(server.uri());
  }

  @Test
  void reachesSend() throws Exception {
    for (int i = 0; i < TIMES; i++) {
      assertEquals(413, post().body(new BytesRequestContent(BODY)).send().getStatus());
    }
  }

  @Test
  void reachesWhoSendsAStream() throws Exception {
    for (int i = 0; i < TIMES; i++) {
      InputStream stream = new ByteArrayInputStream(BODY);
      Request request =
          post().body(new InputStreamRequestContent("a/b", stream, new ByteBufferPool.Sized(null)));
      assertEquals(413, request.send().getStatus());
    }
  }

  @Test
  void reachesAWriter() throws Exception {
    for (int i = 0; i < TIMES; i++) {
      BlockingRequestContent content = new BlockingRequestContent();
      try (BlockingResponseListener listener = new BlockingResponseListener()) {
        post().body(content).send(listener);
        OutputStream out = content.getOutputStream();
        assertThrows(
            IOException.class,
            () -> {
              for (; ; ) {
                out.write(BODY);
              }
            });
        Response response = listener.get(10, TimeUnit.SECONDS);
        assertEquals(413, response.getStatus());
        assertEquals(
            "no", new String(listener.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
      }
    }
  }

  @Test
  void aResetWithoutAnAnswerStillFailsTheCall() throws Exception {
    answer = "";
    for (int i = 0; i < 10; i++) {
      Request request = post().body(new BytesRequestContent(BODY));
      assertInstanceOf(
          IOException.class, assertThrows(ExecutionException.class, request::send).getCause());
    }
  }

  /** An answer that is no refusal does not end the request; the socket that is broken does. */
  @Test
  void anEarlySuccessIsOneToo() throws Exception {
    answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
    for (int i = 0; i < 10; i++) {
      assertEquals(200, post().body(new BytesRequestContent(BODY)).send().getStatus());
    }
  }

  /** Jetty tells of it without the body that it has read: that is no body that was cut. */
  @Test
  void aRedirectThatABodyCannotFollowReachesTheCaller() throws Exception {
    answer =
        "HTTP/1.1 307 There\r\nLocation: /\r\nContent-Length: 5\r\nConnection: close\r\n\r\nthere";
    for (int i = 0; i < 10; i++) {
      InputStream once = new ByteArrayInputStream(BODY, 0, 100_000);
      Request request =
          post().body(new InputStreamRequestContent("a/b", once, new ByteBufferPool.Sized(null)));
      assertEquals(307, request.send().getStatus());
    }
  }
}
