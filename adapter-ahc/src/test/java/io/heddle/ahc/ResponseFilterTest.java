package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.asynchttpclient.exception.FilterException;
import org.asynchttpclient.filter.FilterContext;
import org.asynchttpclient.filter.ResponseFilter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A response filter has its request sent again, to another address, or refuses the response. */
@Timeout(60)
class ResponseFilterTest {

  private static final int LENGTH = 300_000;

  private static final Duration SOON = Duration.ofSeconds(10);

  /** Sends what was answered with this field to the address that it names. */
  private static final class Replay implements ResponseFilter {
    @Override
    public <T> FilterContext<T> filter(FilterContext<T> context) throws FilterException {
      if (context.getResponseHeaders().contains("X-Refuse")) {
        throw new FilterException("refused");
      }
      String next = context.getResponseHeaders().get("X-Next");
      return next == null
          ? context
          : new FilterContext.FilterContextBuilder<>(context)
              .request(context.getRequest().toBuilder().setUrl(next).build())
              .replayRequest(true)
              .build();
    }
  }

  @FunctionalInterface
  private interface Check {
    void run(BlockingAhcClient client, FaultServer server) throws Exception;
  }

  private static void withFilter(Wire wire, Check check) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setHttp2CleartextEnabled(wire == Wire.H2C)
                    .addResponseFilter(new Replay())
                    .build())) {
      check.run(client, server);
      assertEquals(0, client.inFlight());
    }
  }

  /** Whatever the first answer is: with a body or without, good or bad. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void replayed(Wire wire) throws Exception {
    withFilter(
        wire,
        (client, server) -> {
          for (int status : new int[] {200, 204, 302, 503}) {
            for (long body : new long[] {0, 10, LENGTH}) {
              URI target = server.uri(Script.ok().body(100));
              Script first = Script.answer(status).header("X-Next", target.toString());
              URI uri = server.uri(status == 204 ? first : first.body(body));
              Request get = Dsl.get(uri.toString()).build();
              String of = status + " with " + body + " bytes";
              Response response = client.execute(get, SOON);
              assertEquals(200, response.getStatusCode(), of);
              assertEquals(100, response.getResponseBodyAsBytes().length, of);
              try (StreamingResponse stream = client.stream(get, SOON)) {
                assertEquals(200, stream.getStatusCode(), of);
                assertEquals(100, stream.getBodyAsStream().readAllBytes().length, of);
              }
              assertEquals(
                  100, client.executeRequest(get).get().getResponseBodyAsBytes().length, of);
              assertEquals(3, server.seen(uri).size(), of);
              assertEquals(3, server.seen(target).size(), of);
            }
          }
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void bodyIsSentAgain(Wire wire) throws Exception {
    withFilter(
        wire,
        (client, server) -> {
          for (int status : new int[] {200, 503}) {
            URI target = server.uri(Script.ok());
            URI uri = server.uri(Script.answer(status).header("X-Next", target.toString()));
            InputStream stream = new ByteArrayInputStream(new byte[LENGTH]);
            Request post = Dsl.post(uri.toString()).setBody(stream).build();
            assertEquals(200, client.execute(post, SOON).getStatusCode());
            assertTrue(server.seen(target).get(0).isBodyComplete());
            assertEquals(LENGTH, server.seen(target).get(0).bodyBytes());
          }
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void bodyThatCannotBe(Wire wire) throws Exception {
    withFilter(
        wire,
        (client, server) -> {
          URI target = server.uri(Script.ok());
          URI uri = server.uri(Script.ok().header("X-Next", target.toString()));
          InputStream once =
              new FilterInputStream(new ByteArrayInputStream(new byte[LENGTH])) {
                @Override
                public boolean markSupported() {
                  return false;
                }
              };
          Request post = Dsl.post(uri.toString()).setBody(once).build();
          IOException failure = assertThrows(IOException.class, () -> client.execute(post, SOON));
          assertEquals(
              "the request body was read once, and cannot be sent again", failure.getMessage());
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void refused(Wire wire) throws Exception {
    withFilter(
        wire,
        (client, server) -> {
          for (long body : new long[] {0, LENGTH}) {
            Request get =
                Dsl.get(server.uri(Script.ok().header("X-Refuse", "1").body(body)).toString())
                    .build();
            IOException failure = assertThrows(IOException.class, () -> client.execute(get, SOON));
            assertInstanceOf(FilterException.class, failure.getCause());
            Request other = Dsl.get(server.uri(Script.ok()).toString()).build();
            assertEquals(200, client.execute(other, SOON).getStatusCode());
          }
        });
  }
}
