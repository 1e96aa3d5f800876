package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.pool.PoolEntry;
import org.apache.hc.core5.pool.PoolReusePolicy;
import org.apache.hc.core5.pool.RouteSegmentedConnPool;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An HTTP/2 connection that took no further calls kept its place as long as a call was under way on
 * it. Where such had all places, other calls waited for these; and for ever, where these could not
 * go on before one of those was over: a call within a call.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class LeftConnectionTest {

  /** All but {@code OFFLOCK}. */
  private static final Set<PoolConcurrencyPolicy> POOLS_THAT_REMEMBER =
      EnumSet.of(PoolConcurrencyPolicy.STRICT, PoolConcurrencyPolicy.LAX);

  private static BlockingConnectionManagerBuilder onePlace() {
    return BlockingConnectionManager.builder()
        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
        .setMaxConnPerRoute(1)
        .setMaxConnTotal(1);
  }

  private static CloseableHttpClient client(BlockingConnectionManager manager) {
    RequestConfig impatient =
        RequestConfig.custom().setConnectionRequestTimeout(10, TimeUnit.SECONDS).build();
    return BlockingHttpClients.custom()
        .setConnectionManager(manager)
        .setDefaultRequestConfig(impatient)
        .build();
  }

  private static int get(CloseableHttpClient client, URI uri) throws IOException {
    return client.execute(new HttpGet(uri), response -> response.getCode());
  }

  /** Begins its first answer; then the next call comes, and it says or does what it wants. */
  private static Http2Peer peer(Http2Peer.Behaviour after) throws IOException {
    return new Http2Peer(
        100,
        new Http2Peer.Behaviour() {
          private boolean begun;

          @Override
          public void request(Http2Peer.Connection on, int stream, boolean end) throws IOException {
            if (begun) {
              on.answer(stream, 200);
              return;
            }
            begun = true;
            on.answerHead(stream, 200);
            on.data(stream, 10, false);
            after.request(on, stream, end);
          }
        });
  }

  @Test
  void whereTheServerHasSaidGoAwayALongResponseHasNoPlace() throws Exception {
    for (PoolConcurrencyPolicy policy : POOLS_THAT_REMEMBER) {
      try (Http2Peer peer = peer((on, stream, end) -> on.goAway(stream));
          BlockingConnectionManager manager = onePlace().setPoolConcurrencyPolicy(policy).build();
          CloseableHttpClient client = client(manager);
          ClassicHttpResponse slow = client.executeOpen(null, new HttpGet(peer.uri()), null)) {
        Http2Peer.Connection left = peer.connections.get(0);
        InputStream body = slow.getEntity().getContent();
        assertEquals(10, body.readNBytes(10).length);
        for (int i = 0; i < 3; i++) {
          assertEquals(200, get(client, peer.uri()), () -> "a call within a call, " + policy);
        }
        assertEquals(2, peer.connections.size(), () -> "connections, " + policy);
        left.data(1, 10, true);
        assertEquals(10, body.readAllBytes().length, () -> "the rest of the first, " + policy);
        Threads.await("the connection ends with its last response", left.socket::isClosed);
        assertEquals(0, manager.getTotalStats().getLeased());
        assertEquals(1, manager.getTotalStats().getAvailable());
      }
    }
  }

  /** Which is why it is left out above, where the place is given back as others come for it. */
  @Test
  void oneOfApachesPoolsForgetsWhoWaitsWhenAConnectionIsClosed() throws Exception {
    try (RouteSegmentedConnPool<String, ReactorConnection> pool =
        new RouteSegmentedConnPool<>(
            1, 1, TimeValue.NEG_ONE_MILLISECOND, PoolReusePolicy.LIFO, (c, mode) -> {})) {
      PoolEntry<String, ReactorConnection> first = pool.lease("route", null, null, null).get();
      Future<?> waiting = pool.lease("route", null, null, null);
      pool.release(first, false);
      assertFalse(waiting.isDone());
      assertEquals(0, pool.getStats("route").getLeased());
      pool.lease("route", null, null, null).get(); // one who comes later gets it
    }
  }

  @Test
  void aClosedConnectionWhoseCallerDoesNotLookHasNoPlace() throws Exception {
    try (Http2Peer peer = peer((on, stream, end) -> on.socket.shutdownOutput());
        BlockingConnectionManager manager = onePlace().build();
        CloseableHttpClient client = client(manager);
        ClassicHttpResponse broken = client.executeOpen(null, new HttpGet(peer.uri()), null)) {
      assertEquals(200, get(client, peer.uri()), "a call within a call");
      assertEquals(2, peer.connections.size(), "connections");
      InputStream body = broken.getEntity().getContent();
      assertThrows(IOException.class, body::readAllBytes);
    }
  }

  @Test
  void aConnectionThatHasLivedItsTimeHasNoPlace() throws Exception {
    try (Http2Peer peer = peer((on, stream, end) -> {});
        BlockingConnectionManager manager =
            onePlace()
                .setDefaultConnectionConfig(
                    ConnectionConfig.custom().setTimeToLive(TimeValue.ofMilliseconds(100)).build())
                .build();
        CloseableHttpClient client = client(manager);
        ClassicHttpResponse slow = client.executeOpen(null, new HttpGet(peer.uri()), null)) {
      Thread.sleep(150); // the time to live itself
      assertEquals(200, get(client, peer.uri()), "a call within a call");
      peer.connections.get(0).data(1, 10, true);
      assertEquals(20, slow.getEntity().getContent().readAllBytes().length);
    }
  }

  /** The one that left closed the connection that it had just been given a stream of. */
  @Test
  void whoIsCancelledAsItGetsAnotherConnectionLeavesThatToOthers() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingConnectionManager manager =
            BlockingConnectionManager.builder()
                .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
                .build()) {
      HttpRoute route = new HttpRoute(new HttpHost("http", "127.0.0.1", server.port()));
      ConnectionEndpoint other = lease(manager, route);
      manager.connect(other, null, HttpClientContext.create());
      for (int i = 0; i < 500 && other.isConnected(); i++) {
        ApacheEndpoint mine = (ApacheEndpoint) lease(manager, route);
        Lease before = Objects.requireNonNull(mine.lease());
        assertTrue(mine.replace(before, Lease.NONE), "its connection has gone down");
        Objects.requireNonNull(before.shared()).release(null);
        Thread caller =
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        manager.connect(mine, null, HttpClientContext.create());
                      } catch (IOException e) {
                        return; // cancelled
                      }
                    });
        while (mine.lease() == Lease.NONE) {
          Thread.onSpinWait(); // for microseconds: one that parks comes too late for the race
        }
        manager.release(mine, null, TimeValue.ZERO_MILLISECONDS);
        caller.join();
      }
      assertTrue(other.isConnected(), "the connection of the other");
      assertEquals(1, server.connectionsAccepted());
      other.close(CloseMode.IMMEDIATE);
      manager.release(other, null, TimeValue.ZERO_MILLISECONDS);
    }
  }

  private static ConnectionEndpoint lease(BlockingConnectionManager manager, HttpRoute route)
      throws Exception {
    return manager
        .lease("test", route, org.apache.hc.core5.util.Timeout.DISABLED, null)
        .get(org.apache.hc.core5.util.Timeout.ofSeconds(10));
  }
}
