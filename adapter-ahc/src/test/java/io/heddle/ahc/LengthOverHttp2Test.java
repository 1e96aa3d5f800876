package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.URI;
import java.util.concurrent.ExecutionException;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A body that is not as long as its Content-Length is no body: RFC 9113, 8.1.1. */
@Timeout(60)
class LengthOverHttp2Test {

  @Test
  void bodyThatIsNotAsLongAsDeclared() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client =
            new BlockingAhcClient(Dsl.config().setHttp2CleartextEnabled(true).build())) {
      for (int length : new int[] {0, 500, 2000}) { // 0: the head ends the stream
        Script script = Script.ok().length(1000).body(length);
        URI uri = server.uri(length == 0 ? script.bodiless() : script);
        Request request = Dsl.get(uri.toString()).build();
        assertThrows(ProtocolException.class, () -> client.execute(request), length + " bytes");
        assertThrows(
            IOException.class,
            () -> {
              try (StreamingResponse response = client.stream(request)) {
                response.getBodyAsStream().readAllBytes();
              }
            },
            length + " bytes");
        assertThrows(
            ExecutionException.class, () -> client.executeRequest(request).get(), length + "");
      }
      String right = server.uri(Script.ok().body(1000)).toString();
      assertEquals(1000, client.execute(Dsl.get(right).build()).getResponseBodyAsBytes().length);
      assertEquals(200, client.execute(Dsl.head(right).build()).getStatusCode());
      String unchanged = server.uri(Script.answer(304).header("content-length", "1000")).toString();
      assertEquals(304, client.execute(Dsl.get(unchanged).build()).getStatusCode());
      assertEquals(1, server.connectionsAccepted());
    }
  }
}
