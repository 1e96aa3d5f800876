package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.client5.http.io.LeaseRequest;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Callers that are interrupted while they wait for a connection leave it to the others. In Apache's
 * own manager (seen in 5.6.5; aws-sdk-java-v2 #6786 is this) a connection that comes in the instant
 * of the interrupt is nobody's: leased for ever.
 */
@Timeout(180)
@ExtendWith({WarmUp.class, LeakCheck.class})
class LeaseLeakTest {

  private static final int CALLERS = 40;
  private static final int CONNECTIONS = 5;
  private static final int ROUNDS = 20;
  private static final int RACES = 200;

  private static final HttpRoute ROUTE = new HttpRoute(new HttpHost("http", "127.0.0.1", 1));

  private static final org.apache.hc.core5.util.Timeout PATIENCE =
      org.apache.hc.core5.util.Timeout.ofSeconds(30);

  /**
   * The same races leak one of stock's connections after some hundreds, which no test can wait for.
   */
  @Test
  void aConnectionThatComesWithTheInterruptIsGivenBack() throws Exception {
    try (BlockingConnectionManager manager =
        BlockingConnectionManager.builder().setMaxConnPerRoute(1).build()) {
      for (int round = 0; round < RACES; round++) {
        race(manager, new Random(round).nextInt(3000));
        assertEquals(0, manager.getTotalStats().getLeased(), "round " + round);
      }
    }
  }

  /** An interrupt against the connection that is waited for, which comes after a pause. */
  private static void race(HttpClientConnectionManager manager, int pause) throws Exception {
    ConnectionEndpoint held = manager.lease("holder", ROUTE, PATIENCE, null).get(PATIENCE);
    AtomicReference<ConnectionEndpoint> got = new AtomicReference<>();
    LeaseRequest request = manager.lease("waiter", ROUTE, PATIENCE, null);
    Thread waiter = Thread.startVirtualThread(() -> got.set(get(request)));
    Threads.awaitParked("it waits", waiter);
    CountDownLatch started = new CountDownLatch(1);
    Thread interrupter =
        Thread.ofPlatform()
            .start(
                () -> {
                  started.countDown();
                  waiter.interrupt();
                });
    started.await();
    for (int i = 0; i < pause; i++) {
      Thread.onSpinWait(); // for microseconds: one that parks comes too late for the race
    }
    manager.release(held, null, null);
    waiter.join();
    interrupter.join();
    if (got.get() != null) {
      manager.release(got.get(), null, null);
    }
  }

  /** As Apache's chain has it; null if it was interrupted. */
  private static @Nullable ConnectionEndpoint get(LeaseRequest request) {
    try {
      return request.get(PATIENCE);
    } catch (InterruptedException e) {
      request.cancel();
      return null;
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void manyInterruptedCallersLeaveNoLease() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingConnectionManager manager =
            BlockingConnectionManager.builder().setMaxConnPerRoute(CONNECTIONS).build();
        CloseableHttpClient client =
            BlockingHttpClients.custom().setConnectionManager(manager).build()) {
      URI uri = server.uri(Script.ok().body(100));
      for (int round = 0; round < ROUNDS; round++) {
        List<Thread> callers = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(CALLERS * 3);
        for (int i = 0; i < CALLERS; i++) {
          callers.add(
              Thread.startVirtualThread(
                  () -> {
                    while (call(client, uri, begun::countDown)) {}
                  }));
        }
        begun.await();
        callers.forEach(Thread::interrupt);
        for (Thread each : callers) {
          each.join();
        }
        assertEquals(0, manager.getTotalStats().getLeased(), "leased, round " + round);
        assertEquals(0, manager.getTotalStats().getPending(), "waiting, round " + round);
      }
    }
  }

  /** Whether it got its answer. */
  private static boolean call(CloseableHttpClient client, URI uri, Runnable answered) {
    try {
      return client.execute(
          new HttpGet(uri),
          response -> {
            EntityUtils.consume(response.getEntity());
            answered.run();
            return true;
          });
    } catch (IOException e) {
      return false; // the interrupt
    }
  }
}
