package io.heddle.ahc;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import org.asynchttpclient.Dsl;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Makes one call, so that the descriptors that the JDK opens once are open before a leak check. */
final class WarmUp implements BeforeAllCallback {

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingAhcClient client = new BlockingAhcClient()) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
    }
  }
}
