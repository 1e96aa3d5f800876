package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A body is read from a stream whose read waits for an answer of the same server, as where one
 * response is passed on. Over HTTP/2 the JDK reads it on whatever thread brings the window: that
 * which reads the connection, for all of its calls.
 */
@Timeout(60)
class UploadSourceTest {

  /** More than the window of a stream, so that a part is read once the server gives a window. */
  private static final int LENGTH = 300_000;

  private static final int MIDDLE = 200_000;

  /** In its middle it makes a call with the client. */
  private static InputStream calling(HttpClient client, URI uri) {
    return new ByteArrayInputStream(new byte[LENGTH]) {
      private boolean called;

      @Override
      public synchronized int read(byte[] b, int off, int len) {
        if (!called && count - pos <= LENGTH - MIDDLE) {
          called = true;
          try {
            client.send(request(uri).build(), BodyHandlers.discarding());
          } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
          }
        }
        return super.read(b, off, len);
      }
    };
  }

  private static int post(HttpClient client, FaultServer server) throws Exception {
    client.send(request(server.uri(Script.ok())).build(), BodyHandlers.discarding());
    InputStream source = calling(client, server.uri(Script.ok()));
    return client
        .send(
            request(server.uri(Script.ok()))
                .POST(BodyPublishers.ofInputStream(() -> source))
                .build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void stockWaitsForItself() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient stock = stock(Wire.H2_TLS).build();
      CompletableFuture<Integer> theirs = start(() -> post(stock, server));
      assertThrows(TimeoutException.class, () -> theirs.get(3, TimeUnit.SECONDS));
      stock.shutdownNow();
    }
  }

  @Test
  void aCallWithinTheUploadIsAnswered() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      assertEquals(200, start(() -> post(client, server)).get(30, TimeUnit.SECONDS));
      client.shutdownNow();
    }
  }
}
