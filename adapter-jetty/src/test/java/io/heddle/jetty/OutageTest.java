package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.DeafPort;
import io.heddle.conformance.RawServer;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server whose kernel drops who asks for a connection: nobody waits for those before him. */
@Timeout(90)
class OutageTest {

  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final int CALLERS = 10;

  private DeafPort deaf;
  private URI uri;
  private BlockingJettyClient client = new BlockingJettyClient();

  @BeforeEach
  void fillQueue() throws IOException {
    deaf = new DeafPort();
    uri = URI.create("http://127.0.0.1:" + deaf.port() + "/");
  }

  @AfterEach
  void closeAll() throws Exception {
    client.stop();
    deaf.close();
  }

  private void open(Wire wire, int maxConnections) {
    client = new BlockingJettyClient(JettyClient.transport(wire));
    client.setConnectTimeout(CONNECT.toMillis());
    client.setMaxConnectionsPerDestination(maxConnections);
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1, 1", "HTTP_1_1, 4", "H2C, 1", "H2C, 4"})
  void tenCallersWaitOneConnectTimeout(Wire wire, int maxConnections) throws Exception {
    open(wire, maxConnections);
    client.start();
    long begun = System.nanoTime();
    List<FutureTask<ExecutionException>> calls = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      calls.add(
          new FutureTask<>(() -> assertThrows(ExecutionException.class, () -> client.GET(uri))));
    }
    calls.forEach(each -> Thread.ofVirtual().start(each));
    for (FutureTask<ExecutionException> each : calls) {
      assertInstanceOf(SocketTimeoutException.class, each.get().getCause());
    }
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    assertTrue(took.compareTo(CONNECT.multipliedBy(CALLERS / 2)) < 0, "it took " + took);
  }

  /** The kernel lets the first connection in late: all get through, on it if need be. */
  @Test
  void tenCallersOfASlowServerGetThrough() throws Exception {
    open(Wire.HTTP_1_1, 1);
    client.setConnectTimeout(30_000);
    client.start();
    List<FutureTask<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      calls.add(
          new FutureTask<>(
              () -> client.newRequest(uri).timeout(60, TimeUnit.SECONDS).send().getStatus()));
    }
    calls.forEach(each -> Thread.ofVirtual().start(each));
    try (RawServer open = deaf.open(OutageTest::answer)) {
      for (FutureTask<Integer> each : calls) {
        assertEquals(200, each.get());
      }
      assertTrue(open.accepted() > 0);
    }
  }

  /** The server may have left that connection before it saw this request. */
  @Test
  void aGetGoesAgainFromAConnectionThatWasBegunForAnother() throws Exception {
    open(Wire.HTTP_1_1, 1);
    client.setConnectTimeout(30_000);
    client.start();
    FutureTask<Integer> first = new FutureTask<>(() -> client.GET(uri).getStatus());
    FutureTask<Integer> second = new FutureTask<>(() -> client.GET(uri).getStatus());
    Thread caller = startWaiting(first);
    startWaiting(second);
    caller.interrupt();
    assertThrows(ExecutionException.class, first::get);
    AtomicInteger requests = new AtomicInteger();
    try (RawServer open =
        deaf.open(
            socket -> {
              RawServer.readHead(socket.getInputStream());
              if (requests.incrementAndGet() == 2) {
                RawServer.write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
              }
            })) {
      assertEquals(200, second.get());
      assertEquals(2, requests.get());
      assertTrue(open.accepted() >= 2);
    }
  }

  private static Thread startWaiting(FutureTask<Integer> call) throws InterruptedException {
    Thread caller = Thread.ofVirtual().start(call);
    while (caller.getState() != Thread.State.WAITING
        && caller.getState() != Thread.State.TIMED_WAITING) {
      Thread.sleep(1);
    }
    return caller;
  }

  private static void answer(Socket socket) throws IOException {
    for (; ; ) {
      RawServer.readHead(socket.getInputStream());
      RawServer.write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
  }
}
