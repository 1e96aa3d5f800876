package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.client.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A total timeout of 20.9 ms was seen to end calls after 20 ms and some. */
@Timeout(60)
class NeverTooEarlyTest {

  @Test
  void aTotalTimeoutOfAFractionOfAMillisecond() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      BlockingJettyClient client = new BlockingJettyClient();
      client.start();
      try {
        for (int i = 0; i < 40; i++) {
          Request request =
              client
                  .newRequest(server.uri(Script.ok().fault(Fault.STALL)))
                  .timeout(20_900, TimeUnit.MICROSECONDS);
          long start = System.nanoTime();
          assertThrows(TimeoutException.class, request::send);
          long waited = System.nanoTime() - start;
          assertTrue(waited >= 20_900_000, waited + " ns");
        }
      } finally {
        client.stop();
      }
    }
  }
}
