package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The JDK counts a stream of HTTP/2 for a call before it has one, and forgets to count it off where
 * the call is cancelled in between ({@code Http2Connection.registerNewStream}). Once all are lost
 * so, no call succeeds any more, for as long as the connection stands.
 */
@Timeout(120)
class LostStreamsTest {

  private static final int STREAMS = 3;

  /** Times calls out before they are sent until no stream is left. */
  private static void loseAllStreams(HttpClient stock, FaultServer server) throws Exception {
    server.maxStreams(STREAMS);
    HttpRequest get = request(server.uri(Script.ok())).build();
    HttpRequest late = request(server.uri(Script.ok())).timeout(Duration.ofNanos(1)).build();
    stock.send(get, BodyHandlers.discarding());
    do {
      for (int i = 0; i < 20; i++) {
        start(() -> stock.send(late, BodyHandlers.discarding()))
            .handle((response, thrown) -> thrown != null)
            .get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
      }
    } while (!isRefused(stock, get));
  }

  /** For a while, in which whatever was under way comes to its end. */
  private static boolean isRefused(HttpClient stock, HttpRequest get) throws Exception {
    for (int i = 0; i < 5; i++) {
      try {
        stock.send(get, BodyHandlers.discarding());
        return false;
      } catch (IOException e) {
        assertTrue(JdkInternals.hadNoStream(e), e::toString);
        Thread.sleep(200);
      }
    }
    return true;
  }

  @Test
  void stockNeverGetsThemBack() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient stock = stock(Wire.H2_TLS).build();
      loseAllStreams(stock, server);
      assertTrue(isRefused(stock, request(server.uri(Script.ok())).build()));
      stock.shutdownNow();
    }
  }

  @Test
  void callsGoOnOverAnotherConnection() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient wrapped = stock(Wire.H2_TLS).build();
      loseAllStreams(wrapped, server);
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(wrapped);
      HttpRequest get = request(server.uri(Script.ok().delay(Duration.ofMillis(50)))).build();
      assertEquals(
          200,
          start(() -> client.send(get, BodyHandlers.discarding()).statusCode())
              .get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
      assertEquals(
          List.of(), Clients.together(30, () -> client.send(get, BodyHandlers.discarding())));
      assertEquals(2, server.connectionsAccepted(), "connections");
      client.shutdownNow();
    }
  }

  /** All have found the streams lost by the time that the first has another connection. */
  @Test
  void callsThatAreRefusedOnTheOtherConnectionWaitThere() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient wrapped = stock(Wire.H2_TLS).build();
      loseAllStreams(wrapped, server);
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(wrapped);
      HttpRequest get = request(server.uri(Script.ok().delay(Duration.ofMillis(50)))).build();
      assertEquals(
          List.of(), Clients.together(30, () -> client.send(get, BodyHandlers.discarding())));
      client.shutdownNow();
    }
  }

  /** A stream that is refused does not end the connection, whose other streams are in use. */
  @Test
  void streamsOfCallsFromBeforeARefusalAreNotLost() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      List<InputStream> held = holdAllButTwo(client, server);
      URI uri =
          server.uri(
              Script.ok()
                  .delay(Duration.ofMillis(200))
                  .fault(Fault.STREAM_REFUSED)
                  .times(Clients.TRIES));
      var call = start(() -> client.send(request(uri).build(), BodyHandlers.discarding()));
      Clients.await("the JDK's last attempt", () -> server.seen(uri).size() == Clients.TRIES);
      server.maxStreams(STREAMS - 1); // which are held
      Thread.sleep(1000); // in which it would take them for lost
      assertFalse(call.isDone());
      held.get(0).close();
      assertEquals(200, call.get(Clients.LONG_SECONDS, TimeUnit.SECONDS).statusCode());
      assertEquals(1, server.connectionsAccepted(), "connections");
      client.shutdownNow();
    }
  }

  /** Two streams are left, one of them for the next attempt of the JDK. */
  private static List<InputStream> holdAllButTwo(BlockingJdkHttpClient client, FaultServer server)
      throws Exception {
    server.maxStreams(STREAMS + 1);
    HttpRequest stalls = request(server.uri(Clients.stalledBody())).build();
    List<InputStream> held = new ArrayList<>();
    for (int i = 1; i < STREAMS; i++) {
      held.add(client.send(stalls, BodyHandlers.ofInputStream()).body());
    }
    return held;
  }

  /** The same, and by another call's refusal the lane of these is left. */
  private static List<InputStream> holdFromBeforeARefusal(
      BlockingJdkHttpClient client, FaultServer server) throws Exception {
    List<InputStream> held = holdAllButTwo(client, server);
    URI uri = server.uri(Script.ok().fault(Fault.STREAM_REFUSED).times(Clients.TRIES));
    assertEquals(
        200, client.send(request(uri).build(), BodyHandlers.discarding()).statusCode(), "again");
    return held;
  }

  /** One of them asks, from its place, and all others wait for that one. */
  @Test
  void whoWaitsForThoseStreamsKeepsHisQueueTimeout() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client =
          BlockingJdkHttpClient.builder(stock(Wire.H2_TLS).build())
              .queueTimeout(Duration.ofSeconds(5))
              .build();
      List<InputStream> held = holdFromBeforeARefusal(client, server);
      server.maxStreams(STREAMS - 1); // which are held
      Thread.sleep(300);
      HttpRequest get = request(server.uri(Script.ok())).build();
      List<CompletableFuture<?>> calls = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        calls.add(start(() -> client.send(get, BodyHandlers.discarding())));
      }
      Clients.await("all but one wait for their turn", () -> client.waiting() == 9);
      for (CompletableFuture<?> each : calls) {
        assertEquals(HttpConnectTimeoutException.class, Clients.failure(each).getClass());
      }
      assertEquals(held.size(), client.inFlight());
      client.shutdownNow();
    }
  }

  @Test
  void streamsThatThoseGiveBackAreUsed() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      List<InputStream> held = holdFromBeforeARefusal(client, server);
      server.maxStreams(STREAMS);
      Thread.sleep(300);
      HttpRequest stalls = request(server.uri(Clients.stalledBody())).build();
      InputStream third = client.send(stalls, BodyHandlers.ofInputStream()).body();
      HttpRequest get = request(server.uri(Script.ok())).build();
      var call = start(() -> client.send(get, BodyHandlers.discarding()).statusCode());
      Thread.sleep(300);
      assertFalse(call.isDone(), "all streams are held");
      for (InputStream each : held) {
        each.close();
      }
      assertEquals(200, call.get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
      third.close();
      client.shutdownNow();
    }
  }

  /** Of the other connection's streams it has only one. */
  @Test
  void aLongCallThatWasMovedHoldsUpNobody() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient wrapped = stock(Wire.H2_TLS).build();
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(wrapped);
      client.send(request(server.uri(Script.ok())).build(), BodyHandlers.discarding());
      loseAllStreams(wrapped, server);
      HttpRequest stalls = request(server.uri(Clients.stalledBody())).build();
      InputStream moved =
          start(() -> client.send(stalls, BodyHandlers.ofInputStream()).body())
              .get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
      HttpRequest get = request(server.uri(Script.ok())).build();
      assertEquals(
          200,
          start(() -> client.send(get, BodyHandlers.discarding()).statusCode())
              .get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
      moved.close();
      client.shutdownNow();
    }
  }

  /** Of another connection the JDK knows no way to be rid: the call says what the JDK says. */
  @Test
  void whereThereIsNoWayTheCallFails() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient wrapped = stock(Wire.H2_TLS).build();
      var unused =
          wrapped
              .sendAsync(
                  request(server.uri(Script.ok())).build(),
                  BodyHandlers.discarding(),
                  (initiating, pushed, acceptor) -> {})
              .get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
      loseAllStreams(wrapped, server);
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(wrapped);
      HttpRequest get = request(server.uri(Script.ok())).build();
      Throwable thrown = Clients.failure(start(() -> client.send(get, BodyHandlers.discarding())));
      assertTrue(
          thrown instanceof IOException refused && JdkInternals.hadNoStream(refused),
          thrown::toString);
      client.shutdownNow();
    }
  }
}
