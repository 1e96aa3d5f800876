package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.DeafPort;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server of which nothing is known does not answer: nobody waits for those before him. */
@Timeout(90)
class OutageTest {

  private static final Duration CONNECT = Duration.ofSeconds(2);

  private static BlockingAhcClient client() {
    return new BlockingAhcClient(
        Dsl.config().setHttp2CleartextEnabled(true).setConnectTimeout(CONNECT).build());
  }

  /** Its queue is full, so that the kernel drops who asks. */
  @Test
  void tenCallersWaitOneConnectTimeout() throws Exception {
    try (DeafPort deaf = new DeafPort();
        BlockingAhcClient client = client()) {
      String url = "http://127.0.0.1:" + deaf.port() + "/";
      Request request = Dsl.get(url).build();
      long begun = System.nanoTime();
      List<FutureTask<IOException>> calls = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        calls.add(
            new FutureTask<>(() -> assertThrows(IOException.class, () -> client.execute(request))));
        calls.add(
            new FutureTask<>(
                () ->
                    (IOException)
                        assertThrows(
                                ExecutionException.class,
                                () -> client.executeRequest(request).get())
                            .getCause()));
      }
      calls.forEach(each -> Thread.ofVirtual().start(each));
      List<IOException> failures = new ArrayList<>();
      for (FutureTask<IOException> each : calls) {
        IOException failure = assertInstanceOf(ConnectException.class, each.get());
        failures.forEach(other -> assertNotSame(other, failure));
        failures.add(failure);
      }
      Duration took = Duration.ofNanos(System.nanoTime() - begun);
      assertTrue(took.compareTo(CONNECT.multipliedBy(5)) < 0, "it took " + took);
      assertEquals(0, client.inFlight());
    }
  }

  /** He who tries gives up by himself: the next one tries, and gets through. */
  @Test
  void whoGivesUpAnswersNobodyElse() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      URI named = server.uri("localhost", Script.ok());
      Request held =
          Dsl.get(named.toString())
              .setNameResolver(
                  new InetNameResolver(ImmediateEventExecutor.INSTANCE) {
                    @Override
                    protected void doResolve(String host, Promise<InetAddress> promise) {
                      hold();
                      promise.setSuccess(InetAddress.getLoopbackAddress());
                    }

                    @Override
                    protected void doResolveAll(String host, Promise<List<InetAddress>> promise) {
                      hold();
                      promise.setSuccess(List.of(InetAddress.getLoopbackAddress()));
                    }

                    private void hold() {
                      asked.countDown();
                      try {
                        answer.await();
                      } catch (InterruptedException e) {
                        throw new AssertionError(e);
                      }
                    }
                  })
              .build();
      AhcCall first = client.newCall(held);
      FutureTask<IOException> givenUp =
          new FutureTask<>(() -> assertThrows(IOException.class, first::execute));
      Thread.ofVirtual().start(givenUp);
      asked.await();
      List<FutureTask<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        Request request = Dsl.get(server.uri("localhost", Script.ok()).toString()).build();
        calls.add(new FutureTask<>(() -> client.execute(request).getStatusCode()));
      }
      calls.forEach(each -> Thread.ofVirtual().start(each));
      first.cancel();
      givenUp.get();
      for (FutureTask<Integer> each : calls) {
        assertEquals(200, each.get());
      }
    } finally {
      answer.countDown();
    }
  }
}
