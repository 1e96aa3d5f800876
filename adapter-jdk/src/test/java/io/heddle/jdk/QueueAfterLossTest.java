package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Calls that lose their connection wait for another. The time for that counted from the begin of
 * the call: none of it was left where the answer took longer.
 */
@Timeout(60)
class QueueAfterLossTest {

  @Test
  void theyHaveTheWholeTimeAgain() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        BlockingJdkHttpClient client =
            BlockingJdkHttpClient.builder(stock(Wire.H2_TLS).build())
                .queueTimeout(Duration.ofSeconds(3))
                .build()) {
      HttpRequest warm = request(server.uri(Script.ok())).build();
      client.send(warm, BodyHandlers.discarding());
      Script lost = Script.ok().delay(Duration.ofSeconds(4)).fault(Fault.RESET).once();
      HttpRequest get = request(server.uri(lost)).build();
      assertEquals(
          List.of(), Clients.together(10, () -> client.send(get, BodyHandlers.discarding())));
    }
  }
}
