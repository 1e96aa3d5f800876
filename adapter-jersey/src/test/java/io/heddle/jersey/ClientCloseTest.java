package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.ClientRequestFilter;
import jakarta.ws.rs.client.ClientResponseFilter;
import jakarta.ws.rs.client.WebTarget;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.glassfish.hk2.api.MultiException;
import org.glassfish.jersey.client.ClientLifecycleListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code close()} of a client does where more than one thing fails. */
@Timeout(60)
class ClientCloseTest {

  private final FaultServer server = FaultServer.start(Wire.HTTP_1_1);

  @AfterEach
  void stop() {
    server.close();
  }

  /** Fails as often as there are connectors: each target with settings of its own has one. */
  private static final class FailingListener implements ClientLifecycleListener {
    final AtomicInteger closes = new AtomicInteger();

    @Override
    public void onInit() {}

    @Override
    public void onClose() {
      closes.incrementAndGet();
      throw new IllegalStateException("it does not close");
    }
  }

  @Test
  void listenersThatFailLeaveNoConnection() throws Exception {
    FailingListener listener = new FailingListener();
    Client client = ClientBuilder.newBuilder().register(listener).build();
    URI uri = server.uri(Script.ok());
    List<WebTarget> targets =
        List.of(
            client.target(uri),
            client.target(uri).property("any", 1),
            client.target(uri).property("any", 2));
    targets.forEach(each -> each.request().get().close());
    assertEquals(3, server.connectionsOpen());
    URI stalled = server.uri(Script.ok().fault(Script.Fault.STALL));
    Future<Response> running = client.target(stalled).request().async().get();
    while (server.seen(stalled).isEmpty()) {
      Thread.sleep(2);
    }

    client.close();
    assertEquals(3, listener.closes.get(), "times that the listener failed");
    assertThrows(ExecutionException.class, () -> running.get(30, TimeUnit.SECONDS));
    awaitNoConnection();
  }

  /**
   * The call fails for want of a connection manager, and then Jersey fails to end its scope, as HK2
   * is shut down: the caller gets the latter. docs/jersey.md says so.
   */
  @Test
  void aCallThatHasNotBeenSentFailsTwice() throws Exception {
    Client client = ClientBuilder.newClient();
    ClientRequestFilter closes = request -> client.close();
    URI uri = server.uri(Script.ok());
    assertMultiple(client.register(closes), uri);
    assertEquals(0, server.seen(uri).size(), "times sent");
  }

  @Test
  void aCallThatHasItsResponseFailsToo() throws Exception {
    Client client = ClientBuilder.newClient();
    ClientResponseFilter closes = (request, response) -> client.close();
    URI uri = server.uri(Script.ok().body(1_000_000));
    assertMultiple(client.register(closes), uri);
    assertEquals(1, server.seen(uri).size(), "times sent");
  }

  private void assertMultiple(Client client, URI uri) throws Exception {
    MultiException thrown =
        assertThrows(MultiException.class, () -> client.target(uri).request().get());
    for (Throwable each : thrown.getErrors()) {
      assertInstanceOf(IllegalStateException.class, each);
      assertTrue(String.valueOf(each.getMessage()).endsWith(" has been shut down"), each::toString);
    }
    awaitNoConnection();
  }

  private void awaitNoConnection() throws InterruptedException {
    while (server.connectionsOpen() > 0) {
      Thread.sleep(2);
    }
  }
}
