package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server ends its first connections right behind the handshake of TLS. */
@Timeout(60)
class EndedHandshakeTest {

  private static final int ENDED = 2;

  private final AtomicInteger accepted = new AtomicInteger();

  private void serve(ServerSocket door, int port) {
    try {
      while (true) {
        Socket socket = door.accept();
        if (accepted.getAndIncrement() < ENDED) {
          JettyInternalsTest.shakeHandsAndLeave(socket);
        } else {
          Socket behind = new Socket(InetAddress.getLoopbackAddress(), port);
          pass(socket, behind);
          pass(behind, socket);
        }
      }
    } catch (IOException e) {
      return; // the test is over
    }
  }

  private static void pass(Socket from, Socket to) {
    Thread.startVirtualThread(
        () -> {
          try (from;
              to) {
            from.getInputStream().transferTo(to.getOutputStream());
          } catch (IOException e) {
            return; // the other end is closed
          }
        });
  }

  @Test
  void aGetOfWhichNothingWasSentGoesAgain() throws Exception {
    BlockingJettyClient client = new BlockingJettyClient(JettyClient.transport(Wire.H2_TLS));
    client.setSslContextFactory(new SslContextFactory.Client(true)); // trusts all
    client.start();
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        ServerSocket door = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Thread.startVirtualThread(() -> serve(door, server.port()));
      String path = server.uri(Script.ok()).toString().replaceFirst("https://[^/]*", "");
      Request get = client.newRequest("https://127.0.0.1:" + door.getLocalPort() + path);
      assertEquals(200, get.timeout(20, TimeUnit.SECONDS).send().getStatus());
      assertEquals(ENDED + 1, accepted.get(), "connections");
    } finally {
      client.stop();
    }
  }
}
