package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import feign.Feign;
import feign.FeignException;
import feign.Request;
import feign.RequestLine;
import feign.Response;
import feign.Retryer;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Feign, which rebuilds the client that it is given where its own timeouts differ. */
@Timeout(60)
class FeignTest {

  interface Loom {
    @RequestLine("GET")
    byte[] get(URI uri);

    @RequestLine("GET")
    Response stream(URI uri);

    @RequestLine("POST")
    byte[] post(URI uri, byte[] body);
  }

  private final Set<String> ranOn = ConcurrentHashMap.newKeySet();

  private OkHttpClient client(Wire wire) {
    return BlockingOkHttpClient.wrap(
        new OkHttpClient.Builder()
            .protocols(KitClient.protocols(wire))
            .addInterceptor(
                chain -> {
                  ranOn.add(Thread.currentThread().getName());
                  return AbandonedCallsTest.slow(chain);
                })
            .build());
  }

  /**
   * Feign over a client.
   *
   * @param readTimeout other than the client's own, so that Feign rebuilds it
   */
  private static Loom loom(OkHttpClient client, Duration readTimeout) {
    assertNotEquals(client.readTimeoutMillis(), readTimeout.toMillis());
    Duration connectTimeout = Duration.ofMillis(client.connectTimeoutMillis());
    return Feign.builder()
        .client(new feign.okhttp.OkHttpClient(client))
        .options(new Request.Options(connectTimeout, readTimeout, true))
        .retryer(Retryer.NEVER_RETRY)
        .target(Loom.class, "http://localhost");
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void itsCallsRunOnTheirCaller(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client = client(wire);
      Loom loom = loom(client, Duration.ofSeconds(30));
      new Caller(
              () -> {
                assertEquals(1000, loom.get(server.uri(Script.ok().body(1000))).length);
                assertEquals(10, loom.post(server.uri(Script.ok().body(10)), new byte[500]).length);
                try (Response response = loom.stream(server.uri(Script.ok().body(1_000_000)));
                    InputStream body = response.body().asInputStream()) {
                  return body.readAllBytes().length;
                }
              })
          .result();
      assertEquals(Set.of("caller"), ranOn);
      AbandonedCallsTest.awaitIdle(client);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void theConnectionOfACallThatIsInterruptedComesBack(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client = client(wire);
      Loom loom = loom(client, Duration.ofSeconds(30));
      Script inHead = Script.ok().fault(Script.Fault.STALL);
      Script inBody = Script.ok().body(1000).fault(Script.Fault.STALL, 500);
      for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
        for (Script script : List.of(inHead, inBody)) {
          URI uri = server.uri(script);
          Caller caller = new Caller(kind, () -> loom.get(uri));
          ExecuteTest.await(
              () -> server.seen(uri).size() == 1 && server.seen(uri).get(0).isStalled());
          caller.thread().interrupt();
          Throwable failure = assertInstanceOf(FeignException.class, caller.failure());
          assertInstanceOf(InterruptedIOException.class, failure.getCause());
          AbandonedCallsTest.awaitIdle(client);
        }
      }
    }
  }
}
