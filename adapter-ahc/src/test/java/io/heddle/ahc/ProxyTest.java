package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** HTTP/2 over TLS through the tunnel of a proxy. */
@Timeout(60)
class ProxyTest {

  /** Connects whoever asks with whomever he wants, on loopback. */
  private static final class Tunnels implements AutoCloseable {
    private final ServerSocket port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicInteger tunnels = new AtomicInteger();

    Tunnels() throws IOException {
      Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
      for (; ; ) {
        try {
          Socket client = port.accept();
          Thread.ofVirtual().start(() -> connect(client));
        } catch (IOException e) {
          return; // closed
        }
      }
    }

    private void connect(Socket client) {
      try (client) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        InputStream in = client.getInputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
          head.write(in.read());
        }
        String target = head.toString(StandardCharsets.US_ASCII).split(" ", 3)[1];
        int port = Integer.parseInt(target.substring(target.indexOf(':') + 1));
        tunnels.incrementAndGet();
        try (Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
          client
              .getOutputStream()
              .write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
          Thread back = Thread.ofVirtual().start(() -> copy(server, client));
          copy(client, server);
          back.join();
        }
      } catch (IOException | InterruptedException e) {
        return; // one of the two has left
      }
    }

    private static void copy(Socket from, Socket to) {
      try {
        from.getInputStream().transferTo(to.getOutputStream());
        to.shutdownOutput();
      } catch (IOException e) {
        return; // one of the two has left
      }
    }

    @Override
    public void close() throws IOException {
      port.close();
    }
  }

  @Test
  void callsShareOneTunnel() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        Tunnels proxy = new Tunnels();
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setSslContext(AhcClient.tls(FaultServer.certificate(), true))
                    .setProxyServer(Dsl.proxyServer("127.0.0.1", proxy.port.getLocalPort()))
                    .build())) {
      URI uri = server.uri(Script.ok().delay(Duration.ofMillis(20)));
      StockDefects.assertAllSucceed(
          20,
          () -> {
            InputStream body = new ByteArrayInputStream(new byte[10_000]);
            return client.execute(Dsl.post(uri.toString()).setBody(body).build()).getStatusCode();
          });
      assertEquals(1, proxy.tunnels.get());
      URI stalled = server.uri(Script.ok().fault(Fault.STALL));
      assertThrows(
          DeadlineExceededException.class,
          () -> client.execute(Dsl.get(stalled.toString()).build(), Duration.ofMillis(100)));
      Request large = Dsl.get(server.uri(Script.ok().body(5_000_000)).toString()).build();
      try (StreamingResponse response = client.stream(large)) {
        assertEquals("HTTP/2.0", response.getStatus().getProtocolText());
        assertEquals(5_000_000, response.getBodyAsStream().readAllBytes().length);
      }
      assertEquals(1, proxy.tunnels.get());
      assertEquals(0, client.inFlight());
    }
  }
}
