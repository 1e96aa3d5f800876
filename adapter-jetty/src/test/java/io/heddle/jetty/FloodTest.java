package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RawServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server that sends without an end, and faster than it is read, held the only selector: calls to
 * other servers found no connection for as long as that went on.
 */
@Timeout(60)
class FloodTest {

  private static final byte[] INTERIM =
      "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
          .repeat(500)
          .getBytes(StandardCharsets.US_ASCII);

  private final CountDownLatch flooded = new CountDownLatch(100); // pieces
  private volatile boolean over;

  @Test
  void aFloodHoldsUpNobodyElse() throws Exception {
    BlockingJettyClient client = new BlockingJettyClient(new HttpClientTransportOverHTTP(1));
    try (client;
        FaultServer good = FaultServer.start(Wire.HTTP_1_1);
        RawServer harmful = RawServer.start(this::flood)) {
      client.start();
      Thread caller = Thread.ofVirtual().start(() -> call(client, harmful.uri()));
      flooded.await();
      for (int i = 0; i < 10; i++) {
        int status =
            client
                .newRequest(good.uri(Script.ok().body(100)))
                .timeout(10, TimeUnit.SECONDS)
                .send()
                .getStatus();
        assertEquals(200, status);
      }
      assertFalse(over, "the flood has ended");
      caller.interrupt();
      caller.join();
    }
  }

  private void flood(Socket socket) throws IOException {
    try {
      RawServer.readHead(socket.getInputStream());
      for (; ; ) {
        socket.getOutputStream().write(INTERIM);
        flooded.countDown();
      }
    } finally {
      over = true;
    }
  }

  private static void call(BlockingJettyClient client, URI uri) {
    try {
      client.GET(uri);
    } catch (Exception e) {
      return; // as it should
    }
  }
}
