package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.RawServer;
import java.util.concurrent.ExecutionException;
import org.eclipse.jetty.client.HttpClient;
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

  private static int status(HttpClient client, String answer) throws Exception {
    try (RawServer server = RawServer.answering(answer)) {
      client.start();
      return client.GET(server.uri()).getStatus();
    } finally {
      client.stop();
    }
  }

  private static String head(int fields) {
    return "HTTP/1.1 200 OK\r\n" + FIELD.repeat(fields) + BODY + "\r\n";
  }

  private static String trailers(int fields) {
    return "HTTP/1.1 200 OK\r\n" + BODY + FIELD.repeat(fields) + "\r\n";
  }

  @Test
  void stockTakesAMegabyte() throws Exception {
    assertEquals(200, status(new HttpClient(), head(1000)));
  }

  @Test
  void aHeadOfAMegabyteFails() {
    assertThrows(ExecutionException.class, () -> status(new BlockingJettyClient(), head(1000)));
  }

  @Test
  void trailersOfAMegabyteFail() {
    assertThrows(ExecutionException.class, () -> status(new BlockingJettyClient(), trailers(1000)));
  }

  @Test
  void aHeadOf200KilobytesIsTaken() throws Exception {
    assertEquals(200, status(new BlockingJettyClient(), head(200)));
  }

  @Test
  void whoAllowsMoreGetsIt() throws Exception {
    BlockingJettyClient more = new BlockingJettyClient();
    more.setMaxResponseHeadersSize(2 << 20);
    assertEquals(200, status(more, head(1000)));
  }
}
