package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.SessionContainer;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server lowers the number of streams just as a call has a place among them: Jetty's pool has
 * given the place, its connection gives no stream. The call failed with "Max local stream count 1
 * exceeded"; nothing of it was sent, and it waits for another place.
 */
@Timeout(60)
class FewerStreamsTest {

  private final BlockingJettyClient client =
      new BlockingJettyClient(JettyClient.transport(Wire.H2C));

  /** Is asked for its length between the pool and the connection. */
  private final class Body extends BytesRequestContent {
    private final FaultServer server;
    private boolean lowered;

    Body(FaultServer server) {
      super(new byte[100]);
      this.server = server;
    }

    @Override
    public long getLength() {
      if (!lowered && client.inFlight() == 2) {
        lowered = true;
        server.maxStreams(1);
        while (maxStreams() != 1) {
          LockSupport.parkNanos(1_000_000); // until the client has read the SETTINGS
        }
      }
      return super.getLength();
    }

    private int maxStreams() {
      int max = -1;
      for (HTTP2Client each : client.getContainedBeans(HTTP2Client.class)) {
        for (Session session : each.getBean(SessionContainer.class).getSessions()) {
          max = ((HTTP2Session) session).getMaxLocalStreams();
        }
      }
      return max;
    }
  }

  @Test
  void aCallWhosePlaceIsNoMoreWaitsForAnother() throws Exception {
    client.setMaxConnectionsPerDestination(1);
    client.start();
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      URI stalled = server.uri(Script.ok().body(2_000).fault(Fault.STALL, 1_000));
      URI uri = server.uri(Script.ok());
      try (BlockingResponseListener longOne = new BlockingResponseListener()) {
        client.newRequest(stalled).send(longOne);
        assertEquals(200, longOne.get(30, TimeUnit.SECONDS).getStatus());
        FutureTask<Integer> call =
            new FutureTask<>(
                () ->
                    client
                        .POST(uri)
                        .body(new Body(server))
                        .timeout(30, TimeUnit.SECONDS)
                        .send()
                        .getStatus());
        Thread.ofPlatform().start(call);
        while (client.waiting() == 0 && !call.isDone()) {
          Thread.sleep(1);
        }
        server.seen(stalled).get(0).release();
        assertEquals(2_000, longOne.getInputStream().readAllBytes().length);
        assertEquals(200, call.get());
        assertEquals(1, server.seen(uri).size(), "times sent");
        assertEquals(1, server.connectionsAccepted());
      }
    } finally {
      client.stop();
    }
  }

  /** It waited for the end of the call that was there, though the server allows more. */
  @Test
  void aCallThatWaitsIsSentOnceTheServerAllowsMore() throws Exception {
    client.setMaxConnectionsPerDestination(1);
    client.start();
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingResponseListener longOne = new BlockingResponseListener()) {
      server.maxStreams(1); // of the connections to come
      URI stalled = server.uri(Script.ok().body(2_000).fault(Fault.STALL, 1_000));
      client.newRequest(stalled).send(longOne);
      assertEquals(200, longOne.get(30, TimeUnit.SECONDS).getStatus());
      URI uri = server.uri(Script.ok());
      FutureTask<Integer> call =
          new FutureTask<>(
              () -> client.newRequest(uri).timeout(30, TimeUnit.SECONDS).send().getStatus());
      Thread.ofVirtual().start(call);
      while (client.waiting() == 0 && !call.isDone()) {
        Thread.sleep(1);
      }
      server.maxStreams(2);
      assertEquals(200, call.get());
      assertEquals(1, server.connectionsAccepted());
    } finally {
      client.stop();
    }
  }
}
