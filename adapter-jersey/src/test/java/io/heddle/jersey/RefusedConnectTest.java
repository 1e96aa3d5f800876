package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.core.Response;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A proxy's refusal of a CONNECT was a {@code NullPointerException}: no request had been sent. */
@Timeout(60)
class RefusedConnectTest {

  @Test
  void theProxysAnswerReachesTheCaller() throws Exception {
    try (ServerSocket proxy = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Thread refusing = Thread.ofVirtual().start(() -> refuseOne(proxy));
      ClientConfig config =
          new ClientConfig()
              .connectorProvider(new HeddleConnectorProvider())
              .property(ClientProperties.PROXY_URI, "http://127.0.0.1:" + proxy.getLocalPort());
      Client client = ClientBuilder.newClient(config);
      try (Response response = client.target("https://127.0.0.1:1/").request().get()) {
        assertEquals(403, response.getStatus());
      } finally {
        client.close();
      }
      refusing.join();
    }
  }

  private static void refuseOne(ServerSocket proxy) {
    try (Socket socket = proxy.accept()) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      String line = in.readLine();
      while (line != null && !line.isEmpty()) {
        line = in.readLine();
      }
      socket
          .getOutputStream()
          .write(
              "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
