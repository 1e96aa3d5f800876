package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.Script;
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
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a caller cannot rely on: that giving up ends a request, that it is sent once, event loops.
 */
@Timeout(120)
class StockDefectsTest extends StockDefects {

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
}
