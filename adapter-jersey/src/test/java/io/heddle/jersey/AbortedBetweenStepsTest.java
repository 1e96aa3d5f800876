package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.glassfish.jersey.apache5.connector.Apache5HttpClientBuilderConfigurator;
import org.glassfish.jersey.client.ClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A call is cancelled once it has its connection, and before it is sent: that was told as {@code
 * IllegalStateException: Endpoint not acquired / already released}.
 */
@Timeout(60)
class AbortedBetweenStepsTest {

  @Test
  void isToldAsAnAbort() throws Exception {
    CompletableFuture<Void> cancellation = new CompletableFuture<>();
    Apache5HttpClientBuilderConfigurator aborts =
        builder ->
            builder.addExecInterceptorLast(
                "aborts",
                (sent, scope, chain) -> {
                  cancellation.complete(null);
                  return chain.proceed(sent, scope);
                });
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Client client = ClientBuilder.newClient(new ClientConfig().register(aborts))) {
      URI uri = server.uri(Script.ok());
      ProcessingException failure =
          assertThrows(
              ProcessingException.class,
              () ->
                  client
                      .target(uri)
                      .request()
                      .property(HeddleConnectorProvider.CANCELLATION, cancellation)
                      .get());
      assertInstanceOf(RequestFailedException.class, failure.getCause());
      assertEquals(0, server.seen(uri).size(), "times sent");
    }
  }
}
