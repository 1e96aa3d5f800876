package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URI;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An idle connection kept its last request alive, and with it what that had sent. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class IdleConnectionTest {

  /** Sends some MiB, and forgets them. */
  private static WeakReference<byte[]> post(CloseableHttpClient client, URI uri)
      throws IOException {
    byte[] content = new byte[4 * 1024 * 1024];
    HttpPost request = new HttpPost(uri);
    request.setEntity(new ByteArrayEntity(content, null));
    client.execute(
        request,
        response -> {
          EntityUtils.consume(response.getEntity());
          return null;
        });
    return new WeakReference<>(content);
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void whatWasSentCanBeForgotten(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            BlockingHttpClients.custom()
                .setConnectionManager(
                    BlockingConnectionManager.builder()
                        .setVersionPolicy(
                            wire.isMultiplexed()
                                ? HttpVersionPolicy.FORCE_HTTP_2
                                : HttpVersionPolicy.NEGOTIATE)
                        .build())
                .build()) {
      WeakReference<byte[]> sent = post(client, server.uri(Script.ok().body(100)));
      Threads.await(
          "nobody holds it",
          () -> {
            System.gc();
            return sent.refersTo(null);
          });
      assertEquals(1, server.connectionsOpen(), "the connection idles");
    }
  }
}
