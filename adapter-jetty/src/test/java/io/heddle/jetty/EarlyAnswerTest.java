package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.InputStreamRequestContent;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.io.ByteBufferPool;
import org.jspecify.annotations.Nullable;
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
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile String answer = "";
  private int port;
  private @Nullable ServerSocket server;

  private void start() throws Exception {
    ServerSocket started = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    server = started;
    port = started.getLocalPort();
    threads.execute(() -> accept(started));
    client.start();
  }

  @BeforeEach
  void answer() {
    answer = "HTTP/1.1 413 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno";
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
    if (server != null) {
      server.close();
    }
    threads.close();
  }

  private void accept(ServerSocket started) {
    try {
      for (; ; ) {
        Socket accepted = started.accept();
        threads.execute(() -> answer(accepted));
      }
    } catch (IOException e) {
      return; // the end
    }
  }

  private void answer(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      for (int last = 0; last != 0x0d0a0d0a; ) { // two ends of line
        int next = in.read();
        if (next < 0) {
          return; // a connection without a request
        }
        last = last << 8 | next;
      }
      in.readNBytes(100_000); // until the client is in the midst of its body
      socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      return; // the client was first
    }
  }

  private Request post() {
    return client.POST("http://127.0.0.1:" + port + "/");
  }

  @Test
  void reachesSend() throws Exception {
    start();
    for (int i = 0; i < TIMES; i++) {
      assertEquals(413, post().body(new BytesRequestContent(BODY)).send().getStatus());
    }
  }

  @Test
  void reachesWhoSendsAStream() throws Exception {
    start();
    for (int i = 0; i < TIMES; i++) {
      InputStream stream = new ByteArrayInputStream(BODY);
      Request request =
          post().body(new InputStreamRequestContent("a/b", stream, new ByteBufferPool.Sized(null)));
      assertEquals(413, request.send().getStatus());
    }
  }

  @Test
  void reachesAWriter() throws Exception {
    start();
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
    start();
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
    start();
    for (int i = 0; i < 10; i++) {
      assertEquals(200, post().body(new BytesRequestContent(BODY)).send().getStatus());
    }
  }

  /** Jetty tells of it without the body that it has read: that is no body that was cut. */
  @Test
  void aRedirectThatABodyCannotFollowReachesTheCaller() throws Exception {
    answer =
        "HTTP/1.1 307 There\r\nLocation: /\r\nContent-Length: 5\r\nConnection: close\r\n\r\nthere";
    start();
    for (int i = 0; i < 10; i++) {
      InputStream once = new ByteArrayInputStream(BODY, 0, 100_000);
      Request request =
          post().body(new InputStreamRequestContent("a/b", once, new ByteBufferPool.Sized(null)));
      assertEquals(307, request.send().getStatus());
    }
  }
}
