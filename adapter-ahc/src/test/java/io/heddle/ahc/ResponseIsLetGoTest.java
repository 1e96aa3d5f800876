package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.lang.ref.WeakReference;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Response;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection kept the call that had opened it, with its response, for as long as it was open. */
@Timeout(60)
class ResponseIsLetGoTest {

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void byItsConnection(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config().setHttp2CleartextEnabled(wire == Wire.H2C).build())) {
      String uri = server.uri(Script.ok().body(1000)).toString();
      WeakReference<Response> response = new WeakReference<>(client.execute(Dsl.get(uri).build()));
      for (int i = 0; i < 200 && response.get() != null; i++) {
        System.gc();
        Thread.sleep(20); // the timer lets go of its timeouts at its next tick
      }
      assertNull(response.get());
      assertEquals(1, server.connectionsOpen());
    }
  }
}
