package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.ClientRequestFilter;
import jakarta.ws.rs.client.ClientResponseFilter;
import jakarta.ws.rs.client.Invocation;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.glassfish.jersey.CommonProperties;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.HttpUrlConnectorProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which threads run {@code async()} and {@code rx()}. */
@Timeout(60)
class AsyncTest {

  private final FaultServer server = FaultServer.start(Wire.HTTP_1_1);
  private final List<Thread> ran = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() {
    server.close();
  }

  private List<Thread> threads(ClientBuilder builder, boolean rx) throws Exception {
    ran.clear();
    ClientRequestFilter request = context -> ran.add(Thread.currentThread());
    ClientResponseFilter response = (sent, context) -> ran.add(Thread.currentThread());
    try (Client client = builder.register(request).register(response).build()) {
      Invocation.Builder call = client.target(server.uri(Script.ok())).request();
      Future<?> future = rx ? call.rx().get().toCompletableFuture() : call.async().get();
      future.get(30, TimeUnit.SECONDS);
    }
    return ran;
  }

  private static boolean areVirtual(List<Thread> threads) {
    assertFalse(threads.isEmpty());
    return threads.stream().allMatch(Thread::isVirtual);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theyAreVirtual(boolean rx) throws Exception {
    assertTrue(areVirtual(threads(ClientBuilder.newBuilder(), rx)), ran::toString);
    assertTrue(
        areVirtual(
            threads(
                ClientBuilder.newBuilder()
                    .property(CommonProperties.FEATURE_AUTO_DISCOVERY_DISABLE, true),
                rx)),
        ran::toString);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anExecutorOfTheUsersIsUsed(boolean rx) throws Exception {
    try (ExecutorService own = Executors.newFixedThreadPool(1, task -> new Thread(task, "own"))) {
      List<Thread> threads = threads(ClientBuilder.newBuilder().executorService(own), rx);
      assertTrue(
          threads.stream().allMatch(thread -> thread.getName().equals("own")), ran::toString);
    }
  }

  @Test
  void whoWantsPlatformThreadsHasThem() throws Exception {
    ClientBuilder builder =
        ClientBuilder.newBuilder().property(CommonProperties.USE_VIRTUAL_THREADS, false);
    assertFalse(areVirtual(threads(builder, false)), ran::toString);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClientWithAnotherConnectorIsLeftAlone(boolean rx) throws Exception {
    ClientBuilder builder =
        ClientBuilder.newBuilder()
            .withConfig(new ClientConfig().connectorProvider(new HttpUrlConnectorProvider()));
    assertFalse(areVirtual(threads(builder, rx)), ran::toString);
  }
}
