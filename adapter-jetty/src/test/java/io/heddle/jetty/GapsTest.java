package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.InputStreamRequestContent;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.OutputStreamRequestContent;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteBufferPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is missing in Jetty's client of 12.1.14, one test for each: the same code misses it on
 * Jetty's own classes, which the test asserts too, and has it here.
 */
@Timeout(60)
class GapsTest {

  private static final Duration SOON = Duration.ofSeconds(1);

  private FaultServer server;
  private HttpClient client = new HttpClient();

  @BeforeEach
  void start() {
    server = FaultServer.start(Wire.HTTP_1_1);
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
    server.close();
  }

  private void start(Kind kind) throws Exception {
    client = kind.client();
    client.start();
  }

  /** Runs this on a virtual thread; done with what it threw, or null. */
  private static CompletableFuture<Throwable> call(Blocking work) {
    return call(work, new CompletableFuture<>());
  }

  private static CompletableFuture<Throwable> call(
      Blocking work, CompletableFuture<Thread> caller) {
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    caller.complete(
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    work.run();
                    ended.complete(null);
                  } catch (Throwable t) {
                    ended.complete(t);
                  }
                }));
    return ended;
  }

  private interface Blocking {
    void run() throws Exception;
  }

  private static boolean holds(Duration within, BooleanSupplier condition)
      throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > within.toNanos()) {
        return false;
      }
      Thread.sleep(5);
    }
    return true;
  }

  private static boolean endsSoon(Future<?> call) throws Exception {
    try {
      call.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private boolean isAborted(URI uri) throws InterruptedException {
    assertTrue(holds(Duration.ofSeconds(10), () -> !server.seen(uri).isEmpty()));
    return holds(SOON, () -> server.seen(uri).get(0).isAborted());
  }

  /** Stock: ExecutionException, "Buffering capacity 2097152 exceeded". */
  @ParameterizedTest
  @EnumSource
  void aLongResponseIsGathered(Kind kind) throws Exception {
    start(kind);
    URI uri = server.uri(Script.ok().body(3 << 20));
    if (kind == Kind.STOCK) {
      assertThrows(ExecutionException.class, () -> client.GET(uri));
    } else {
      assertEquals(3 << 20, client.GET(uri).getContent().length);
    }
  }

  /** The limit is heeded where the head does not say how long the body is. */
  @Test
  void aResponseBeyondTheLimitFails() throws Exception {
    start(Kind.HEDDLE);
    ((BlockingJettyClient) client).setMaxContentLength(100_000);
    assertEquals(100_000, length(100_000));
    Exception failure = assertThrows(ExecutionException.class, () -> length(100_001));
    assertTrue(String.valueOf(failure.getCause()).endsWith("Buffering capacity 100000 exceeded"));
  }

  private int length(int bytes) throws Exception {
    return client.GET(server.uri(Script.ok().body(bytes).chunked())).getContent().length;
  }

  /** Stock: all buffers that it was read into are kept until it is whole. */
  @ParameterizedTest
  @EnumSource
  void aGatheredResponseHoldsNoBuffers(Kind kind) throws Exception {
    client = kind.client();
    ArrayByteBufferPool pool = new ArrayByteBufferPool();
    client.setByteBufferPool(pool);
    client.start();
    URI uri = server.uri(Script.ok().body(1 << 20));
    assertEquals(1 << 20, client.GET(uri).getContent().length);
    long buffers = pool.getDirectByteBufferCount() + pool.getHeapByteBufferCount();
    assertTrue(kind == Kind.STOCK ? buffers > 50 : buffers < 10, buffers + " buffers");
  }

  /** Stock: the request goes on, and so does its connection. */
  @ParameterizedTest
  @EnumSource
  void aGetThatTimesOutAborts(Kind kind) throws Exception {
    start(kind);
    URI uri = server.uri(Script.ok().fault(Fault.STALL));
    InputStreamResponseListener listener = kind.listener();
    client.newRequest(uri).send(listener);
    assertThrows(TimeoutException.class, () -> listener.get(300, TimeUnit.MILLISECONDS));
    assertEquals(kind == Kind.HEDDLE, isAborted(uri));
  }

  /** Stock: the request goes on. */
  @ParameterizedTest
  @EnumSource
  void aReadThatIsInterruptedAborts(Kind kind) throws Exception {
    start(kind);
    URI uri = server.uri(Script.ok().body(10_000).fault(Fault.STALL, 1_000));
    InputStreamResponseListener listener = kind.listener();
    CountDownLatch reading = new CountDownLatch(1);
    CompletableFuture<Thread> reader = new CompletableFuture<>();
    CompletableFuture<Throwable> ended =
        call(
            () -> {
              client.newRequest(uri).send(listener);
              InputStream in = listener.getInputStream();
              for (int i = 0; i < 1_000; i++) {
                assertTrue(in.read() >= 0);
              }
              reading.countDown();
              in.readAllBytes();
            },
            reader);
    reading.await();
    reader.get().interrupt();
    assertTrue(ended.get(10, TimeUnit.SECONDS) instanceof IOException);
    assertEquals(kind == Kind.HEDDLE, isAborted(uri));
  }

  /** Stock: the exchange goes on until more of the body comes, or the idle timeout. */
  @ParameterizedTest
  @EnumSource
  void closingABodyThatHasStalledAborts(Kind kind) throws Exception {
    start(kind);
    URI uri = server.uri(Script.ok().body(10_000).fault(Fault.STALL, 1_000));
    InputStreamResponseListener listener = kind.listener();
    client.newRequest(uri).send(listener);
    InputStream in = listener.getInputStream();
    in.readNBytes(999); // and one more, or else a read of nothing may wait
    assertTrue(in.read() >= 0);
    in.close();
    assertEquals(kind == Kind.HEDDLE, isAborted(uri));
  }

  /** Stock: waits for the next byte. So does {@code readNBytes(n)}, which ends with such a read. */
  @ParameterizedTest
  @EnumSource
  void aReadOfNoBytesDoesNotWait(Kind kind) throws Exception {
    start(kind);
    URI uri = server.uri(Script.ok().body(10_000).fault(Fault.STALL, 1_000));
    InputStreamResponseListener listener = kind.listener();
    client.newRequest(uri).send(listener);
    InputStream in = listener.getInputStream();
    for (int i = 0; i < 1_000; i++) {
      assertTrue(in.read() >= 0);
    }
    CompletableFuture<Throwable> ended = call(() -> assertEquals(0, in.read(new byte[1], 0, 0)));
    assertEquals(kind == Kind.HEDDLE, endsSoon(ended));
  }

  /** Stock: the request stays open, its body cut; closing the stream would complete it. */
  @ParameterizedTest
  @EnumSource
  void aWriteThatIsInterruptedAborts(Kind kind) throws Exception {
    start(kind);
    URI uri = server.uri(Script.ok().take(1_000));
    OutputStreamRequestContent content = kind.content();
    CompletableFuture<Thread> writer = new CompletableFuture<>();
    CompletableFuture<Throwable> ended =
        call(
            () -> {
              client.POST(uri).body(content).send(kind.listener());
              OutputStream out = content.getOutputStream();
              for (; ; ) {
                out.write(new byte[64 * 1024]);
              }
            },
            writer);
    assertTrue(
        holds(
            Duration.ofSeconds(10),
            () -> server.seen(uri).stream().anyMatch(each -> each.bodyBytes() >= 1_000)));
    Thread.sleep(200); // until the kernel's buffers are full as well
    writer.get().interrupt();
    assertTrue(ended.get(10, TimeUnit.SECONDS) instanceof IOException);
    server.seen(uri).get(0).readOn();
    assertEquals(kind == Kind.HEDDLE, isAborted(uri));
  }

  /** Stock throws too, but only once the request is on its way; whether it leaves is chance. */
  @ParameterizedTest
  @EnumSource(names = "HEDDLE")
  void anInterruptedCallerSendsNothing(Kind kind) throws Exception {
    start(kind);
    URI uri = server.uri(Script.ok());
    for (int i = 0; i < 50; i++) {
      client.GET(server.uri(Script.ok())); // so that there is a connection
      CompletableFuture<Throwable> ended =
          call(
              () -> {
                Thread.currentThread().interrupt();
                client.GET(uri);
              });
      assertTrue(ended.get(10, TimeUnit.SECONDS) instanceof InterruptedException);
    }
    assertFalse(holds(SOON, () -> !server.seen(uri).isEmpty()));
  }

  /** Stock: RejectedExecutionException, "Max requests queued per destination 2 exceeded". */
  @ParameterizedTest
  @EnumSource
  void aFullQueueIsWaitedFor(Kind kind) throws Exception {
    client = kind.client();
    client.setMaxConnectionsPerDestination(1);
    client.setMaxRequestsQueuedPerDestination(2);
    client.start();
    int failed = 0;
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        calls.add(callers.submit(() -> client.GET(server.uri(Script.ok().body(10))).getStatus()));
      }
      for (Future<Integer> each : calls) {
        try {
          assertEquals(200, each.get(20, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
          failed++;
        }
      }
    }
    assertEquals(kind == Kind.HEDDLE, failed == 0, failed + " calls failed");
  }

  /** The wait for a place ends with the total timeout. */
  @ParameterizedTest
  @EnumSource(names = "HEDDLE")
  void theWaitForAPlaceEndsInTime(Kind kind) throws Exception {
    client = kind.client();
    client.setMaxConnectionsPerDestination(1);
    client.setMaxRequestsQueuedPerDestination(1);
    client.start();
    URI stalled = server.uri(Script.ok().fault(Fault.STALL));
    for (int i = 0; i < 2; i++) { // one has the connection, one is queued
      client.newRequest(stalled).send(kind.listener());
    }
    Request late = client.newRequest(stalled).timeout(300, TimeUnit.MILLISECONDS);
    assertThrows(TimeoutException.class, late::send);
    assertEquals(1, server.seen(stalled).size());
  }

  /** Stock: ExecutionException, if its upload breaks before all is told; it does not always. */
  @ParameterizedTest
  @EnumSource(names = "HEDDLE")
  void anEarlyAnswerIsNotLost(Kind kind) throws Exception {
    start(kind);
    for (int i = 0; i < 10; i++) {
      URI uri = server.uri(Script.answer(413).body(10).early().close());
      Request request = client.POST(uri).body(new BytesRequestContent(new byte[64 << 20]));
      assertEquals(413, request.send().getStatus());
    }
  }

  private static Request.Content streamed(InputStream stream) {
    return new InputStreamRequestContent("text/plain", stream, new ByteBufferPool.Sized(null));
  }

  /** Stock: the client's own threads read it, a selector's among them, and wait where it waits. */
  @ParameterizedTest
  @EnumSource
  void aStreamIsNotReadByTheClientsThreads(Kind kind) throws Exception {
    start(kind);
    URI uri = server.uri(Script.ok());
    Set<Thread> readers = ConcurrentHashMap.newKeySet();
    InputStream zeros =
        new InputStream() {
          private int left = 32 << 20;

          @Override
          public int read() {
            throw new AssertionError("not read byte by byte");
          }

          @Override
          public int read(byte[] b, int off, int len) {
            readers.add(Thread.currentThread());
            int n = Math.min(left, len);
            left -= n;
            return n == 0 ? -1 : n;
          }
        };
    assertEquals(200, client.POST(uri).body(streamed(zeros)).send().getStatus());
    assertEquals(32 << 20, server.seen(uri).get(0).bodyBytes());
    boolean onClients = readers.stream().anyMatch(each -> !each.isVirtual());
    assertEquals(kind == Kind.STOCK, onClients, readers::toString);
  }

  /** Stock: whoever sends reads the stream, and stands there as long as it blocks. */
  @ParameterizedTest
  @EnumSource
  void aStreamThatBlocksDoesNotHoldUpTheTimeout(Kind kind) throws Exception {
    start(kind);
    client.GET(server.uri(Script.ok())); // so that there is a connection
    CountDownLatch mayEnd = new CountDownLatch(1);
    InputStream stuck =
        new InputStream() {
          @Override
          public int read() {
            awaitUninterruptibly(mayEnd);
            return -1;
          }

          @Override
          public int read(byte[] b, int off, int len) {
            return read();
          }
        };
    Request request = client.POST(server.uri(Script.ok())).timeout(300, TimeUnit.MILLISECONDS);
    CompletableFuture<Throwable> ended = call(() -> request.body(streamed(stuck)).send());
    boolean inTime = holds(Duration.ofSeconds(2), ended::isDone);
    mayEnd.countDown();
    assertEquals(kind == Kind.HEDDLE, inTime);
    assertTrue(ended.get(10, TimeUnit.SECONDS) instanceof TimeoutException);
  }

  /** Stock: waits for ever. */
  @ParameterizedTest
  @EnumSource
  void aServerThatNeverSaysContinueGetsTheBody(Kind kind) throws Exception {
    start(kind);
    URI uri = server.uri(Script.ok().expect(Script.Expect.IGNORE));
    CompletableFuture<Throwable> ended =
        call(
            () ->
                client
                    .POST(uri)
                    .headers(headers -> headers.put(HttpHeader.EXPECT, "100-continue"))
                    .body(new BytesRequestContent(new byte[10]))
                    .send());
    assertEquals(kind == Kind.HEDDLE, holds(Duration.ofSeconds(3), ended::isDone));
  }

  /** Stock: Jetty's one scheduler thread runs the listener, and ends nobody's wait meanwhile. */
  @ParameterizedTest
  @EnumSource
  void aBlockedListenerDoesNotHoldUpTheTimeoutOfAnother(Kind kind) throws Exception {
    start(kind);
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    URI stalled = server.uri(Script.ok().fault(Fault.STALL));
    client
        .newRequest(stalled)
        .timeout(100, TimeUnit.MILLISECONDS)
        .onRequestFailure((request, failure) -> {})
        .send(
            result -> {
              blocked.countDown();
              awaitUninterruptibly(mayEnd);
            });
    blocked.await();
    CompletableFuture<Throwable> ended =
        call(() -> client.newRequest(stalled).timeout(300, TimeUnit.MILLISECONDS).send());
    boolean inTime = holds(Duration.ofSeconds(2), ended::isDone);
    mayEnd.countDown();
    assertEquals(kind == Kind.HEDDLE, inTime);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
