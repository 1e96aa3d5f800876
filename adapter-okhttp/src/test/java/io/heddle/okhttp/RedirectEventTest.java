package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.RecordedCalls;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.ProtocolException;
import java.net.URI;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A call that is redirected is one call, whose event tells how all of it ended. */
@Timeout(60)
class RedirectEventTest {

  /** None, one read, and more than a window. */
  private static final List<Integer> LENGTHS = List.of(0, 1000, 100_000);

  private static final Interceptor PASSES = chain -> chain.proceed(chain.request());

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void theEventOfARedirectedCallIsOfItsLastResponse(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      String target = server.uri(Script.ok().body(100)).toString();
      Script redirect = Script.answer(302).header("Location", target).body(100_000);
      List<String> ends =
          endsOf(
              client(wire, PASSES),
              Stream.of(server.uri(redirect)),
              response -> response.body().bytes());
      assertEquals(List.of("200 completed", "200 completed"), ends);
    }
  }

  /** The worker that read the body of the first response has no say in how the call ended. */
  @Test
  void theEventOfACallThatIsRedirectedToAnotherWireIsOfItsLastResponse() throws Exception {
    try (FaultServer secure = FaultServer.start(Wire.H2_TLS);
        FaultServer plain = FaultServer.start(Wire.HTTP_1_1)) {
      OkHttpClient.Builder settings = new OkHttpClient.Builder();
      KitClient.trust(settings, FaultServer.certificate());
      OkHttpClient client = BlockingOkHttpClient.wrap(settings.build());
      String target = plain.uri(Script.ok().body(100_000)).toString();
      URI redirect = secure.uri(Script.answer(302).header("Location", target).body(100_000));
      assertEquals(
          List.of("200 completed", "200 completed"),
          endsOf(client, Stream.of(redirect), response -> response.body().bytes()));
      assertEquals(
          List.of("200 closed", "200 closed"), endsOf(client, Stream.of(redirect), Response::code));
    }
  }

  /** OkHttp does not hold a body over HTTP/2 against a length that is too long; Heddle does. */
  @Test
  void theEventOfABodyThatIsTooShortIsNoSuccess() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      List<String> ends =
          endsOf(
              client(Wire.H2C, PASSES),
              LENGTHS.stream().map(each -> server.uri(Script.ok().body(each).length(each + 1L))),
              response -> assertThrows(ProtocolException.class, response.body()::bytes));
      assertEquals(Collections.nCopies(6, "200 failed"), ends);
    }
  }

  /** Where an interceptor has read it, nobody else will. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void theEventOfABodyThatAnInterceptorHasReadIsOne(Wire wire) throws Exception {
    Interceptor reads =
        chain -> {
          Response its = chain.proceed(chain.request());
          ResponseBody read = ResponseBody.create(its.body().bytes(), null);
          return its.newBuilder().body(read).build();
        };
    try (FaultServer server = FaultServer.start(wire)) {
      List<String> ends =
          endsOf(
              client(wire, reads),
              LENGTHS.stream().map(each -> server.uri(Script.ok().body(each))),
              Response::code);
      assertEquals(Collections.nCopies(6, "200 completed"), ends);
    }
  }

  /** The body that the server sent is closed unread, as there is none. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void theEventOfAResponseThatIsReplacedIsOne(Wire wire) throws Exception {
    Interceptor replaces =
        chain -> {
          Response its = chain.proceed(chain.request());
          its.close();
          return its.newBuilder().body(ResponseBody.create("its own", null)).build();
        };
    try (FaultServer server = FaultServer.start(wire)) {
      List<String> ends =
          endsOf(
              client(wire, replaces),
              Stream.of(server.uri(Script.answer(304))),
              response -> response.body().string());
      assertEquals(List.of("304 completed", "304 completed"), ends);
    }
  }

  private interface Use {
    Object of(Response response) throws Exception;
  }

  private static OkHttpClient client(Wire wire, Interceptor interceptor) {
    return BlockingOkHttpClient.wrap(
        new OkHttpClient.Builder()
            .protocols(KitClient.protocols(wire))
            .addInterceptor(interceptor)
            .build());
  }

  /** How the calls of these have ended, each made on a virtual thread and on one that is not. */
  private static List<String> endsOf(OkHttpClient client, Stream<URI> uris, Use use)
      throws Exception {
    List<URI> all = uris.toList();
    try (RecordedCalls recorded = RecordedCalls.start()) {
      for (URI uri : all) {
        Request get = new Request.Builder().url(uri.toString()).build();
        for (Thread.Builder caller : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
          new Caller(
                  caller,
                  () -> {
                    try (Response response = client.newCall(get).execute()) {
                      return use.of(response);
                    }
                  })
              .result();
        }
      }
      return recorded.ends(all.get(0));
    }
  }
}
