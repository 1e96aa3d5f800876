package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.ConnectionPool;
import org.eclipse.jetty.client.DuplexConnectionPool;
import org.eclipse.jetty.client.HttpClientTransport;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.RoundRobinConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The limits of connections and destinations are those that the user has set. They were seen to
 * count double once there was a listener, whose requests went to destinations of their own.
 */
@Timeout(60)
class PoolLimitsTest {

  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private FaultServer server(Wire wire) {
    FaultServer server = FaultServer.start(wire);
    open.add(server);
    return server;
  }

  private BlockingJettyClient client(HttpClientTransport transport) {
    BlockingJettyClient client = new BlockingJettyClient(transport);
    open.add(client::stop);
    return client;
  }

  private BlockingJettyClient client(Wire wire) {
    return client(JettyClient.transport(wire));
  }

  /** With a listener that is told on threads that may wait. */
  private Request listenedTo(BlockingJettyClient client, URI uri) {
    return client
        .newRequest(uri)
        .onResponseBegin(response -> threads.add(Thread.currentThread()))
        .onResponseHeaders(response -> threads.add(Thread.currentThread()));
  }

  private static int accepted(BlockingJettyClient client, FaultServer server) throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        URI uri = server.uri(Script.ok().delay(Duration.ofMillis(50)));
        calls.add(callers.submit(() -> client.GET(uri).getStatus()));
      }
      for (Future<Integer> each : calls) {
        assertEquals(200, each.get());
      }
    }
    return server.connectionsAccepted();
  }

  @Test
  void aListenerBringsNoSecondConnection() throws Exception {
    FaultServer server = server(Wire.HTTP_1_1);
    BlockingJettyClient client = client(Wire.HTTP_1_1);
    client.setMaxConnectionsPerDestination(1);
    client.start();
    URI stalled = server.uri(Script.ok().fault(Fault.STALL));
    Request first = client.newRequest(stalled);
    first.send(new BlockingResponseListener()); // has the only connection
    URI uri = server.uri(Script.ok());
    Request second = listenedTo(client, uri).timeout(500, TimeUnit.MILLISECONDS);
    assertThrows(TimeoutException.class, second::send);
    assertTrue(server.seen(uri).isEmpty());
    first.abort(new InterruptedException("test")).join();
    assertEquals(200, listenedTo(client, uri).send().getStatus());
  }

  @Test
  void aListenerBringsNoSecondDestination() throws Exception {
    FaultServer server = server(Wire.HTTP_1_1);
    BlockingJettyClient client = client(Wire.HTTP_1_1);
    client.setMaxDestinations(1);
    client.start();
    URI uri = server.uri(Script.ok());
    assertEquals(200, client.GET(uri).getStatus());
    assertEquals(200, listenedTo(client, uri).send().getStatus());
    assertEquals(1, client.getDestinations().size());
  }

  @Test
  void thePoolFactorysOwnLimitHolds() throws Exception {
    FaultServer server = server(Wire.HTTP_1_1);
    HttpClientTransport transport = JettyClient.transport(Wire.HTTP_1_1);
    transport.setConnectionPoolFactory(destination -> new DuplexConnectionPool(destination, 2));
    BlockingJettyClient client = client(transport);
    client.start();
    assertEquals(2, accepted(client, server));
  }

  @Test
  void aFactoryThatIsSetLaterHoldsAsWell() throws Exception {
    FaultServer server = server(Wire.HTTP_1_1);
    HttpClientTransport transport = JettyClient.transport(Wire.HTTP_1_1);
    BlockingJettyClient client = client(transport);
    transport.setConnectionPoolFactory(destination -> new DuplexConnectionPool(destination, 2));
    client.start();
    assertEquals(2, accepted(client, server));
    callListenedTo(client, server);
  }

  @Test
  void aSecondClientOverATransportHasItsOwnSettings() throws Exception {
    FaultServer server = server(Wire.HTTP_1_1);
    HttpClientTransport transport = JettyClient.transport(Wire.HTTP_1_1);
    new BlockingJettyClient(transport).setMaxConnectionsPerDestination(3);
    BlockingJettyClient client = client(transport);
    client.setMaxConnectionsPerDestination(10);
    client.start();
    assertEquals(10, accepted(client, server));
  }

  private void callListenedTo(BlockingJettyClient client, FaultServer server) throws Exception {
    try (ExecutorService caller = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 20; i++) {
        Request request = listenedTo(client, server.uri(Script.ok().body(100)));
        assertEquals(200, caller.submit(() -> request.send().getStatus()).get());
      }
    }
    assertTrue(threads.stream().allMatch(Thread::isVirtual), threads::toString);
  }

  @Test
  void aConnectionThatWasThereBeforeTheListenerIsNotUsedForIt() throws Exception {
    for (Wire wire : new Wire[] {Wire.HTTP_1_1, Wire.H2C}) {
      FaultServer server = server(wire);
      BlockingJettyClient client = client(wire);
      client.setMaxConnectionsPerDestination(1);
      client.start();
      assertEquals(200, client.GET(server.uri(Script.ok())).getStatus());
      callListenedTo(client, server);
      assertEquals(2, server.connectionsAccepted());
    }
  }

  @Test
  void aStreamOfBeforeDoesNotHoldUpCallsWithListeners() throws Exception {
    FaultServer server = server(Wire.H2C);
    BlockingJettyClient client = client(Wire.H2C);
    client.setMaxConnectionsPerDestination(1);
    client.start();
    URI stalled = server.uri(Script.ok().body(2_000).fault(Fault.STALL, 1_000));
    try (BlockingResponseListener longOne = new BlockingResponseListener()) {
      client.newRequest(stalled).send(longOne);
      longOne.get(10, TimeUnit.SECONDS);
      callListenedTo(client, server);
      server.seen(stalled).get(0).release();
      assertEquals(2_000, longOne.getInputStream().readAllBytes().length); // it was not closed
    }
    callListenedTo(client, server);
    assertEquals(2, server.connectionsAccepted());
  }

  @Test
  void aPoolOfAnotherClassMayRunUsersCodeFromTheStart() throws Exception {
    FaultServer server = server(Wire.HTTP_1_1);
    HttpClientTransport transport = JettyClient.transport(Wire.HTTP_1_1);
    ConnectionPool.Factory factory = destination -> new RoundRobinConnectionPool(destination, 1, 1);
    transport.setConnectionPoolFactory(factory);
    BlockingJettyClient client = client(transport);
    client.start();
    assertEquals(200, client.GET(server.uri(Script.ok())).getStatus());
    callListenedTo(client, server);
    assertEquals(1, server.connectionsAccepted());
  }
}
