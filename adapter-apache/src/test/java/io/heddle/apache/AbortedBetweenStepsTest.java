package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A request is aborted once it has its connection, and before it is sent: that was told as {@code
 * IllegalStateException: Endpoint not acquired / already released}.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class AbortedBetweenStepsTest {
  private static final org.apache.hc.core5.util.Timeout NO_DEADLINE =
      org.apache.hc.core5.util.Timeout.DISABLED;

  @Test
  void isToldAsAnAbort() throws Exception {
    assertToldAsAnAbort(BlockingHttpClients.custom());
  }

  @Test
  void isToldAsAnAbortWhereAFrameworkMadeTheBuilder() throws Exception {
    HttpClientBuilder builder =
        HttpClientBuilder.create()
            .setConnectionManager(BlockingConnectionManager.builder().build());
    assertToldAsAnAbort(BlockingHttpClients.prepare(builder, NO_DEADLINE));
  }

  private static void assertToldAsAnAbort(HttpClientBuilder builder) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok());
      HttpGet request = new HttpGet(uri);
      try (CloseableHttpClient client =
          builder
              .addExecInterceptorLast(
                  "aborts",
                  (sent, scope, chain) -> {
                    request.cancel();
                    return chain.proceed(sent, scope);
                  })
              .build()) {
        assertThrows(
            RequestFailedException.class,
            () -> client.execute(request, response -> response.getCode()));
        assertEquals(0, server.seen(uri).size(), "times sent");
      }
    }
  }
}
