package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which requests over HTTP/2 are sent again when their connection ends. */
@Timeout(60)
class SentAgainTest {

  private static BlockingAhcClient client() {
    return new BlockingAhcClient(Dsl.config().setHttp2CleartextEnabled(true).build());
  }

  /** The server has said that it did not look at it: even a POST goes to the next connection. */
  @Test
  void postBeyondTheLastStream() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      URI uri = server.uri(Script.ok().fault(Fault.GOAWAY).once());
      Request post = Dsl.post(uri.toString()).setBody(new byte[100]).build();
      assertEquals(200, client.execute(post).getStatusCode());
      assertEquals(2, server.connectionsAccepted());
    }
  }

  /** Who shares a connection that was in use has been heard, and is not sent again. */
  @Test
  void siblingsOfALostConnectionAreNot() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      List<URI> uris = new ArrayList<>();
      List<ListenableFuture<Response>> futures = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        URI uri = server.uri(Script.ok().fault(Fault.STALL));
        uris.add(uri);
        futures.add(client.prepare(i == 0 ? "POST" : "GET", uri.toString()).execute());
      }
      for (URI each : uris) {
        while (server.seen(each).isEmpty()) {
          Thread.sleep(5);
        }
      }
      server.closeConnections();
      for (ListenableFuture<Response> each : futures) {
        assertThrows(ExecutionException.class, () -> each.get(10, TimeUnit.SECONDS));
      }
      assertTrue(uris.stream().allMatch(each -> server.seen(each).size() == 1), "sent once");
    }
  }

  /** What the first server has answered is not begun anew because the second has refused it. */
  @Test
  void redirectedPostIsNotBegunAnew() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      URI target = server.uri(Script.ok().fault(Fault.GOAWAY).once());
      URI uri = server.uri(Script.answer(307).header("Location", target.toString()));
      Request post =
          Dsl.post(uri.toString()).setBody(new byte[100]).setFollowRedirect(true).build();
      assertThrows(IOException.class, () -> client.execute(post));
      assertEquals(1, server.seen(uri).size(), "times sent");
    }
  }
}
