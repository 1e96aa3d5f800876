package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.asynchttpclient.AsyncCompletionHandlerBase;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.asynchttpclient.exception.TooManyConnectionsPerHostException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code maxConnectionsPerHost} bounds calls that have a connection of their own: to a server that
 * cannot speak HTTP/2, and to one that could have.
 */
@Timeout(60)
class ConnectionsPerHostTest {

  private static final int MOST = 2;

  private static BlockingAhcClient client(DefaultAsyncHttpClientConfig.Builder config)
      throws Exception {
    return new BlockingAhcClient(
        config
            .setMaxConnectionsPerHost(MOST)
            .setSslContext(AhcClient.tls(FaultServer.certificate(), true))
            .build());
  }

  private static Request get(URI uri) {
    return Dsl.get(uri.toString()).build();
  }

  /** So many calls that have no answer yet. */
  private static List<Seen> fill(FaultServer server, BlockingAhcClient client) throws Exception {
    List<Seen> all = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      URI uri = server.uri(Script.ok().fault(Fault.STALL));
      Thread.ofVirtual().start(new FutureTask<>(() -> client.execute(get(uri))));
      while (server.seen(uri).isEmpty()) {
        Thread.sleep(5);
      }
      all.addAll(server.seen(uri));
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_1_1_TLS"})
  void furtherCallsWait(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        FaultServer other = FaultServer.start(wire);
        BlockingAhcClient client = client(Dsl.config())) {
      List<Seen> full = fill(server, client);
      List<FutureTask<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        calls.add(
            new FutureTask<>(() -> client.execute(get(server.uri(Script.ok()))).getStatusCode()));
      }
      calls.forEach(each -> Thread.ofVirtual().start(each));
      while (client.waiting() < calls.size()) {
        Thread.sleep(5);
      }
      assertEquals(MOST, client.inFlight());
      assertEquals(200, client.execute(get(other.uri(Script.ok()))).getStatusCode());
      full.get(0).release();
      for (FutureTask<Integer> each : calls) {
        assertEquals(200, each.get());
      }
      assertTrue(server.connectionsAccepted() <= MOST, "connections");
      full.forEach(Seen::release);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_1_1_TLS"})
  @SuppressWarnings("FutureReturnValueIgnored") // the handler hears of it
  void notForLonger(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        FaultServer other = FaultServer.start(wire);
        BlockingAhcClient client = client(Dsl.config().setAcquireFreeChannelTimeout(100))) {
      List<Seen> full = fill(server, client);
      Request one = get(server.uri(Script.ok()));
      assertThrows(TooManyConnectionsPerHostException.class, () -> client.execute(one));
      CompletableFuture<ListenableFuture<Response>> ofLoop = new CompletableFuture<>();
      client.executeRequest(
          get(other.uri(Script.ok())),
          new AsyncCompletionHandlerBase() {
            @Override
            public Response onCompleted(Response response) throws Exception {
              ofLoop.complete(client.executeRequest(one)); // where nobody may wait
              return super.onCompleted(response);
            }
          });
      ExecutionException failure = assertThrows(ExecutionException.class, () -> ofLoop.get().get());
      assertInstanceOf(TooManyConnectionsPerHostException.class, failure.getCause());
      full.forEach(Seen::release);
      assertEquals(200, client.execute(one, Duration.ofSeconds(30)).getStatusCode());
    }
  }
}
