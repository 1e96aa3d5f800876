package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RecordedCalls;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Over HTTP/1.1 a body that the JDK's own subscriber gathers is left to it, so that a call is
 * handed over no more often than by stock. What ends bodies must end those, too.
 */
@Timeout(120)
class GatheredBodyTest {

  private static final List<Named<BodyHandler<?>>> HANDLERS =
      List.of(
          Named.of("ofString", BodyHandlers.ofString()),
          Named.of("ofByteArray", BodyHandlers.ofByteArray()),
          Named.of("discarding", BodyHandlers.discarding()),
          Named.of("replacing", BodyHandlers.replacing("mine")));

  /** Of both, each. */
  static Stream<Arguments> kinds() {
    return wires().flatMap(wire -> HANDLERS.stream().map(handler -> Arguments.of(wire, handler)));
  }

  static Stream<Wire> wires() {
    return Stream.of(Wire.HTTP_1_1, Wire.H2_TLS);
  }

  /** What comes for minutes, a little at a time. */
  private static URI endless(FaultServer server) {
    return server.uri(Script.ok().body(100_000).drip(10, Duration.ofMillis(20)));
  }

  // ---- what ends it ---------------------------------------------------------------------------

  @ParameterizedTest
  @MethodSource("kinds")
  void theDeadlineEndsIt(Wire wire, BodyHandler<?> handler) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      URI uri = endless(server);
      HttpRequest get = request(uri).timeout(Duration.ofMillis(1500)).build();
      CompletableFuture<Boolean> flag = new CompletableFuture<>();
      Throwable thrown =
          Clients.failure(
              start(
                  () -> {
                    try {
                      return client.send(get, handler);
                    } finally {
                      flag.complete(Thread.currentThread().isInterrupted());
                    }
                  }));
      assertFalse(flag.get(), "the alarm's interrupt is not left behind");
      boolean told = false;
      for (Throwable each = thrown; each != null; each = each.getCause()) {
        told |= each instanceof HttpTimeoutException && isOfDeadline(each);
      }
      assertTrue(told, thrown::toString);
      assertEnded(client, server, uri);
    }
  }

  private static boolean isOfDeadline(Throwable thrown) {
    return thrown.getCause() instanceof DeadlineExceededException;
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void anInterruptEndsIt(Wire wire, BodyHandler<?> handler) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      URI uri = endless(server);
      CompletableFuture<Thread> caller = new CompletableFuture<>();
      CompletableFuture<?> call =
          start(
              () -> {
                caller.complete(Thread.currentThread());
                return client.send(request(uri).build(), handler);
              });
      awaitInBody(client);
      caller.get().interrupt();
      assertInstanceOf(InterruptedException.class, Clients.failure(call));
      assertEnded(client, server, uri);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void toCancelItsFutureEndsIt(Wire wire, BodyHandler<?> handler) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      URI uri = endless(server);
      CompletableFuture<?> call = client.sendAsync(request(uri).build(), handler);
      awaitInBody(client);
      call.cancel(true);
      assertEnded(client, server, uri);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void theEndOfTheClientEndsIt(Wire wire, BodyHandler<?> handler) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(wire).build());
      URI uri = endless(server);
      CompletableFuture<?> call = start(() -> client.send(request(uri).build(), handler));
      awaitInBody(client);
      client.shutdownNow();
      assertInstanceOf(IOException.class, Clients.failure(call));
      assertEnded(client, server, uri);
    }
  }

  /** And says so. */
  private static void awaitInBody(BlockingJdkHttpClient client) throws InterruptedException {
    Clients.await(
        "the head is there", () -> client.toString().contains(" waits for the body, thread #"));
  }

  private static void assertEnded(BlockingJdkHttpClient client, FaultServer server, URI uri)
      throws InterruptedException {
    Clients.await("the call's place is free", () -> client.inFlight() == 0);
    Clients.await("the server knows", () -> server.seen(uri).getFirst().isAborted());
    assertEquals(1, server.seen(uri).size(), "times sent");
  }

  /** A body of which nothing can be sent any more is no answer that fails to come. */
  @ParameterizedTest
  @MethodSource("wires")
  void aSlowAnswerToAnExpectationIsTheAnswer(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      URI uri =
          server.uri(
              Script.answer(417)
                  .expect(Script.Expect.REFUSE)
                  .body(25)
                  .drip(1, Duration.ofMillis(100)));
      HttpRequest post =
          request(uri).expectContinue(true).POST(BodyPublishers.ofString("body")).build();
      HttpResponse<byte[]> response =
          BlockingJdkHttpClient.wrap(stock).send(post, BodyHandlers.ofByteArray());
      assertEquals(417, response.statusCode());
      assertEquals(25, response.body().length);
      assertEquals(1, server.seen(uri).size(), "times sent");
    }
  }

  // ---- what becomes of it ---------------------------------------------------------------------

  @ParameterizedTest
  @MethodSource("wires")
  void itComesWhole(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build()) {
      BlockingJdkHttpClient client =
          BlockingJdkHttpClient.builder(stock).maxConnectionsPerOrigin(1).build();
      HttpRequest get = request(server.uri(Script.ok().body(200_000))).build();
      byte[] whole = stock.send(get, BodyHandlers.ofByteArray()).body();
      assertEquals(200_000, whole.length);
      assertArrayEquals(whole, client.send(get, BodyHandlers.ofByteArray()).body());
      String text = new String(whole, StandardCharsets.UTF_8);
      assertEquals(text, client.send(get, BodyHandlers.ofString()).body());
      assertNull(client.send(get, BodyHandlers.discarding()).body());
      assertEquals("mine", client.send(get, BodyHandlers.replacing("mine")).body());
      assertEquals(0, client.inFlight());
      assertEquals(1, server.connectionsAccepted());
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void itsEventTellsOfItsEnd(Wire wire, BodyHandler<?> handler) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient stock = stock(wire).build();
        RecordedCalls recorded = RecordedCalls.start()) {
      HttpRequest get = request(server.uri(Script.ok().body(1000))).build();
      BlockingJdkHttpClient.wrap(stock).send(get, handler);
      assertEquals(List.of("200 completed"), recorded.ends(get.uri()));
    }
  }

  // ---- what it costs --------------------------------------------------------------------------

  @Test
  void itIsHandedOverAsOftenAsByStock() throws Exception {
    AtomicInteger tasks = new AtomicInteger();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        ExecutorService threads = Executors.newCachedThreadPool();
        HttpClient stock =
            stock(Wire.HTTP_1_1)
                .executor(
                    task -> {
                      tasks.incrementAndGet();
                      threads.execute(task);
                    })
                .build()) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock);
      Script late = Script.ok().body(10).delay(Duration.ofMillis(200)); // the caller waits by then
      HttpRequest get = request(server.uri(late)).build();
      for (Named<BodyHandler<?>> handler : HANDLERS) {
        assertEquals(
            fewestTasks(stock, get, handler.getPayload(), tasks),
            fewestTasks(client, get, handler.getPayload(), tasks),
            handler.getName());
      }
    }
  }

  /** What comes in two pieces takes more. */
  private static int fewestTasks(
      HttpClient client, HttpRequest get, BodyHandler<?> handler, AtomicInteger tasks)
      throws Exception {
    int fewest = Integer.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      int before = tasks.get();
      client.send(get, handler);
      TimeUnit.MILLISECONDS.sleep(20); // for what follows its end
      fewest = Math.min(fewest, tasks.get() - before);
    }
    return fewest;
  }
}
