package io.heddle.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a user's body handler throws, say as it makes a call of its own that fails, says nothing of
 * the call that it is a part of, which has its response.
 */
@Timeout(60)
class HandlerThatFailsTest {

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void itsCallIsNotSentAgain(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient client = BlockingJdkHttpClient.wrap(Clients.stock(wire).build())) {
      URI uri = server.uri(Script.ok().body(10));
      HttpRequest request = Clients.request(uri).build();
      IOException others = new IOException("too many concurrent streams");
      assertThrows(
          IOException.class,
          () ->
              client.send(
                  request,
                  info -> {
                    throw new UncheckedIOException(others);
                  }));
      assertEquals(1, server.seen(uri).size());
    }
  }
}
