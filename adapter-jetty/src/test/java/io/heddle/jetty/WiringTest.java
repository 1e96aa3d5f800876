package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.HttpProxy;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The ways to set a client up that the documentation tells of, and what takes an HttpClient. */
@Timeout(60)
class WiringTest {

  private final BlockingJettyClient client = new BlockingJettyClient();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private FaultServer server;

  @BeforeEach
  void start() {
    server = FaultServer.start(Wire.HTTP_1_1);
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
    server.close();
  }

  /** A call with a listener for each thing that comes, which takes note of its thread. */
  private Request listenedTo(URI uri) {
    return client
        .newRequest(uri)
        .onResponseBegin(response -> threads.add(Thread.currentThread()))
        .onResponseHeaders(response -> threads.add(Thread.currentThread()))
        .onResponseSuccess(response -> threads.add(Thread.currentThread()))
        .onComplete(result -> threads.add(Thread.currentThread()));
  }

  /** From a virtual thread, on which Jetty may tell of the end of what it has just sent. */
  private void callListenedTo() throws Exception {
    try (ExecutorService caller = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 20; i++) {
        Request request = listenedTo(server.uri(Script.ok().body(100_000)));
        assertEquals(200, caller.submit(() -> request.send().getStatus()).get());
      }
    }
  }

  @Test
  void withoutAnExecutorListenersRunOnVirtualThreads() throws Exception {
    client.start();
    callListenedTo();
    assertTrue(threads.stream().allMatch(Thread::isVirtual), threads::toString);
  }

  @Test
  void withAPoolThatHasVirtualThreadsListenersRunOnThose() throws Exception {
    QueuedThreadPool pool = new QueuedThreadPool();
    pool.setName("ours");
    Executor virtual = VirtualThreads.getNamedVirtualThreadsExecutor("listener-");
    pool.setVirtualThreadsExecutor(virtual);
    client.setExecutor(pool);
    client.start();
    callListenedTo();
    assertTrue(
        threads.stream().anyMatch(each -> each.getName().startsWith("listener-")),
        threads::toString);
  }

  @Test
  void withAPoolOfItsOwnListenersRunThere() throws Exception {
    QueuedThreadPool pool = new QueuedThreadPool();
    pool.setName("ours");
    client.setExecutor(pool);
    client.start();
    callListenedTo();
    assertTrue(
        threads.stream().allMatch(each -> each.isVirtual() || each.getName().startsWith("ours")),
        threads::toString);
  }

  @Test
  void defaultsForVirtualThreads() {
    assertEquals(256, client.getMaxConnectionsPerDestination());
    assertEquals(Integer.MAX_VALUE, client.getMaxContentLength());
    assertEquals(null, client.getCallTimeout());
    assertEquals(null, client.getQueueTimeout());
    assertEquals(Duration.ofSeconds(1), client.getContinueTimeout());
  }

  @Test
  void whatIsNegativeIsRefusedAndZeroIsNone() {
    Duration negative = Duration.ofMillis(-1);
    assertThrows(IllegalArgumentException.class, () -> client.setCallTimeout(negative));
    assertThrows(IllegalArgumentException.class, () -> client.setQueueTimeout(negative));
    assertThrows(IllegalArgumentException.class, () -> client.setContinueTimeout(negative));
    assertThrows(IllegalArgumentException.class, () -> client.setMaxContentLength(-1));
    client.setCallTimeout(Duration.ZERO);
    assertEquals(null, client.getCallTimeout());
  }

  @Test
  void aForm() throws Exception {
    client.start();
    URI uri = server.uri(Script.ok());
    Fields fields = new Fields();
    fields.add("warp", "weft");
    assertEquals(200, client.FORM(uri, fields).getStatus());
    assertEquals("warp=weft".length(), server.seen(uri).get(0).bodyBytes());
  }

  @Test
  void aRedirectIsFollowedByARequestOfOurs() throws Exception {
    client.start();
    URI target = server.uri(Script.ok());
    Script redirect = Script.answer(HttpStatus.FOUND_302).header("Location", target.toString());
    Request last = client.GET(server.uri(redirect)).getRequest();
    assertEquals(target, last.getURI());
    assertEquals(JettyRequest.class, last.getClass());
  }

  @Test
  void aProxy() throws Exception {
    client.getProxyConfiguration().addProxy(new HttpProxy("127.0.0.1", server.port()));
    client.start();
    URI uri = server.uri("loom.heddle.test", Script.ok().body(10)); // only the proxy knows it
    assertEquals(10, client.GET(uri).getContent().length);
    assertFalse(server.seen(uri).isEmpty());
  }

  /** Seen as a place in the queue that was never given back. */
  @Test
  void whoAsksForADestinationTakesNoPlaceInItsQueue() throws Exception {
    client.setMaxRequestsQueuedPerDestination(1);
    client.start();
    URI uri = server.uri(Script.ok());
    for (int i = 0; i < 3; i++) {
      assertNotNull(client.resolveDestination(client.newRequest(uri)));
    }
    assertEquals(200, client.newRequest(uri).timeout(30, TimeUnit.SECONDS).send().getStatus());
  }

  @Test
  void aClientThatIsStartedAgain() throws Exception {
    client.start();
    assertEquals(200, client.GET(server.uri(Script.ok())).getStatus());
    client.stop();
    client.start();
    assertEquals(200, client.GET(server.uri(Script.ok())).getStatus());
  }
}
