package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A call has been given its connection, and has no stream yet, when the server says by GOAWAY that
 * it takes no more of them. The JDK ends the streams that there are ({@code
 * Http2Connection.handleGoAway}), and does not look again when it makes one ({@code
 * registerNewStream}): where the server ignores it, as the kit's does, which does not even record
 * it, the call waits for as long as the connection lives.
 */
@Timeout(60)
class CallBeyondGoAwayTest {

  /** A body of no bytes, whose call is held up where the JDK asks for its length. */
  private static final class HeldUp implements BodyPublisher {
    private final BodyPublisher none = BodyPublishers.noBody();
    final CompletableFuture<Void> hasConnection = new CompletableFuture<>();
    final CompletableFuture<Void> goesOn = new CompletableFuture<>();

    @Override
    public long contentLength() {
      hasConnection.complete(null);
      goesOn.join();
      return 0;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
      none.subscribe(subscriber);
    }
  }

  private static int send(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }

  /** Has a call sent beyond a GOAWAY, on a connection that another call keeps open. */
  private static CompletableFuture<Integer> sendBeyond(
      HttpClient client, FaultServer server, HttpRequest.Builder post) throws Exception {
    server.requestsPerConnection(2);
    URI stalled = server.uri(Script.ok().fault(Fault.STALL));
    var unused = start(() -> send(client, request(stalled).build()));
    Clients.await("a connection", () -> !server.seen(stalled).isEmpty());
    HeldUp body = new HeldUp();
    CompletableFuture<Integer> status = start(() -> send(client, post.POST(body).build()));
    body.hasConnection.get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
    HttpRequest last = request(server.uri(Script.ok())).build();
    for (int connection = 1; connection <= 2; connection++) { // once it is 2, GOAWAY has come
      assertEquals(
          200, start(() -> send(client, last)).get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
    }
    assertEquals(2, server.connectionsAccepted());
    body.goesOn.complete(null);
    return status;
  }

  @Test
  void stockWaits() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient stock = stock(Wire.H2_TLS).build();
      CompletableFuture<Integer> status =
          sendBeyond(stock, server, request(server.uri(Script.ok())));
      assertThrows(TimeoutException.class, () -> status.get(3, TimeUnit.SECONDS));
      stock.shutdownNow();
    }
  }

  /** Nothing tells that the server will not answer: but it has its deadline. */
  @Test
  void aDeadlineEndsIt() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      URI uri = server.uri(Script.ok());
      HttpRequest.Builder post = request(uri).timeout(Duration.ofSeconds(4));
      Throwable thrown = Clients.failure(sendBeyond(client, server, post));
      assertInstanceOf(HttpTimeoutException.class, thrown);
      assertEquals(0, server.seen(uri).size(), "sent again");
      client.shutdownNow();
    }
  }

  /** It goes again; or the end of the connection is heard first, as after any refusal of a POST. */
  @Test
  void aSecondGoAwayEndsTheWait() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      URI uri = server.uri(Script.ok());
      CompletableFuture<Integer> status = sendBeyond(client, server, request(uri));
      assertThrows(TimeoutException.class, () -> status.get(1, TimeUnit.SECONDS));
      server.closeConnections(); // which says it
      try {
        assertEquals(200, status.get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
        assertEquals(1, server.seen(uri).size(), "sent again");
      } catch (ExecutionException e) {
        assertInstanceOf(IOException.class, e.getCause()); // EOF reached while reading
        assertEquals(0, server.seen(uri).size(), "sent again");
      }
      client.shutdownNow();
    }
  }

  /** It is a POST, and nobody has said that it was not looked at. */
  @Test
  void theEndOfTheConnectionFailsIt() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      URI uri = server.uri(Script.ok());
      CompletableFuture<Integer> status = sendBeyond(client, server, request(uri));
      assertThrows(TimeoutException.class, () -> status.get(1, TimeUnit.SECONDS));
      server.resetConnections();
      assertInstanceOf(IOException.class, Clients.failure(status));
      assertEquals(0, server.seen(uri).size(), "sent again");
      client.shutdownNow();
    }
  }
}
