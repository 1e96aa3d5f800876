package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Expect;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.DefaultAsyncHttpClient;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Response;
import org.asynchttpclient.handler.BodyDeferringAsyncHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What goes wrong for a caller that blocks on AHC 3.0.13, one test for each. Each check runs twice:
 * against AHC's own client, where it has to fail, so that the test says nothing that is not so; and
 * against ours, where it has to hold. What AHC's own client leaves behind is not looked for; ours
 * is, in the kit.
 */
@Timeout(120)
class StockDefectsTest {

  private static final long SOON_MILLIS = 1500;

  /** What a caller may expect of a client; fails with an {@link AssertionError}. */
  @FunctionalInterface
  private interface Check {
    void run(AsyncHttpClient client, FaultServer server) throws Exception;
  }

  private static void assertMended(Wire wire, Check check) throws Exception {
    assertMended(wire, config -> config, check);
  }

  private static void assertMended(
      Wire wire, UnaryOperator<DefaultAsyncHttpClientConfig.Builder> settings, Check check)
      throws Exception {
    assertThrows(AssertionError.class, () -> run(wire, settings, check, false), "AHC's own client");
    run(wire, settings, check, true);
  }

  private static void run(
      Wire wire,
      UnaryOperator<DefaultAsyncHttpClientConfig.Builder> settings,
      Check check,
      boolean ours)
      throws Exception {
    DefaultAsyncHttpClientConfig.Builder config =
        settings.apply(
            Dsl.config()
                .setHttp2CleartextEnabled(wire.isMultiplexed())
                .setIoThreadsCount(1)
                .setShutdownQuietPeriod(Duration.ZERO)
                .setShutdownTimeout(Duration.ofSeconds(1)));
    try (FaultServer server = FaultServer.start(wire);
        AsyncHttpClient client =
            ours
                ? new BlockingAhcClient(config.build())
                : new DefaultAsyncHttpClient(config.build())) {
      check.run(client, server);
    }
  }

  private static boolean isSoon(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SOON_MILLIS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        return false;
      }
      Thread.sleep(5);
    }
    return true;
  }

  private static Seen seen(FaultServer server, URI uri) throws InterruptedException {
    assertTrue(isSoon(() -> !server.seen(uri).isEmpty()), "the request is there");
    return server.seen(uri).get(0);
  }

  /** What a thread that blocks in {@code get()} ends with. */
  private static CompletableFuture<Throwable> failureOf(ListenableFuture<?> future) {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> failure.complete(assertThrows(Throwable.class, future::get)));
    return failure;
  }

  private static Throwable soon(CompletableFuture<Throwable> failure) throws Exception {
    try {
      return failure.get(SOON_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return fail("the caller is still blocked");
    }
  }

  // ---- giving up ----------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void interruptedGetLeavesTheRequestRunning(Wire wire) throws Exception {
    assertMended(
        wire,
        (client, server) -> {
          URI stalled = server.uri(Script.ok().fault(Fault.STALL));
          ListenableFuture<Response> future = client.prepareGet(stalled.toString()).execute();
          Seen request = seen(server, stalled);
          CompletableFuture<Throwable> failure = new CompletableFuture<>();
          CompletableFuture<Boolean> flag = new CompletableFuture<>();
          Thread caller =
              Thread.ofVirtual()
                  .start(
                      () -> {
                        failure.complete(assertThrows(Throwable.class, future::get));
                        flag.complete(Thread.currentThread().isInterrupted());
                      });
          caller.interrupt();
          assertInstanceOf(InterruptedException.class, soon(failure));
          assertFalse(flag.get(), "the flag is cleared, as the exception's convention has it");
          assertTrue(isSoon(request::isAborted), "the server sees the abort");
          assertTrue(future.isCancelled());
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void timedOutGetLeavesTheRequestRunning(Wire wire) throws Exception {
    assertMended(
        wire,
        (client, server) -> {
          URI stalled = server.uri(Script.ok().fault(Fault.STALL));
          ListenableFuture<Response> future = client.prepareGet(stalled.toString()).execute();
          Seen request = seen(server, stalled);
          assertThrows(TimeoutException.class, () -> future.get(50, TimeUnit.MILLISECONDS));
          assertTrue(isSoon(request::isAborted), "the server sees the abort");
          assertTrue(future.isCancelled());
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void closeLeavesCallersBlocked(Wire wire) throws Exception {
    assertMended(
        wire,
        (client, server) -> {
          URI stalled = server.uri(Script.ok().fault(Fault.STALL));
          CompletableFuture<Throwable> failure =
              failureOf(client.prepareGet(stalled.toString()).execute());
          seen(server, stalled);
          client.close();
          assertInstanceOf(ExecutionException.class, soon(failure));
        });
  }

  // ---- sending twice --------------------------------------------------------------------------

  /** The server takes a POST, and closes the connection, which had a call before. */
  @Test
  void postIsSentTwice() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        (client, server) -> {
          client.prepareGet(server.uri(Script.ok()).toString()).execute().get();
          URI uri = server.uri(Script.ok().fault(Fault.CLOSE));
          ListenableFuture<Response> post =
              client.preparePost(uri.toString()).setBody("x").execute();
          assertThrows(ExecutionException.class, post::get);
          assertEquals(1, server.seen(uri).size(), "times sent");
        });
  }

  /** A body that breaks off is asked for anew, and a handler sees its beginning twice. */
  @Test
  void bodyIsDeliveredTwice() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        (client, server) -> {
          URI uri = server.uri(Script.ok().body(10_000).fault(Fault.CLOSE, 5000));
          assertThrows(ExecutionException.class, client.prepareGet(uri.toString()).execute()::get);
          assertEquals(1, server.seen(uri).size(), "times sent");
        });
  }

  // ---- limits -------------------------------------------------------------------------------

  @Test
  void fullPoolFailsTheCaller() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        config -> config.setMaxConnections(1),
        (client, server) -> {
          List<CompletableFuture<Integer>> calls = new ArrayList<>();
          for (int i = 0; i < 5; i++) {
            String uri = server.uri(Script.ok().delay(Duration.ofMillis(30))).toString();
            CompletableFuture<Integer> status = new CompletableFuture<>();
            calls.add(status);
            Thread.ofVirtual()
                .start(
                    () -> {
                      try {
                        status.complete(client.prepareGet(uri).execute().get().getStatusCode());
                      } catch (InterruptedException | ExecutionException e) {
                        status.completeExceptionally(e);
                      }
                    });
          }
          for (CompletableFuture<Integer> each : calls) {
            assertEquals(200, orFail(each));
          }
          assertEquals(1, server.connectionsAccepted());
        });
  }

  /** Cold, AHC opens a connection per call, or more streams than the server allows. */
  @Test
  void coldHttp2IsNotShared() throws Exception {
    assertMended(
        Wire.H2C,
        (client, server) -> {
          server.maxStreams(2);
          List<CompletableFuture<Integer>> calls = new ArrayList<>();
          for (int i = 0; i < 20; i++) {
            String uri = server.uri(Script.ok().delay(Duration.ofMillis(20))).toString();
            CompletableFuture<Integer> status = new CompletableFuture<>();
            calls.add(status);
            Thread.ofVirtual()
                .start(
                    () -> {
                      try {
                        status.complete(client.prepareGet(uri).execute().get().getStatusCode());
                      } catch (InterruptedException | ExecutionException e) {
                        status.completeExceptionally(e);
                      }
                    });
          }
          for (CompletableFuture<Integer> each : calls) {
            assertEquals(200, orFail(each));
          }
          assertEquals(1, server.connectionsAccepted(), "connections");
          assertTrue(server.takePeakStreams() <= 2, "streams");
        });
  }

  private static int orFail(CompletableFuture<Integer> call) throws Exception {
    try {
      return call.get(10, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("a call failed", e);
    }
  }

  /** Cancelling a call that waits for a stream closes the connection that the others use. */
  @Test
  void cancelOfQueuedCallKillsItsSiblings() throws Exception {
    assertMended(
        Wire.H2C,
        config -> config.setHttp2MaxConcurrentStreams(1),
        (client, server) -> {
          client.prepareGet(server.uri(Script.ok()).toString()).execute().get();
          URI stalled = server.uri(Script.ok().fault(Fault.STALL));
          ListenableFuture<Response> sibling = client.prepareGet(stalled.toString()).execute();
          Seen request = seen(server, stalled);
          String other = server.uri(Script.ok()).toString();
          CompletableFuture<Throwable> gaveUp = new CompletableFuture<>();
          Thread queued =
              Thread.ofVirtual()
                  .start(
                      () -> {
                        ListenableFuture<Response> second = client.prepareGet(other).execute();
                        second.cancel(true);
                        gaveUp.complete(assertThrows(Throwable.class, second::get));
                      });
          isSoon(() -> queued.getState() == Thread.State.WAITING || gaveUp.isDone());
          queued.interrupt(); // where it waits before it has a future
          soon(gaveUp);
          assertFalse(isSoonAborted(request), "the sibling is unharmed");
          request.release();
          assertEquals(200, sibling.get(5, TimeUnit.SECONDS).getStatusCode());
        });
  }

  private static boolean isSoonAborted(Seen request) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
    while (System.nanoTime() < end) {
      if (request.isAborted()) {
        return true;
      }
      Thread.sleep(5);
    }
    return false;
  }

  // ---- event loops ----------------------------------------------------------------------------

  @Test
  void nameOfRedirectIsLookedUpOnTheEventLoop() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        config -> config.setFollowRedirect(true),
        (client, server) -> {
          Set<String> threads = ConcurrentHashMap.newKeySet();
          URI target = server.uri("loom.heddle.test", Script.ok());
          URI redirect = server.uri(Script.answer(302).header("Location", target.toString()));
          Response response =
              client
                  .prepareGet(redirect.toString())
                  .setNameResolver(new Loopback(threads))
                  .execute()
                  .get();
          assertEquals(200, response.getStatusCode());
          assertFalse(threads.isEmpty());
          assertTrue(
              threads.stream().allMatch(name -> name.contains("resolver")), "ran on " + threads);
        });
  }

  private static final class Loopback extends InetNameResolver {
    private final Set<String> threads;

    Loopback(Set<String> threads) {
      super(ImmediateEventExecutor.INSTANCE);
      this.threads = threads;
    }

    @Override
    protected void doResolve(String host, Promise<InetAddress> promise) {
      threads.add(Thread.currentThread().getName());
      promise.setSuccess(InetAddress.getLoopbackAddress());
    }

    @Override
    protected void doResolveAll(String host, Promise<List<InetAddress>> promise) {
      threads.add(Thread.currentThread().getName());
      promise.setSuccess(List.of(InetAddress.getLoopbackAddress()));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void streamIsReadOnTheEventLoop(Wire wire) throws Exception {
    assertMended(
        wire,
        (client, server) -> {
          Set<String> threads = ConcurrentHashMap.newKeySet();
          InputStream body =
              new FilterInputStream(new ByteArrayInputStream(new byte[100_000])) {
                @Override
                public int read(byte[] b, int off, int len) throws IOException {
                  threads.add(Thread.currentThread().getName());
                  return super.read(b, off, len);
                }
              };
          URI uri = server.uri(Script.ok());
          client.preparePost(uri.toString()).setBody(body).execute().get();
          assertEquals(100_000, server.seen(uri).get(0).bodyBytes());
          assertTrue(
              threads.stream().noneMatch(name -> name.startsWith("AsyncHttpClient")),
              "read on " + threads);
        });
  }

  /** A stream that has no bytes for a while stops every other call of its event loop. */
  @Test
  void slowStreamStopsItsEventLoop() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        (client, server) -> {
          PipedOutputStream slow = new PipedOutputStream();
          try (PipedInputStream body = new PipedInputStream(slow)) {
            URI upload = server.uri(Script.ok());
            ListenableFuture<Response> uploading =
                client.preparePost(upload.toString()).setBody(body).execute();
            isSoon(() -> !server.seen(upload).isEmpty());
            ListenableFuture<Response> other =
                client.prepareGet(server.uri(Script.ok()).toString()).execute();
            boolean done = isSoon(other::isDone);
            slow.write(1);
            slow.close();
            uploading.get(10, TimeUnit.SECONDS);
            assertTrue(done, "another call goes on");
          }
        });
  }

  // ---- bodies -------------------------------------------------------------------------------

  /** AHC reads on and on; what nobody takes is held in memory, or holds the event loop. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void serverIsNotHeldBack(Wire wire) throws Exception {
    assertMended(
        wire,
        (client, server) -> {
          URI uri = server.uri(Script.ok().body(200L << 20));
          AtomicInteger held = new AtomicInteger();
          AutoCloseable response;
          if (client instanceof BlockingAhcClient blocking) {
            response = blocking.stream(Dsl.get(uri.toString()).build());
          } else {
            response = unread(client, uri, held);
          }
          try (response) {
            Seen request = seen(server, uri);
            long sent = settled(request);
            String other = server.uri(Script.ok()).toString();
            ListenableFuture<Response> sibling = client.prepareGet(other).execute();
            assertTrue(sent < (24L << 20), "sent, and read by nobody: " + sent);
            assertTrue(isSoon(sibling::isDone), "another call goes on");
          }
        });
  }

  private static AutoCloseable unread(AsyncHttpClient client, URI uri, AtomicInteger held)
      throws Exception {
    PipedOutputStream out =
        new PipedOutputStream() {
          @Override
          public void write(byte[] b, int off, int len) {
            held.addAndGet(len); // as a queue without a bound does
          }
        };
    BodyDeferringAsyncHandler handler = new BodyDeferringAsyncHandler(out);
    ListenableFuture<Response> future = client.prepareGet(uri.toString()).execute(handler);
    handler.getResponse();
    return () -> future.cancel(true);
  }

  private static long settled(Seen request) throws InterruptedException {
    long last = -1;
    while (last != request.sentBytes()) {
      last = request.sentBytes();
      Thread.sleep(300);
    }
    return last;
  }

  /** The server says 413, reads no further, and closes the connection. */
  @Test
  void earlyAnswerIsLost() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        (client, server) -> {
          for (int i = 0; i < 10; i++) {
            try (Refusing refusing = new Refusing()) {
              Response response =
                  client
                      .preparePost("http://127.0.0.1:" + refusing.port() + "/")
                      .setBody(new ByteArrayInputStream(new byte[30 << 20]))
                      .execute()
                      .get();
              assertEquals(413, response.getStatusCode());
            } catch (ExecutionException e) {
              throw new AssertionError("the answer is lost", e);
            }
          }
        });
  }

  /** Says 413 to a head, takes no more than that, and closes. */
  private static final class Refusing implements AutoCloseable {
    private final ServerSocket port = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());

    Refusing() throws IOException {
      Thread.ofPlatform().name("fault-server-413").start(this::refuse);
    }

    int port() {
      return port.getLocalPort();
    }

    private void refuse() {
      try (Socket connection = port.accept()) {
        connection.getInputStream().readNBytes(1000);
        connection
            .getOutputStream()
            .write(
                "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
      } catch (IOException e) {
        return; // the client has left
      }
    }

    @Override
    public void close() throws IOException {
      port.close();
    }
  }

  /** The request asks to continue. AHC sends a body of bytes with the head all the same. */
  @Test
  void bodyIsSentBeforeTheServerSaysContinue() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        (client, server) -> {
          URI uri = server.uri(Script.ok().expect(Expect.ACCEPT).delay(Duration.ofMillis(200)));
          client
              .preparePost(uri.toString())
              .setHeader("Expect", "100-continue")
              .setBody(new byte[100])
              .execute()
              .get();
          assertFalse(server.seen(uri).get(0).isBodyWithoutContinue(), "sent too early");
        });
  }

  /** The request asks to continue, and the server says nothing: AHC waits for ever. */
  @Test
  void bodyIsNeverSentIfTheServerDoesNotSayContinue() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        (client, server) -> {
          URI uri = server.uri(Script.ok().expect(Expect.IGNORE));
          ListenableFuture<Response> post =
              client
                  .preparePost(uri.toString())
                  .setHeader("Expect", "100-continue")
                  .setBody(new ByteArrayInputStream(new byte[100]))
                  .execute();
          try {
            assertEquals(200, post.get(4, TimeUnit.SECONDS).getStatusCode());
          } catch (TimeoutException e) {
            throw new AssertionError("the body is never sent", e);
          } finally {
            post.cancel(true);
          }
        });
  }
}
