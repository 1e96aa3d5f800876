package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * A server says by GOAWAY that it will not look at an upload which waits for its window. It gives
 * no window either, so the client must know by itself that the upload is over.
 */
@Timeout(60)
class UploadBeyondGoAwayTest {

  /** More than the window of a stream. */
  private static final int LENGTH = 300_000;

  private static final Script REFUSED = Script.ok().early().fault(Script.Fault.GOAWAY).once();

  private static int post(HttpClient client, URI uri) throws IOException, InterruptedException {
    return client
        .send(
            request(uri).POST(BodyPublishers.ofByteArray(new byte[LENGTH])).build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  /** A call that keeps the connection open which the others share, as one that waits long may. */
  private static void keepOpen(HttpClient client, FaultServer server) throws Exception {
    URI stalled = server.uri(Script.ok().fault(Script.Fault.STALL));
    var unused = start(() -> client.send(request(stalled).build(), BodyHandlers.discarding()));
    Clients.await("a connection", () -> !server.seen(stalled).isEmpty());
  }

  /** {@code Stream.closeAsUnprocessed} tells who waits for the response, and not the upload. */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_24)
  void stockWaitsForEver() throws Exception {
    boolean waits = false;
    for (int i = 0; i < 10 && !waits; i++) { // not if GOAWAY comes before the window is used up
      waits = stockWaits();
    }
    assertTrue(waits);
  }

  private static boolean stockWaits() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient stock = stock(Wire.H2_TLS).build();
      keepOpen(stock, server);
      CompletableFuture<Integer> theirs = start(() -> post(stock, server.uri(REFUSED)));
      try {
        theirs.get(3, TimeUnit.SECONDS);
        return false;
      } catch (TimeoutException e) {
        return true;
      } finally {
        stock.shutdownNow();
      }
    }
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_24) // before, GOAWAY ends all that is on the connection
  void itGoesAgain() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      keepOpen(client, server);
      URI uri = server.uri(REFUSED);
      assertEquals(200, start(() -> post(client, uri)).get(30, TimeUnit.SECONDS));
      assertEquals(2, server.seen(uri).size()); // which answers before it has read the body
      client.shutdownNow();
    }
  }

  /** The server does not read: the upload waits, and must arrive as it is. */
  @Test
  void oneThatOnlyWaitsGoesOn() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build())) {
      URI uri = server.uri(Script.ok().take(1000));
      CompletableFuture<Integer> status = start(() -> post(client, uri));
      assertThrows(TimeoutException.class, () -> status.get(4, TimeUnit.SECONDS));
      server.seen(uri).getFirst().readOn();
      assertEquals(200, status.get(30, TimeUnit.SECONDS));
      assertEquals(LENGTH, server.seen(uri).getFirst().bodyBytes());
    }
  }

  /** The client has sent what it held when the nudge comes, and asks for one more piece for it. */
  @Test
  void aNudgeThatComesTooLateBringsNoMoreOfTheBody() throws Exception {
    CompletableFuture<Flow.Subscription> asks = new CompletableFuture<>();
    AtomicInteger pieces = new AtomicInteger();
    AtomicLong asked = new AtomicLong();
    JdkUpload upload =
        new JdkUpload(
            new Flow.Subscriber<>() {
              @Override
              public void onSubscribe(Flow.Subscription its) {
                asks.complete(its);
              }

              @Override
              public void onNext(ByteBuffer piece) {
                pieces.incrementAndGet();
              }

              @Override
              public void onError(Throwable failure) {}

              @Override
              public void onComplete() {}
            },
            true,
            true,
            bytes -> {});
    upload.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {
            asked.addAndGet(n);
          }

          @Override
          public void cancel() {}
        });
    asks.get().request(1);
    upload.onNext(ByteBuffer.allocate(1));
    upload.nudge();
    assertEquals(2, pieces.get(), "one of the body, one of the nudge");
    asks.get().request(1);
    asks.get().request(1);
    upload.onNext(ByteBuffer.allocate(1));
    asks.get().request(1);
    Clients.await("the body was asked", () -> asked.get() >= 3);
    Thread.sleep(100); // for what should not come
    assertEquals(3, asked.get());
  }
}
