package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The target of a redirect refuses a POST, whose origin has taken it: it got it again. */
@Timeout(60)
class RedirectedPostTest {

  /** JDK 21 drops the reason of a reset that comes before it has noted the end of the body. */
  private static final Duration NOTED = Duration.ofMillis(50);

  static List<BodyPublisher> bodies() {
    return List.of(BodyPublishers.noBody(), BodyPublishers.ofString("body"));
  }

  static List<Arguments> redirects() {
    return bodies().stream()
        .flatMap(body -> Stream.of(arguments(307, body), arguments(303, body)))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("redirects")
  void itsOriginGetsItOnce(int status, BodyPublisher body) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        BlockingJdkHttpClient client = client()) {
      Script refuses = Script.ok().delay(NOTED).fault(Fault.STREAM_REFUSED);
      URI target = server.uri(refuses);
      URI first = server.uri(Script.answer(status).header("Location", target.toString()));
      IOException refused =
          assertThrows(
              IOException.class,
              () -> client.send(request(first).POST(body).build(), BodyHandlers.discarding()));
      assertTrue(JdkInternals.wasNotProcessed(refused), refused::toString);
      assertEquals(1, server.seen(first).size(), "times sent");
    }
  }

  /** It may go again as often as before: nothing of it was processed. */
  @ParameterizedTest
  @MethodSource("bodies")
  @EnabledForJreRange(
      min = JRE.JAVA_24,
      max = JRE.JAVA_25) // else one cannot tell it from the above
  void oneThatIsRefusedItselfGoesAgain(BodyPublisher body) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        BlockingJdkHttpClient client = client()) {
      URI uri = server.uri(Script.ok().fault(Fault.STREAM_REFUSED).times(5));
      assertEquals(
          200,
          client.send(request(uri).POST(body).build(), BodyHandlers.discarding()).statusCode());
      assertEquals(6, server.seen(uri).size());
    }
  }

  /** The server allows fewer streams by then. */
  @ParameterizedTest
  @ValueSource(ints = {307, 303})
  void norIfThereIsNoStreamForItsTarget(int status) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient wrapped = stock(Wire.H2_TLS).followRedirects(HttpClient.Redirect.ALWAYS).build();
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(wrapped);
      URI stalled = server.uri(Script.ok().fault(Fault.STALL));
      for (int i = 0; i < 3; i++) {
        var unused = client.sendAsync(request(stalled).build(), BodyHandlers.discarding());
      }
      Clients.await("three streams are taken", () -> server.seen(stalled).size() == 3);
      URI target = server.uri(Script.ok());
      URI first =
          server.uri(
              Script.answer(status).header("Location", target.toString()).fault(Fault.STALL));
      CompletableFuture<?> call =
          Clients.start(
              () ->
                  client.send(
                      request(first).POST(BodyPublishers.ofString("body")).build(),
                      BodyHandlers.discarding()));
      Clients.await("a fourth", () -> !server.seen(first).isEmpty());
      server.maxStreams(3);
      Clients.await("the client knows", () -> isRefused(wrapped, target));
      server.seen(first).getFirst().release();
      Throwable thrown = Clients.failure(call);
      assertTrue(
          thrown instanceof IOException refused && JdkInternals.hadNoStream(refused),
          thrown::toString);
      assertEquals(1, server.seen(first).size(), "times sent");
      client.shutdownNow();
    }
  }

  private static boolean isRefused(HttpClient client, URI uri) {
    try {
      client.send(request(uri).build(), BodyHandlers.discarding());
      return false;
    } catch (IOException e) {
      return JdkInternals.hadNoStream(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static BlockingJdkHttpClient client() {
    return BlockingJdkHttpClient.wrap(
        stock(Wire.H2_TLS).followRedirects(HttpClient.Redirect.ALWAYS).build());
  }
}
