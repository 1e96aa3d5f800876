package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.DeafPort;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is kept about a route, and what all who wait for a route's connection are told. */
@Timeout(90)
@ExtendWith({WarmUp.class, LeakCheck.class})
class RouteTest {

  private static final Http2Peer.Behaviour ANSWERS = (on, stream, end) -> on.answer(stream, 200);

  /** Any name is this machine. */
  private static final DnsResolver HERE =
      new DnsResolver() {
        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
          return new InetAddress[] {InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1})};
        }

        @Override
        public String resolveCanonicalHostname(String host) {
          return host;
        }
      };

  private static BlockingConnectionManagerBuilder http2() {
    return BlockingConnectionManager.builder()
        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
        .setDnsResolver(HERE);
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

  private static int get(CloseableHttpClient client, URI uri) throws IOException {
    return client.execute(new HttpGet(uri), response -> response.getCode());
  }

  /** In an outage the n-th caller of a route must not wait for the attempts of all before it. */
  @Test
  void callersThatComeDuringAnAttemptThatFailsAreToldOfItsFailure() throws Exception {
    int callers = 12;
    int timeoutMillis = 1_000;
    try (DeafPort deaf = new DeafPort();
        BlockingConnectionManager manager =
            http2()
                .setDefaultConnectionConfig(
                    ConnectionConfig.custom()
                        .setConnectTimeout(
                            org.apache.hc.core5.util.Timeout.ofMilliseconds(timeoutMillis))
                        .build())
                .build();
        CloseableHttpClient client = client(manager)) {
      URI uri = URI.create("http://127.0.0.1:" + deaf.port() + "/");
      AtomicInteger turn = new AtomicInteger();
      List<Long> millis =
          Threads.callAtOnce(
              callers,
              () -> {
                Thread.sleep(
                    (long) turn.getAndIncrement() * timeoutMillis / 4); // one after the other
                long start = System.nanoTime();
                IOException told = assertThrows(IOException.class, () -> get(client, uri));
                assertEquals(ConnectTimeoutException.class, told.getClass());
                return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
              });
      for (Long each : millis) {
        assertTrue(each < 2 * timeoutMillis - 200, () -> "more than one attempt: " + millis);
      }
      assertEquals(0, manager.leases());
    }
  }

  /** The one that cancels and the one that connects both have the lease in hand. */
  @Test
  void aCallCancelledWhileItConnectsLeavesNothing() throws Exception {
    int calls = 3_000;
    Random random = new Random(1);
    try (Http2Peer peer = new Http2Peer(100, ANSWERS);
        BlockingConnectionManager manager = http2().setMaxConnPerRoute(1).build();
        CloseableHttpClient client = client(manager)) {
      URI here = peer.uri();
      for (int i = 0; i < calls; i++) {
        HttpGet get = new HttpGet("http://h" + i + ".test:" + here.getPort() + "/");
        CountDownLatch end = new CountDownLatch(1);
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    client.execute(get, response -> response.getCode());
                  } catch (IOException | RuntimeException e) {
                    return; // cancelled
                  } finally {
                    end.countDown();
                  }
                });
        long until = System.nanoTime() + random.nextInt(1_500_000);
        while (System.nanoTime() < until) {
          Thread.onSpinWait(); // up to 1.5 ms: one that parks comes too late for the race
        }
        get.cancel();
        assertTrue(end.await(20, TimeUnit.SECONDS));
      }
      Threads.await("nothing is leased", () -> manager.getTotalStats().getLeased() == 0);
      assertEquals(0, manager.leases());
      manager.closeIdle(TimeValue.ZERO_MILLISECONDS);
      assertEquals(0, manager.knownRoutes(), "routes with a stream or an attempt that nobody has");
    }
  }

  @Test
  void aRouteWithoutAConnectionIsForgotten() throws Exception {
    try (BlockingConnectionManager manager = BlockingConnectionManager.builder().build()) {
      org.apache.hc.core5.util.Timeout patience = org.apache.hc.core5.util.Timeout.ofSeconds(10);
      for (int i = 0; i < 100; i++) {
        HttpRoute route = new HttpRoute(new HttpHost("https", "h" + i + ".test", 443), null, true);
        ConnectionEndpoint endpoint = manager.lease("test", route, patience, null).get(patience);
        manager.release(endpoint, null, TimeValue.NEG_ONE_MILLISECOND);
      }
      assertEquals(100, manager.knownRoutes());
      manager.closeExpired();
      assertEquals(0, manager.knownRoutes());
    }
  }

  @Test
  void aRouteInUseIsRemembered() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, ANSWERS);
        BlockingConnectionManager manager = http2().build();
        CloseableHttpClient client = client(manager)) {
      get(client, peer.uri());
      manager.closeExpired();
      assertEquals(1, manager.knownRoutes());
      manager.closeIdle(TimeValue.ZERO_MILLISECONDS);
      assertEquals(0, manager.knownRoutes());
      assertEquals(200, get(client, peer.uri()));
      assertEquals(2, peer.connections.size());
    }
  }

  /** Apache's pool lends to whoever is asking when it is closed, and takes nothing back then. */
  @Test
  void nothingIsCountedAfterTheEnd() throws Exception {
    for (int round = 0; round < 20; round++) {
      try (Http2Peer peer = new Http2Peer(100, ANSWERS)) {
        BlockingConnectionManager manager =
            BlockingConnectionManager.builder().setDnsResolver(HERE).build();
        try (CloseableHttpClient client = client(manager)) {
          CountDownLatch begun = new CountDownLatch(20);
          List<Thread> callers = new ArrayList<>();
          for (int i = 0; i < 40; i++) {
            callers.add(
                Thread.ofVirtual()
                    .start(
                        () -> {
                          try {
                            begun.countDown();
                            get(client, peer.uri());
                          } catch (IOException | RuntimeException e) {
                            return; // closed under it
                          }
                        }));
          }
          begun.await();
          manager.close(CloseMode.IMMEDIATE);
          for (Thread each : callers) {
            each.join();
          }
          assertEquals(0, manager.getTotalStats().getLeased());
          assertEquals(0, manager.leases());
        }
      }
    }
  }

  @Test
  void aReuseStrategyThatSaysNeverHoldsForHttp2() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, ANSWERS);
        BlockingConnectionManager manager = http2().build();
        CloseableHttpClient client =
            BlockingHttpClients.custom()
                .setConnectionManager(manager)
                .setConnectionReuseStrategy((request, response, context) -> false)
                .build()) {
      for (int i = 1; i <= 3; i++) {
        assertEquals(200, get(client, peer.uri()));
        assertEquals(i, peer.connections.size());
      }
      assertEquals(0, manager.getTotalStats().getAvailable());
    }
  }

  /** Whether its body is read, or it is closed at once: the stream ends, the connection stays. */
  @Test
  void aResponseThatIsClosedKeepsItsConnection() throws Exception {
    Http2Peer.Behaviour answersWithBody =
        (on, stream, end) -> {
          on.answerHead(stream, 200);
          on.data(stream, 100, true);
        };
    for (Http2Peer.Behaviour each : List.of(ANSWERS, answersWithBody)) {
      try (Http2Peer peer = new Http2Peer(100, each);
          BlockingConnectionManager manager = http2().build();
          CloseableHttpClient client = client(manager)) {
        for (int i = 0; i < 3; i++) {
          client.executeOpen(null, new HttpGet(peer.uri()), null).close();
          assertEquals(200, get(client, peer.uri()));
        }
        assertEquals(1, peer.connections.size());
      }
    }
  }

  /** What is an address needs no thread to look it up. */
  @Test
  void anAddressIsNotLookedUp() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        CloseableHttpClient client = BlockingHttpClients.createDefault()) {
      Set<Thread> before = resolversBut(Set.of());
      assertEquals(200, statusOf(client, server.uri(Script.ok())));
      assertEquals(Set.of(), resolversBut(before));
      assertEquals(200, statusOf(client, server.uri("localhost", Script.ok())));
      assertNotEquals(Set.of(), resolversBut(before));
    }
  }

  private static int statusOf(CloseableHttpClient client, URI uri) throws IOException {
    return client.execute(new HttpGet(uri), response -> response.getCode());
  }

  private static Set<Thread> resolversBut(Set<Thread> known) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().startsWith("heddle-apache-resolver"))
        .filter(each -> !known.contains(each))
        .collect(Collectors.toSet());
  }
}
