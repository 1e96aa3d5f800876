package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.HttpHostConnectException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many callers, few connections: when HTTP/2 is shared, when not, and what comes in between. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class SharingTest {

  private static BlockingConnectionManagerBuilder managers(Wire wire) {
    BlockingConnectionManagerBuilder builder = BlockingConnectionManager.builder();
    if (wire.isTls()) {
      builder.setTlsStrategy(ApacheClient.tls(FaultServer.certificate()));
    } else if (wire.isMultiplexed()) {
      builder.setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2);
    }
    return builder;
  }

  private static CloseableHttpClient client(BlockingConnectionManager manager) {
    return BlockingHttpClients.custom().setConnectionManager(manager).build();
  }

  private static int get(CloseableHttpClient client, URI uri) throws Exception {
    return client.execute(
        new HttpGet(uri),
        response -> {
          EntityUtils.consume(response.getEntity());
          return response.getCode();
        });
  }

  /** The stock sharing pool made five connections of this, and took more than three seconds. */
  @Test
  void sixtyColdCallsOfThreeHundredMillisecondsTakeOneConnectionAndOneRound() throws Exception {
    for (Wire wire : List.of(Wire.H2C, Wire.H2_TLS)) {
      try (FaultServer server = FaultServer.start(wire);
          BlockingConnectionManager manager = managers(wire).build();
          CloseableHttpClient client = client(manager)) {
        URI uri = server.uri(Script.ok().body(100).delay(Duration.ofMillis(300)));
        long start = System.nanoTime();
        Threads.callAtOnce(60, () -> get(client, uri));
        long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
        assertEquals(1, server.connectionsAccepted(), () -> "connections over " + wire);
        assertEquals(60, server.takePeakStreams(), () -> "streams at a time over " + wire);
        assertTrue(millis < 3_000, () -> "ten rounds would fit into " + millis + " ms");
        assertEquals(0, manager.leases());
        assertEquals(0, manager.getTotalStats().getLeased());
      }
    }
  }

  @Test
  void aServerThatTurnsOutToSpeakHttp11GivesEachCallerAConnection() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1_TLS);
        BlockingConnectionManager manager = managers(Wire.HTTP_1_1_TLS).build();
        CloseableHttpClient client = client(manager)) {
      URI uri = server.uri(Script.ok().delay(Duration.ofMillis(300)));
      Threads.callAtOnce(20, () -> get(client, uri));
      assertEquals(20, server.connectionsAccepted());
      Threads.callAtOnce(20, () -> get(client, uri));
      assertEquals(20, server.connectionsAccepted(), "they are kept, and used again");
    }
  }

  /** A host whose first answer was HTTP/1.1, say while it was being upgraded. */
  @Test
  void aRouteThatSpokeHttp11OnceIsSharedOnceItSpeaksHttp2() throws Exception {
    try (FaultServer http1 = FaultServer.start(Wire.HTTP_1_1_TLS);
        FaultServer http2 = FaultServer.start(Wire.H2_TLS)) {
      AtomicInteger portNow = new AtomicInteger(http1.port());
      try (BlockingConnectionManager manager =
              managers(Wire.H2_TLS).setDnsResolver(new AtPort(portNow)).build();
          CloseableHttpClient client = client(manager)) {
        URI uri = http1.uri("localhost", Script.ok().header("Connection", "close"));
        assertEquals(200, get(client, uri));
        assertEquals(1, http1.connectionsAccepted());
        portNow.set(http2.port());
        URI slow = http1.uri("localhost", Script.ok().delay(Duration.ofMillis(300)));
        assertEquals(200, get(client, slow));
        Threads.callAtOnce(30, () -> get(client, slow));
        assertEquals(1, http2.connectionsAccepted());
      }
    }
  }

  /** Resolves each host to this machine, at the port of this moment. */
  private record AtPort(AtomicInteger port) implements DnsResolver {
    @Override
    public List<InetSocketAddress> resolve(String host, int ignored) {
      return List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.get()));
    }

    @Override
    public InetAddress[] resolve(String host) {
      return new InetAddress[] {InetAddress.getLoopbackAddress()};
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }

  @Test
  void aFullConnectionIsJoinedByAnotherUpToTheLimitPerRoute() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingConnectionManager manager = managers(Wire.H2C).setMaxConnPerRoute(3).build();
        CloseableHttpClient client = client(manager)) {
      server.maxStreams(5);
      URI uri = server.uri(Script.ok().delay(Duration.ofMillis(200)));
      Threads.callAtOnce(40, () -> get(client, uri));
      assertEquals(3, server.connectionsAccepted());
      assertEquals(40, server.seen(uri).size(), "none was sent twice");
    }
  }

  @Test
  void whereTheFirstConnectionIsRefusedAllCallersAreToldSoAndNoneWaitsForAnother()
      throws Exception {
    int deadPort;
    try (ServerSocket socket = new ServerSocket(0)) {
      deadPort = socket.getLocalPort();
    }
    try (BlockingConnectionManager manager = managers(Wire.H2C).build();
        CloseableHttpClient client = client(manager)) {
      URI uri = URI.create("http://127.0.0.1:" + deadPort + "/");
      Threads.callAtOnce(
          30,
          () -> assertThrows(HttpHostConnectException.class, () -> get(client, uri)).getMessage());
      assertEquals(0, manager.leases());
    }
  }

  @Test
  void aSharedConnectionIsNotUsedBeyondItsTimeToLive() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingConnectionManager manager =
            managers(Wire.H2C)
                .setDefaultConnectionConfig(
                    ConnectionConfig.custom().setTimeToLive(TimeValue.ofMilliseconds(100)).build())
                .build();
        CloseableHttpClient client = client(manager)) {
      URI slow = server.uri(Script.ok().delay(Duration.ofMillis(600)));
      URI fast = server.uri(Script.ok());
      Thread holder = Thread.ofVirtual().start(() -> getOrFail(client, slow));
      Threads.await("the slow call is under way", () -> !server.seen(slow).isEmpty());
      Thread.sleep(150); // the time to live itself
      get(client, fast);
      assertEquals(2, server.connectionsAccepted());
      holder.join();
    }
  }

  private static void getOrFail(CloseableHttpClient client, URI uri) {
    try {
      get(client, uri);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anIdleConnectionIsAskedWhetherItLives() throws Exception {
    for (Wire wire : List.of(Wire.HTTP_1_1, Wire.H2C)) {
      try (FaultServer server = FaultServer.start(wire);
          BlockingConnectionManager manager =
              managers(wire)
                  .setDefaultConnectionConfig(
                      ConnectionConfig.custom()
                          .setValidateAfterInactivity(TimeValue.ZERO_MILLISECONDS)
                          .build())
                  .build();
          CloseableHttpClient client = client(manager)) {
        URI uri = server.uri(Script.ok());
        for (int i = 0; i < 5; i++) {
          get(client, uri);
        }
        assertEquals(1, server.connectionsAccepted(), () -> "over " + wire);
      }
    }
  }

  @Test
  void anIdleTimeoutEndsAConnection() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingConnectionManager manager =
            managers(Wire.HTTP_1_1)
                .setDefaultConnectionConfig(
                    ConnectionConfig.custom()
                        .setIdleTimeout(org.apache.hc.core5.util.Timeout.ofMilliseconds(50))
                        .build())
                .build();
        CloseableHttpClient client = client(manager)) {
      URI uri = server.uri(Script.ok());
      get(client, uri);
      Thread.sleep(80); // the idle timeout itself
      get(client, uri);
      assertEquals(2, server.connectionsAccepted());
    }
  }

  @Test
  void theVersionPolicyCanDifferByHost() throws Exception {
    try (FaultServer http1 = FaultServer.start(Wire.HTTP_1_1);
        FaultServer http2 = FaultServer.start(Wire.H2C);
        BlockingConnectionManager manager =
            BlockingConnectionManager.builder()
                .setTlsConfigResolver(
                    host ->
                        TlsConfig.custom()
                            .setVersionPolicy(
                                host.getPort() == http2.port()
                                    ? HttpVersionPolicy.FORCE_HTTP_2
                                    : HttpVersionPolicy.NEGOTIATE)
                            .build())
                .build();
        CloseableHttpClient client = client(manager)) {
      assertEquals("HTTP/1.1", protocol(client, http1.uri(Script.ok())));
      assertEquals("HTTP/2.0", protocol(client, http2.uri(Script.ok())));
    }
  }

  private static String protocol(CloseableHttpClient client, URI uri) throws Exception {
    return client.execute(new HttpGet(uri), response -> String.valueOf(response.getVersion()));
  }

  @Test
  void callersThatWaitForAStreamCountAsPending() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingConnectionManager manager = managers(Wire.H2C).setMaxConnPerRoute(1).build();
        CloseableHttpClient client = client(manager)) {
      server.maxStreams(1);
      URI stalled = server.uri(Script.ok().fault(Script.Fault.STALL));
      List<Thread> callers =
          List.of(
              Thread.ofVirtual().start(() -> getOrFail(client, stalled)),
              Thread.ofVirtual().start(() -> getOrFail(client, stalled)));
      Threads.await("one waits", () -> manager.getTotalStats().getPending() == 1);
      assertEquals(1, manager.getTotalStats().getLeased());
      Threads.await("one is there", () -> !server.seen(stalled).isEmpty());
      server.seen(stalled).get(0).release();
      Threads.await("the other is there", () -> server.seen(stalled).size() == 2);
      server.seen(stalled).get(1).release();
      for (Thread each : callers) {
        each.join();
      }
      assertEquals(0, manager.getTotalStats().getPending());
    }
  }

  @Test
  void theLimitInAllHoldsForHttp2Too() throws Exception {
    try (FaultServer one = FaultServer.start(Wire.H2C);
        FaultServer two = FaultServer.start(Wire.H2C);
        BlockingConnectionManager manager = managers(Wire.H2C).setMaxConnTotal(1).build();
        CloseableHttpClient client = client(manager)) {
      for (int i = 0; i < 3; i++) {
        assertEquals(200, get(client, one.uri(Script.ok())));
        assertEquals(200, get(client, two.uri(Script.ok())));
      }
      assertTrue(manager.getTotalStats().getAvailable() <= 1);
    }
  }
}
