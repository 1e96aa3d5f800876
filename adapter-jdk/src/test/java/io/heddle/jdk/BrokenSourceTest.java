package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A body is read from a stream that fails, after the client has asked for more of it meanwhile. The
 * JDK's publisher asks the stream once more then, takes what it hears for its end, and says that
 * the body is whole, before it throws (PullPublisher and SequentialScheduler, 21 and 25). Over
 * HTTP/2 a stream is read ahead while the client waits for a window, so that this happens there.
 */
@Timeout(60)
class BrokenSourceTest {

  /** A byte more than the first window: that goes when the server has given another. */
  private static final int BEGINNING = 65_536;

  private final IOException torn = new IOException("the warp is torn");

  /** Fails some time after the server has its beginning. */
  private InputStream breaking(FaultServer server, URI uri) {
    return new InputStream() {
      private int left = BEGINNING;

      @Override
      public int read() {
        throw new AssertionError("not byte by byte");
      }

      @Override
      public int read(byte[] b, int off, int len) throws IOException {
        if (left > 0) {
          int n = Math.min(len, left);
          left -= n;
          return n;
        }
        try {
          Clients.await("the beginning", () -> hasBeginning(server.seen(uri)));
          TimeUnit.MILLISECONDS.sleep(200); // the client asks for more
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
        throw torn;
      }
    };
  }

  private static boolean hasBeginning(List<Seen> seen) {
    return !seen.isEmpty() && seen.get(0).bodyBytes() == BEGINNING;
  }

  private static int post(HttpClient client, URI uri, InputStream body) throws Exception {
    return client
        .send(
            request(uri).POST(BodyPublishers.ofInputStream(() -> body)).build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void theCallFailsAndTheServerSeesNoEnd() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      URI uri = server.uri(Script.ok());
      Throwable failure = Clients.failure(start(() -> post(client, uri, breaking(server, uri))));
      boolean told = false;
      for (Throwable each = failure; each != null; each = each.getCause()) {
        told |= each.equals(torn);
      }
      assertTrue(told, () -> "not told: " + failure);
      Seen seen = server.seen(uri).get(0);
      Clients.await("the end of it", seen::isAborted);
      assertFalse(seen.isBodyComplete());
      client.shutdownNow();
    }
  }
}
