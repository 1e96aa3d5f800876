package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * A server refuses an upload that waits for its window. The JDK sends the request a second time by
 * itself, and forgets the body of the first: its writer waited for ever.
 */
@Timeout(60)
@EnabledForJreRange(min = JRE.JAVA_24) // before, the call fails
class ForgottenUploadTest {

  /** More than the window of a stream. */
  private static final int LENGTH = 300_000;

  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  private void write(OutputStream out) throws IOException {
    begun.incrementAndGet();
    try {
      out.write(new byte[LENGTH]);
    } finally {
      ended.incrementAndGet();
    }
  }

  private int post(HttpClient client, FaultServer server) throws Exception {
    URI first = server.uri(Script.ok().early().fault(Script.Fault.STREAM_REFUSED).once());
    HttpRequest post = request(first).POST(WrittenBody.of(this::write)).build();
    return client.send(post, BodyHandlers.discarding()).statusCode();
  }

  @Test
  void stockLetsItsWriterWait() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient stock = stock(Wire.H2_TLS).build();
      for (int i = 0; i < 10 && ended.get() == begun.get(); i++) {
        assertEquals(200, post(stock, server));
        TimeUnit.SECONDS.sleep(2);
      }
      assertNotEquals(begun.get(), ended.get());
      stock.shutdownNow();
    }
  }

  @Test
  void oursEndsIt() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      assertEquals(200, post(client, server));
      assertEquals(2, begun.get());
      Clients.await("both writers have ended", () -> ended.get() == 2);
      client.shutdownNow();
    }
  }
}
