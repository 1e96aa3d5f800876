package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A header that cannot be sent over HTTP/2: the engine reset the stream that it had not opened, and
 * the server ended the connection, with all calls on it.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class UnsendableHeaderTest {

  @ParameterizedTest
  @CsvSource({"X-A, a\\nX-B: b", "X A, a", ":x, a"})
  void failsItsCallAndNoOther(String name, String value) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        CloseableHttpClient client = client()) {
      URI slow = server.uri(Script.ok().delay(Duration.ofMillis(500)));
      Callable<Integer> call =
          () -> client.execute(new HttpGet(slow), ClassicHttpResponse::getCode);
      FutureTask<Integer> sibling = new FutureTask<>(call);
      Thread.ofVirtual().start(sibling);
      while (server.seen(slow).isEmpty()) {
        Thread.sleep(2);
      }
      URI uri = server.uri(Script.ok());
      HttpGet get = new HttpGet(uri);
      get.addHeader(name, value.replace("\\n", "\n"));
      assertThrows(ClientProtocolException.class, () -> client.execute(get, response -> null));
      assertEquals(200, (int) sibling.get(20, TimeUnit.SECONDS));
      assertEquals(200, (int) client.execute(new HttpGet(uri), ClassicHttpResponse::getCode));
      assertEquals(1, server.seen(uri).size());
      assertEquals(1, server.connectionsAccepted());
    }
  }

  private static CloseableHttpClient client() {
    return BlockingHttpClients.custom()
        .setConnectionManager(
            BlockingConnectionManager.builder()
                .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
                .build())
        .build();
  }
}
