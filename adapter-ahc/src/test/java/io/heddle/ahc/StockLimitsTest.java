package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes wrong where calls share connections. */
@Timeout(120)
class StockLimitsTest extends StockDefects {

  // ---- limits -------------------------------------------------------------------------------

  @Test
  void fullPoolFailsTheCaller() throws Exception {
    assertMended(
        Wire.HTTP_1_1,
        config -> config.setMaxConnections(1),
        (client, server) -> {
          URI uri = server.uri(Script.ok().delay(Duration.ofMillis(30)));
          assertAllSucceed(
              5, () -> client.prepareGet(uri.toString()).execute().get().getStatusCode());
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
          URI uri = server.uri(Script.ok().delay(Duration.ofMillis(20)));
          assertAllSucceed(
              20, () -> client.prepareGet(uri.toString()).execute().get().getStatusCode());
          assertEquals(1, server.connectionsAccepted(), "connections");
          assertTrue(server.takePeakStreams() <= 2, "streams");
        });
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

  // ---- HTTP/2 -------------------------------------------------------------------------------

  /** AHC sends the next request, and then takes the end of the first stream for the end of all. */
  @Test
  void redirectOverHttp2Fails() throws Exception {
    assertMended(
        Wire.H2C,
        config -> config.setFollowRedirect(true),
        (client, server) -> {
          URI target = server.uri(Script.ok().body(100));
          URI uri = server.uri(Script.answer(302).header("Location", target.toString()).body(100));
          assertAllSucceed(
              1, () -> client.prepareGet(uri.toString()).execute().get().getStatusCode());
        });
  }

  /** The same with a challenge. */
  @Test
  void challengeOverHttp2Fails() throws Exception {
    assertMended(
        Wire.H2C,
        config -> config.setRealm(Dsl.basicAuthRealm("penelope", "ithaca")),
        (client, server) -> {
          URI uri = server.uri(Script.ok().requires("penelope", "ithaca"));
          assertAllSucceed(
              1, () -> client.prepareGet(uri.toString()).execute().get().getStatusCode());
        });
  }

  /** The server goes away, and says that it did not look at this request. */
  @Test
  void callThatTheServerDidNotLookAtFails() throws Exception {
    assertMended(
        Wire.H2C,
        (client, server) -> {
          client.prepareGet(server.uri(Script.ok()).toString()).execute().get();
          URI uri = server.uri(Script.ok().fault(Fault.GOAWAY).once());
          assertAllSucceed(
              1, () -> client.preparePost(uri.toString()).execute().get().getStatusCode());
        });
  }
}
