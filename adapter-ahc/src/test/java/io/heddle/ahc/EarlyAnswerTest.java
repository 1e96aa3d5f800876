package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RawServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.RequestBuilder;
import org.asynchttpclient.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that answers before it has the request's body: what follows goes to another connection,
 * and nothing of one body comes where the next request belongs.
 */
@Timeout(60)
class EarlyAnswerTest {

  private static final int LENGTH = 4_000_000;

  @TempDir Path directory;

  /** Takes what the framing of HTTP/1.1 says, byte for byte, and answers some requests early. */
  private static final class Server implements AutoCloseable {

    final List<String> seen = new CopyOnWriteArrayList<>();
    final RawServer raw = RawServer.start(this::serve);
    final CountDownLatch closing = new CountDownLatch(1);
    final String early;
    final boolean deaf;

    /** With this head for a POST that has no credentials and is not for /moved. */
    Server(String early) throws IOException {
      this(early, false);
    }

    /** One that is deaf reads no body that it has answered early. */
    Server(String early, boolean deaf) throws IOException {
      this.early = early;
      this.deaf = deaf;
    }

    String url(String path) {
      return raw.uri().resolve(path).toString();
    }

    private void serve(Socket connection) throws IOException, InterruptedException {
      InputStream in = new BufferedInputStream(connection.getInputStream(), 1 << 16);
      for (String start = line(in); !start.isEmpty(); start = line(in)) {
        int length = 0;
        boolean authorized = false;
        for (String field = line(in); !field.isEmpty(); field = line(in)) {
          if (field.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
            length = Integer.parseInt(field.substring(15).trim());
          }
          authorized |= field.startsWith("Authorization:") || field.startsWith("authorization:");
        }
        boolean answersEarly = start.startsWith("POST") && !authorized && !start.contains("/moved");
        if (answersEarly) {
          RawServer.write(connection, early);
          if (deaf) {
            closing.await();
          }
        }
        boolean intact = true;
        for (int i = 0; i < length; i++) {
          int b = in.read();
          if (b < 0) {
            return;
          }
          intact &= (byte) b == at(i);
        }
        seen.add(start + (intact ? "" : " CORRUPT"));
        if (!answersEarly) {
          String body = length + " bytes";
          String head = "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n";
          RawServer.write(connection, head + body);
        }
      }
    }

    /** The requests that came whole; of one that is answered early all may have been on its way. */
    List<String> seenBut(String answeredEarly) {
      return seen.stream().filter(each -> !each.equals(answeredEarly)).toList();
    }

    private static String line(InputStream in) throws IOException {
      StringBuilder line = new StringBuilder();
      for (int b = in.read(); b >= 0 && b != '\n' && line.length() < 500; b = in.read()) {
        if (b != '\r') {
          line.append((char) b);
        }
      }
      return line.toString();
    }

    @Override
    public void close() throws IOException {
      closing.countDown();
      raw.close();
    }
  }

  private static byte at(int index) {
    return (byte) (index / 1000 % 251);
  }

  private RequestBuilder post(String url) throws IOException {
    byte[] body = new byte[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      body[i] = at(i);
    }
    Path file = Files.write(directory.resolve("body"), body);
    return new RequestBuilder("POST").setUrl(url).setBody(file.toFile());
  }

  private static WrittenBody endless() {
    return new WrittenBody(
        out -> {
          for (; ; ) {
            out.write(new byte[16 * 1024]);
          }
        });
  }

  private static BlockingAhcClient client() {
    return new BlockingAhcClient(
        Dsl.config()
            .setFollowRedirect(true)
            .setHttp2Enabled(false)
            .setRequestTimeout(Duration.ofSeconds(20))
            .build());
  }

  private static String head(int status, String field) {
    return "HTTP/1.1 " + status + " early\r\n" + field + "\r\nContent-Length: 0\r\n\r\n";
  }

  @Test
  void redirectOnTheSameServer() throws Exception {
    try (Server server = new Server(head(307, "Location: /moved"));
        BlockingAhcClient client = client()) {
      Response response = client.execute(post(server.url("/first")).build());
      assertEquals(LENGTH + " bytes", response.getResponseBody());
      assertEquals(List.of("POST /moved HTTP/1.1"), server.seenBut("POST /first HTTP/1.1"));
    }
  }

  @Test
  void challenge() throws Exception {
    try (Server server = new Server(head(401, "WWW-Authenticate: Basic realm=\"loom\""));
        BlockingAhcClient client = client()) {
      RequestBuilder post = post(server.url("/secret"));
      Response response =
          client.execute(post.setRealm(Dsl.basicAuthRealm("penelope", "ithaca")).build());
      assertEquals(LENGTH + " bytes", response.getResponseBody());
      assertEquals(Set.of("POST /secret HTTP/1.1"), Set.copyOf(server.seen));
    }
  }

  @Test
  void redirectToAnotherServer() throws Exception {
    for (int status : new int[] {303, 307}) {
      try (Server other = new Server(head(500, "X: unused"));
          Server server = new Server(head(status, "Location: " + other.url("/moved")));
          BlockingAhcClient client = client()) {
        Response response = client.execute(post(server.url("/first")).build());
        assertEquals((status == 303 ? 0 : LENGTH) + " bytes", response.getResponseBody());
        Response next = client.execute(Dsl.get(server.url("/next")).build());
        assertEquals("0 bytes", next.getResponseBody());
        String first = "POST /first HTTP/1.1";
        assertEquals(List.of("GET /next HTTP/1.1"), server.seenBut(first), "whole requests");
        int connections = server.seen.contains(first) ? 1 : 2;
        assertEquals(connections, server.raw.accepted(), "connections");
      }
    }
  }

  /** The stream of what a redirect leads to is there, though the first body is not written. */
  @Test
  void streamAfterARedirect() throws Exception {
    try (FaultServer other = FaultServer.start(Wire.HTTP_1_1);
        Server server =
            new Server(head(303, "Location: " + other.uri(Script.ok().body(8 << 20))), true);
        BlockingAhcClient client = client();
        StreamingResponse response =
            client.stream(Dsl.post(server.url("/first")).setBody(endless()).build())) {
      assertEquals(200, response.getStatusCode());
      assertEquals(8 << 20, response.getBodyAsStream().readAllBytes().length);
    }
  }

  /** Who reads the request although it has answered keeps its connection. */
  @Test
  void answerThatIsOverAfterItsRequestKeepsTheConnection() throws Exception {
    try (RawServer echo =
            RawServer.start(
                socket -> {
                  InputStream in = new BufferedInputStream(socket.getInputStream());
                  for (; ; ) {
                    RawServer.readHead(in);
                    RawServer.write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n");
                    in.skipNBytes(LENGTH);
                    RawServer.write(socket, "end");
                  }
                });
        BlockingAhcClient client = client()) {
      for (int i = 0; i < 2; i++) {
        assertEquals("end", client.execute(post(echo.uri().toString()).build()).getResponseBody());
      }
      assertEquals(1, echo.accepted(), "connections");
    }
  }
}
