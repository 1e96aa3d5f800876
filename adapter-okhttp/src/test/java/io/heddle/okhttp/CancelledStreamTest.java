package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Field;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Over HTTP/2 OkHttp enters a stream's monitor to cancel a call, where a virtual thread before JDK
 * 24 holds its carrier while a worker is in there. In a soak all carriers were held so, and the
 * workers waited for the lock of okio's timers, whose next owner was a virtual thread without one:
 * no virtual thread of the JVM went on any more. Here it is the test that is in the monitors.
 */
@Timeout(60)
class CancelledStreamTest {

  private static final int CALLS = Runtime.getRuntime().availableProcessors();

  private final FaultServer server = FaultServer.start(Wire.H2C);
  private final CountDownLatch leave = new CountDownLatch(1);
  private final List<BlockingOkHttpClient> clients = new ArrayList<>();
  private final List<Call> calls = new ArrayList<>();
  private final List<Caller> callers = new ArrayList<>();

  private static Object inside(Object of, String field) throws ReflectiveOperationException {
    Field found = of.getClass().getDeclaredField(field);
    found.setAccessible(true);
    return Objects.requireNonNull(found.get(of));
  }

  private void enterMonitors() throws Exception {
    CountDownLatch entered = new CountDownLatch(CALLS);
    for (Call each : calls) {
      Object stream = inside(inside(inside(each, "exchange"), "codec"), "stream");
      Thread.ofPlatform()
          .start(
              () -> {
                synchronized (stream) {
                  entered.countDown();
                  try {
                    leave.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                }
              });
    }
    entered.await();
  }

  private void startCalls() {
    for (int i = 0; i < CALLS; i++) {
      BlockingOkHttpClient client =
          BlockingOkHttpClient.wrap(
              new OkHttpClient.Builder().protocols(KitClient.protocols(Wire.H2C)).build());
      clients.add(client);
      URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
      Call call = client.newCall(new Request.Builder().url(uri.toString()).build());
      calls.add(call);
      callers.add(new Caller(call::execute));
      ExecuteTest.await(() -> server.seen(uri).size() == 1);
    }
  }

  private void assertCarriersAreFree() throws Exception {
    try {
      assertEquals("free", new Caller(() -> "free").result());
    } finally {
      leave.countDown();
    }
  }

  @AfterEach
  void stop() {
    clients.forEach(BlockingOkHttpClient::close);
    server.close();
  }

  @Test
  void anInterruptHoldsNoCarrier() throws Exception {
    startCalls();
    enterMonitors();
    callers.forEach(each -> each.thread().interrupt());
    assertCarriersAreFree();
    for (Caller each : callers) {
      assertInstanceOf(InterruptedIOException.class, each.failure());
    }
    clients.forEach(AbandonedCallsTest::awaitIdle);
  }

  /** The worker wakes in the monitor, and waits for the lock; the caller needs the monitor next. */
  @Test
  void anInterruptHoldsNoCarrierWhileTheWorkerWaitsForTheTimers() throws Exception {
    startCalls();
    ReentrantLock timers = OkHttpInternals.timersLock();
    timers.lock();
    try {
      callers.forEach(each -> each.thread().interrupt());
      ExecuteTest.await(() -> timers.getQueueLength() >= CALLS);
      long end = System.nanoTime() + Duration.ofMillis(500).toNanos(); // longer than a caller waits
      while (System.nanoTime() < end) {
        assertEquals("free", new Caller(() -> "free").result());
        Thread.sleep(10);
      }
    } finally {
      timers.unlock();
    }
    for (Caller each : callers) {
      assertInstanceOf(InterruptedIOException.class, each.failure());
    }
    clients.forEach(AbandonedCallsTest::awaitIdle);
  }

  @Test
  void theEndOfAClientHoldsNoCarrier() throws Exception {
    startCalls();
    enterMonitors();
    List<Caller> closers = new ArrayList<>();
    for (BlockingOkHttpClient each : clients) {
      closers.add(
          new Caller(
              () -> {
                each.close();
                return "closed";
              }));
    }
    assertCarriersAreFree();
    for (Caller each : closers) {
      assertEquals("closed", each.result());
    }
    for (Caller each : callers) {
      assertInstanceOf(IOException.class, each.failure());
    }
  }

  /** It may hold a lock that the listener takes. */
  @Test
  void whoClosesAClientTellsItsListenersHimself() throws Exception {
    List<Thread> told = new CopyOnWriteArrayList<>();
    EventListener listener =
        new EventListener() {
          @Override
          public void canceled(Call call) {
            told.add(Thread.currentThread());
          }
        };
    BlockingOkHttpClient client =
        BlockingOkHttpClient.wrap(
            new OkHttpClient.Builder()
                .protocols(KitClient.protocols(Wire.H2C))
                .eventListener(listener)
                .build());
    URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
    Caller caller =
        new Caller(client.newCall(new Request.Builder().url(uri.toString()).build())::execute);
    ExecuteTest.await(() -> server.seen(uri).size() == 1);
    Caller closer =
        new Caller(
            () -> {
              client.close();
              return "closed";
            });
    assertEquals("closed", closer.result());
    assertInstanceOf(IOException.class, caller.failure());
    assertEquals(List.of(closer.thread()), told);
  }
}
