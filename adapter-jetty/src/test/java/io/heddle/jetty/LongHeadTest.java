package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
import org.eclipse.jetty.client.HttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Jetty's client keeps a head, and trailers, of any length: a JVM with a heap of 64 MiB was seen to
 * end with a server that sent no end of either. What the failure is due to is Jetty's: with
 * assertions on, one of its own.
 */
@Timeout(60)
class LongHeadTest {

  private static final String FIELD = "X-Fill: " + "x".repeat(1000) + "\r\n";
  private static final String BODY = "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n";

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpClient client = new HttpClient();
  private ServerSocket server;
  private volatile String answer = "";

  @BeforeEach
  void start() throws Exception {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
    server.close();
    threads.close();
  }

  private void accept() {
    try {
      for (; ; ) {
        Socket accepted = server.accept();
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
      OutputStream out = socket.getOutputStream();
      out.write(answer.getBytes(StandardCharsets.US_ASCII));
      in.read(); // until the client leaves
    } catch (IOException e) {
      return; // the client has left
    }
  }

  private int status(HttpClient of) throws Exception {
    client = of;
    client.start();
    return client.GET("http://127.0.0.1:" + server.getLocalPort() + "/").getStatus();
  }

  private static String head(int fields) {
    return "HTTP/1.1 200 OK\r\n" + FIELD.repeat(fields) + BODY + "\r\n";
  }

  private static String trailers(int fields) {
    return "HTTP/1.1 200 OK\r\n" + BODY + FIELD.repeat(fields) + "\r\n";
  }

  @Test
  void stockTakesAMegabyte() throws Exception {
    answer = head(1000);
    assertEquals(200, status(new HttpClient()));
  }

  @Test
  void aHeadOfAMegabyteFails() {
    answer = head(1000);
    assertThrows(ExecutionException.class, () -> status(new BlockingJettyClient()));
  }

  @Test
  void trailersOfAMegabyteFail() {
    answer = trailers(1000);
    assertThrows(ExecutionException.class, () -> status(new BlockingJettyClient()));
  }

  @Test
  void aHeadOf200KilobytesIsTaken() throws Exception {
    answer = head(200);
    assertEquals(200, status(new BlockingJettyClient()));
  }

  @Test
  void whoAllowsMoreGetsIt() throws Exception {
    answer = head(1000);
    BlockingJettyClient more = new BlockingJettyClient();
    more.setMaxResponseHeadersSize(2 << 20);
    assertEquals(200, status(more));
  }
}
