package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.request.body.generator.InputStreamBodyGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A source that takes its time after its last byte, or fails then: over HTTP/1.1 the engine has
 * ended the request by then, over HTTP/2 it has not.
 */
@Timeout(60)
class LateSourceTest {

  private static final int LENGTH = 10_000;
  private static final int CALLS = 300;

  enum Answer {
    NONE,
    LONG
  }

  /** It went on, with its connection and its place, though nobody waited for it. */
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
      awaitOrNot(() -> client.inFlight() == 0);
      assertEquals(0, client.inFlight());
      List<Seen> seen = server.seen(uri);
      awaitOrNot(seen.get(0)::isAborted);
      assertTrue(seen.get(0).isAborted(), "the server sees that nobody wants the answer");
    }
  }

  /** While the caller writes, it is not the server that is silent. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void theReadTimeoutDoesNotCountTheSource(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setHttp2CleartextEnabled(wire == Wire.H2C)
                    .setReadTimeout(Duration.ofSeconds(1))
                    .build())) {
      WrittenBody source =
          new WrittenBody(
              out -> {
                out.write(new byte[LENGTH]);
                out.flush();
                sleep(3500);
              },
              LENGTH);
      URI uri = server.uri(Script.ok());
      assertEquals(
          200,
          client
              .executeRequest(Dsl.post(uri.toString()).setBody(source).build())
              .get()
              .getStatusCode());
    }
  }

  /** The engine has nothing to wait for, and may be first. */
  @Test
  void aSourceOfNoBytesIsAsked() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingAhcClient client = new BlockingAhcClient(Dsl.config().build())) {
      AtomicInteger closed = new AtomicInteger();
      for (int i = 0; i < CALLS; i++) {
        InputStream source =
            new ByteArrayInputStream(new byte[0]) {
              @Override
              public void close() {
                closed.incrementAndGet();
              }
            };
        Request post =
            Dsl.post(server.uri(Script.ok()).toString())
                .setBody(new InputStreamBodyGenerator(source, 0))
                .build();
        assertEquals(200, client.executeRequest(post).get().getStatusCode());
      }
      awaitOrNot(() -> closed.get() == CALLS);
      assertEquals(CALLS, closed.get());
    }
  }

  /** Gives it 2 s. */
  private static void awaitOrNot(BooleanSupplier condition) {
    for (int i = 0; !condition.getAsBoolean() && i < 400; i++) {
      sleep(5);
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
