package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.LeakCheck;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A server closed a connection as soon as it had it. Where that came before the preface of HTTP/2
 * was written, the write of the SETTINGS behind it failed, and the engine told nobody: who opened
 * the connection waited for the connect timeout, and all who needed one to that server with it.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class ClosedWhileOpeningTest {

  /** As each of the two may be the faster. */
  private static final int CALLS = 1000;

  @Test
  void whoOpensIsToldAtOnce() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        CloseableHttpClient client =
            BlockingHttpClients.custom()
                .setConnectionManager(
                    BlockingConnectionManager.builder()
                        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
                        .setDefaultConnectionConfig(
                            ConnectionConfig.custom()
                                .setConnectTimeout(org.apache.hc.core5.util.Timeout.ofSeconds(20))
                                .build())
                        .build())
                .disableAutomaticRetries()
                .build()) {
      Thread.ofPlatform().daemon().start(() -> closeAll(server));
      URI uri = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
      for (int i = 0; i < CALLS; i++) {
        IOException told =
            assertThrows(
                IOException.class,
                () -> client.execute(new HttpGet(uri), response -> response.getCode()));
        assertFalse(told instanceof InterruptedIOException, () -> "a timeout: " + told);
      }
    }
  }

  private static void closeAll(ServerSocket server) {
    try {
      while (true) {
        server.accept().close();
      }
    } catch (IOException e) {
      return; // the test is over
    }
  }
}
