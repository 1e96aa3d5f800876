package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hc.core5.concurrent.Cancellable;
import org.glassfish.jersey.apache5.connector.Apache5ConnectorProvider;
import org.glassfish.jersey.apache5.connector.Apache5HttpClientBuilderConfigurator;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientRequest;
import org.glassfish.jersey.process.internal.RequestContext;
import org.glassfish.jersey.process.internal.RequestScope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What we know of Jersey's connector and it does not promise, in Jersey 3.1.11. */
@Timeout(60)
class JerseyInternalsTest {

  @Test
  void theConnectorPutsItsRequestIntoTheContextAndSendsOneThatCanBeCancelled() {
    AtomicReference<ClientRequest> request = new AtomicReference<>();
    AtomicReference<Cancellable> sent = new AtomicReference<>();
    Apache5HttpClientBuilderConfigurator look =
        builder ->
            builder.addExecInterceptorFirst(
                "look",
                (first, scope, chain) -> {
                  request.set(JerseyInternals.request(scope));
                  sent.set(JerseyInternals.cancellable(scope));
                  return chain.proceed(first, scope);
                });
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        Client client =
            ClientBuilder.newBuilder()
                .withConfig(new ClientConfig().connectorProvider(new Apache5ConnectorProvider()))
                .register(look)
                .build()) {
      assertEquals(200, client.target(server.uri(Script.ok())).request().get().getStatus());
      assertNotNull(request.get());
      assertNotNull(sent.get());
    }
  }

  @Test
  void aScopeThatIsShutDownSaysSo() {
    RequestScope scope =
        new RequestScope() {
          @Override
          public RequestContext createContext() {
            throw new AssertionError("it is not asked for");
          }
        };
    scope.shutdown();
    IllegalStateException thrown = assertThrows(IllegalStateException.class, scope::current);
    assertEquals(JerseySoakTest.SHUT_DOWN, thrown.getMessage());
  }
}
