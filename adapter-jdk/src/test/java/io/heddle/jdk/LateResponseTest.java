package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A future of {@code sendAsync} is cancelled as its response comes: nobody has that response. */
@Timeout(60)
class LateResponseTest {

  static List<BodyHandler<?>> handlers() {
    return List.of(
        BodyHandlers.ofInputStream(),
        BodyHandlers.ofLines(),
        BodyHandlers.ofPublisher(),
        BodyHandlers.buffering(BodyHandlers.ofInputStream(), 100));
  }

  @ParameterizedTest
  @MethodSource("handlers")
  void itsBodyIsEndedWhateverItIsMadeOf(BodyHandler<?> handler) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      URI stalled = server.uri(Clients.stalledBody());
      CountDownLatch came = new CountDownLatch(1);
      CountDownLatch cancelled = new CountDownLatch(1);
      JdkCall<?> call = new JdkCall<>(client, request(stalled).build(), handler, null);
      CompletableFuture<? extends HttpResponse<?>> future =
          new JdkFuture<>(
              () -> {
                HttpResponse<?> response = call.send();
                came.countDown();
                awaitFully(cancelled);
                return response;
              },
              () -> {},
              call::discard);
      came.await();
      assertTrue(future.cancel(true));
      cancelled.countDown();
      Clients.await("the call is over", () -> client.inFlight() == 0);
      Clients.await("the server knows", () -> server.seen(stalled).getFirst().isAborted());
      client.shutdownNow();
    }
  }

  private static void awaitFully(CountDownLatch latch) {
    boolean open = false;
    while (!open) {
      try {
        latch.await();
        open = true;
      } catch (InterruptedException e) {
        open = latch.getCount() == 0; // it is the cancel, which comes too late
      }
    }
  }
}
