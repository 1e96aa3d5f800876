package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
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

  @Test
  void aFloodHoldsUpNobodyElse() throws Exception {
    BlockingJettyClient client = new BlockingJettyClient(new HttpClientTransportOverHTTP(1));
    try (client;
        FaultServer good = FaultServer.start(Wire.HTTP_1_1);
        ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      client.start();
      Thread flood = Thread.ofPlatform().daemon().start(() -> flood(server));
      String harmful = "http://127.0.0.1:" + server.getLocalPort() + "/";
      Thread caller = Thread.ofVirtual().start(() -> call(client, harmful));
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
      assertFalse(flooded.getCount() > 0 || !flood.isAlive(), "the flood has ended");
      caller.interrupt();
      caller.join();
    }
  }

  private void flood(ServerSocket server) {
    try (Socket socket = server.accept()) {
      for (int last = 0; last != 0x0d0a0d0a; ) { // two ends of line
        last = last << 8 | socket.getInputStream().read();
      }
      for (; ; ) {
        socket.getOutputStream().write(INTERIM);
        flooded.countDown();
      }
    } catch (IOException e) {
      return; // the client has left
    }
  }

  private static void call(BlockingJettyClient client, String uri) {
    try {
      client.GET(uri);
    } catch (Exception e) {
      return; // as it should
    }
  }
}
