package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.LeakCheck;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** HTTP/2 connections of the pool that the server has closed, when the next call comes. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class DeadPooledConnectionsTest {

  private static BlockingConnectionManager manager(int perRoute) {
    return BlockingConnectionManager.builder()
        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
        .setMaxConnPerRoute(perRoute)
        .build();
  }

  private static CloseableHttpClient client(BlockingConnectionManager manager) {
    return BlockingHttpClients.custom()
        .setConnectionManager(manager)
        .disableAutomaticRetries()
        .setDefaultRequestConfig(
            RequestConfig.custom()
                .setConnectionRequestTimeout(org.apache.hc.core5.util.Timeout.ofSeconds(10))
                .setResponseTimeout(org.apache.hc.core5.util.Timeout.ofSeconds(10))
                .build())
        .build();
  }

  private static ConnectionEndpoint lease(BlockingConnectionManager manager, HttpRoute route)
      throws Exception {
    org.apache.hc.core5.util.Timeout patience = org.apache.hc.core5.util.Timeout.ofSeconds(10);
    return manager.lease("test", route, patience, null).get(patience);
  }

  private static HttpRoute route(Http2Peer peer) {
    return new HttpRoute(new HttpHost("http", "127.0.0.1", peer.uri().getPort()));
  }

  /** The lease holds the only place that a new connection can have. */
  @Test
  void aLeaseOfTheOnlyConnectionIsReplacedWhenThatDies() throws Exception {
    try (Http2Peer peer = new Http2Peer(10, (on, stream, end) -> on.answer(stream, 200));
        BlockingConnectionManager manager = manager(1);
        CloseableHttpClient client = client(manager)) {
      assertEquals(
          200, (int) client.execute(new HttpGet(peer.uri()), response -> response.getCode()));
      ConnectionEndpoint endpoint = lease(manager, route(peer));
      assertTrue(endpoint.isConnected());
      peer.connections.get(0).socket.close();
      Threads.await("its end is seen", () -> !endpoint.isConnected());
      manager.connect(endpoint, null, HttpClientContext.create());
      assertTrue(endpoint.isConnected());
      assertEquals(2, peer.connections.size());
      manager.release(endpoint, null, TimeValue.ofSeconds(1));
      assertEquals(0, manager.leases());
      assertEquals(0, manager.getTotalStats().getLeased());
    }
  }

  @Test
  void theLeaseThatReplacesADeadOneHasTheTimeoutOfALease() throws Exception {
    try (Http2Peer peer = new Http2Peer(1, (on, stream, end) -> on.answer(stream, 200));
        BlockingConnectionManager manager = manager(1)) {
      HttpClientContext context = HttpClientContext.create();
      context.setRequestConfig(
          RequestConfig.custom()
              .setConnectionRequestTimeout(org.apache.hc.core5.util.Timeout.ofMilliseconds(50))
              .build());
      ConnectionEndpoint first = lease(manager, route(peer));
      manager.connect(first, null, context);
      peer.connections.get(0).socket.close();
      Threads.await("its end is seen", () -> !first.isConnected());
      // The place of the dead one, which it does not connect.
      ConnectionEndpoint second = lease(manager, route(peer));
      assertThrows(InterruptedIOException.class, () -> manager.connect(first, null, context));
      manager.release(first, null, TimeValue.ZERO_MILLISECONDS);
      manager.release(second, null, TimeValue.ZERO_MILLISECONDS);
      assertEquals(0, manager.leases());
      assertEquals(0, manager.getTotalStats().getLeased());
    }
  }

  /** What was not sent is not lost, whatever its method, and whoever retries. */
  @Test
  void aPostPassesSeveralDeadConnections() throws Exception {
    int dead = 4;
    CompletableFuture<Void> allThere = new CompletableFuture<>();
    Http2Peer.Behaviour together =
        (on, stream, end) -> {
          if (allThere.isDone()) {
            on.answer(stream, 200);
          }
        };
    try (Http2Peer peer = new Http2Peer(1, together);
        BlockingConnectionManager manager = manager(dead);
        CloseableHttpClient client = client(manager)) {
      CompletableFuture<?> callers =
          CompletableFuture.runAsync(
              () -> {
                try {
                  Threads.callAtOnce(
                      dead,
                      () ->
                          client.execute(new HttpGet(peer.uri()), response -> response.getCode()));
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              },
              Thread::startVirtualThread);
      Threads.await("each has a connection", () -> peer.requests() == dead);
      allThere.complete(null);
      for (Http2Peer.Connection each : peer.connections) {
        each.answer(1, 200);
      }
      callers.get();
      assertEquals(dead, manager.getTotalStats().getAvailable());
      for (Http2Peer.Connection each : peer.connections) {
        each.socket.close();
      }
      for (int i = 0; i < dead; i++) {
        assertEquals(200, post(client, peer));
      }
      assertEquals(2 * dead, peer.requests(), "none was sent twice");
    }
  }

  private static int post(CloseableHttpClient client, Http2Peer peer) throws IOException {
    HttpPost post = new HttpPost(peer.uri());
    post.setEntity(new StringEntity("order", ContentType.TEXT_PLAIN));
    return client.execute(post, response -> response.getCode());
  }
}
