package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A source that fails after its last byte, of a request that the engine has ended by then. The
 * exchange went on, with its connection and its place, though nobody waited for it.
 */
@Timeout(60)
class LateSourceTest {

  private static final int LENGTH = 10_000;

  enum Answer {
    NONE,
    LONG
  }

  @ParameterizedTest
  @EnumSource
  void theExchangeEnds(Answer answer) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setReadTimeout(Duration.ofSeconds(60))
                    .setRequestTimeout(Duration.ofSeconds(60))
                    .build())) {
      Script script =
          answer == Answer.NONE
              ? Script.ok().delay(Duration.ofSeconds(60))
              : Script.ok().body(20_000_000);
      URI uri = server.uri(script);
      IOException torn = new IOException("the warp is torn");
      WrittenBody source =
          new WrittenBody(
              out -> {
                out.write(new byte[LENGTH]);
                out.flush();
                while (!server.seen(uri).stream().anyMatch(Seen::isBodyComplete)) {
                  sleep(5);
                }
                sleep(100); // and the engine has closed the body
                throw torn;
              },
              LENGTH);
      Request post = Dsl.post(uri.toString()).setBody(source).build();
      assertSame(torn, assertThrows(IOException.class, () -> client.stream(post)));
      for (int i = 0; client.inFlight() > 0 && i < 400; i++) {
        sleep(5);
      }
      assertEquals(0, client.inFlight());
      List<Seen> seen = server.seen(uri);
      for (int i = 0; !seen.get(0).isAborted() && i < 400; i++) {
        sleep(5);
      }
      assertTrue(seen.get(0).isAborted(), "the server sees that nobody wants the answer");
    }
  }

  private static void sleep(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
