package io.heddle.jersey;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import jakarta.ws.rs.client.Client;
import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.WebTarget;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What docs/jersey.md says of targets: Jersey makes a runtime, with a connector, for some. */
@Timeout(60)
class TargetsTest {

  private final FaultServer server = FaultServer.start(Wire.HTTP_1_1);

  private int connectionsOfTwo(WebTarget... targets) {
    for (WebTarget each : targets) {
      each.request().get().close();
    }
    int connections = server.connectionsAccepted();
    server.close();
    return connections;
  }

  @Test
  void targetsOfOneClientShareItsConnections() {
    try (Client client = ClientBuilder.newClient()) {
      URI uri = server.uri(Script.ok());
      assertEquals(1, connectionsOfTwo(client.target(uri), client.target(uri)));
    }
  }

  @Test
  void oneWithSettingsOfItsOwnHasConnectionsOfItsOwn() {
    try (Client client = ClientBuilder.newClient()) {
      URI uri = server.uri(Script.ok());
      assertEquals(
          2, connectionsOfTwo(client.target(uri), client.target(uri).property("any", "value")));
    }
  }

  @Test
  void aRequestsSettingsCostNone() {
    try (Client client = ClientBuilder.newClient()) {
      URI uri = server.uri(Script.ok());
      client.target(uri).request().property("any", "value").get().close();
      assertEquals(1, connectionsOfTwo(client.target(uri)));
    }
  }
}
