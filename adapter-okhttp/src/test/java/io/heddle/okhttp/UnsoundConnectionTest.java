package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connection of the pool holds bytes that belong to no response, so that it is closed when a call
 * gets it. OkHttp takes another for that call, but not if it has a body that can be sent only once,
 * whether anything of that was sent or not: such a call was seen to fail with "Socket closed".
 */
@Timeout(60)
class UnsoundConnectionTest {

  private static final String ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private final AtomicBoolean arrived = new AtomicBoolean();

  /** Answers the first request, and sends at once what nobody has asked for. */
  private void serve(ServerSocket server, String lastLine) {
    try (Socket first = server.accept();
        BufferedReader request = reader(first)) {
      readTo("", request);
      first.getOutputStream().write((ANSWER + ANSWER).getBytes(StandardCharsets.US_ASCII));
      try (Socket second = server.accept();
          BufferedReader post = reader(second)) {
        readTo(lastLine, post);
        arrived.set(true);
        second.getOutputStream().write(ANSWER.getBytes(StandardCharsets.US_ASCII));
        request.readLine(); // until the client has left
      }
    } catch (IOException e) {
      // the client has left, or the test is over
    }
  }

  static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
  }

  static void readTo(String end, BufferedReader in) throws IOException {
    for (String line = in.readLine(); !end.equals(line); line = in.readLine()) {
      if (line == null) {
        throw new EOFException();
      }
    }
  }

  @Test
  void isLeftByABodyThatIsSentOnce() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        BlockingOkHttpClient client = BlockingOkHttpClient.wrap(new OkHttpClient())) {
      Thread.startVirtualThread(() -> serve(server, "0")); // the last chunk
      String url = "http://127.0.0.1:" + server.getLocalPort() + "/";
      execute(client, new Request.Builder().url(url).build());
      execute(
          client,
          new Request.Builder()
              .url(url)
              .post(new KitClient.OneShot(-1, sink -> sink.writeUtf8("x".repeat(100_000))))
              .build());
      assertTrue(arrived.get());
    }
  }

  /** OkHttp takes another connection itself. */
  @Test
  void isNotSeenByAnInterceptorOfARebuiltClient() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        BlockingOkHttpClient client = BlockingOkHttpClient.wrap(new OkHttpClient())) {
      Thread.startVirtualThread(() -> serve(server, ""));
      OkHttpClient rebuilt =
          client
              .newBuilder()
              .addInterceptor(
                  chain -> {
                    try {
                      return chain.proceed(chain.request());
                    } catch (IOException e) {
                      failures.incrementAndGet();
                      throw e;
                    }
                  })
              .build();
      Request get =
          new Request.Builder().url("http://127.0.0.1:" + server.getLocalPort() + "/").build();
      execute(rebuilt, get);
      execute(rebuilt, get);
      assertTrue(arrived.get());
      assertEquals(0, failures.get());
    }
  }

  private static void execute(OkHttpClient client, Request request) throws IOException {
    try (Response response = client.newCall(request).execute()) {
      assertEquals("ok", response.body().string());
    }
  }
}
