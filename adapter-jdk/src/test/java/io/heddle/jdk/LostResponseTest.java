package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The caller of {@code send} is interrupted as its response comes. The JDK cancels what has not
 * come yet, and drops what has ({@code HttpClientImpl.send}, {@code MinimalFuture.cancel}): nobody
 * has the response, and nobody tells the server.
 */
@Timeout(120)
class LostResponseTest {

  /** How long stock has to be unlucky. */
  private static final long LOOKED_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Within which the interrupt and the head of the response are brought together. */
  private static final int SPREAD_NANOS = 60_000;

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void stockTellsNobody(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      HttpClient stock = stock(wire).build();
      boolean lost = false;
      long nanos = TimeUnit.MICROSECONDS.toNanos(400);
      long end = System.nanoTime() + LOOKED_NANOS;
      while (!lost && System.nanoTime() < end) {
        URI uri = server.uri(Clients.stalledBody());
        long after = nanos + ThreadLocalRandom.current().nextInt(SPREAD_NANOS);
        AtomicBoolean head = new AtomicBoolean();
        boolean came = start(() -> comes(stock, uri, after, head)).get();
        nanos = Math.max(0, nanos + (came ? -SPREAD_NANOS : SPREAD_NANOS) / 10);
        lost = !came && head.get() && !isTold(server, uri);
      }
      stock.shutdownNow();
      assertTrue(lost);
    }
  }

  /** Whether a response comes to the caller, who is interrupted after so long. */
  private static boolean comes(HttpClient client, URI uri, long nanos, AtomicBoolean head)
      throws Exception {
    HttpRequest get = request(uri).build();
    Thread caller = Thread.currentThread();
    CompletableFuture<?> interrupt =
        start(
            () -> {
              LockSupport.parkNanos(nanos);
              caller.interrupt();
              return null;
            });
    try {
      client
          .send(
              get,
              info -> {
                head.set(true);
                return BodyHandlers.ofInputStream().apply(info);
              })
          .body()
          .close();
      return true;
    } catch (InterruptedException e) {
      return false;
    } finally {
      interrupt.join();
      Thread.interrupted();
    }
  }

  private static boolean isTold(FaultServer server, URI uri) throws InterruptedException {
    for (int i = 0; i < 50; i++) {
      if (server.seen(uri).stream().allMatch(each -> each.isAborted())) {
        return true;
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    return false;
  }

  /** Of a client whose callers are interrupted when their response has just come. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void oursEndsIt(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      BlockingJdkHttpClient client =
          BlockingJdkHttpClient.wrap(new Interrupted(stock(wire).build()));
      URI uri = server.uri(Clients.stalledBody());
      Throwable thrown =
          Clients.failure(
              start(() -> client.send(request(uri).build(), BodyHandlers.ofInputStream())));
      assertInstanceOf(InterruptedException.class, thrown);
      Clients.await("the call's place is free", () -> client.inFlight() == 0);
      Clients.await("the server knows", () -> server.seen(uri).getFirst().isAborted());
      client.shutdownNow();
    }
  }

  /** Interrupts who sends as the response comes, too late for the JDK to cancel it. */
  private static final class Interrupted extends ForwardingClient {
    Interrupted(HttpClient client) {
      super(client);
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
        throws IOException, InterruptedException {
      client.send(request, handler);
      throw new InterruptedException();
    }
  }
}
