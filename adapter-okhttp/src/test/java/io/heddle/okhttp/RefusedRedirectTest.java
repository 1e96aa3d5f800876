package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.util.Objects;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.internal.http2.StreamResetException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server refuses the request that a redirect leads to, more often than OkHttp asks it again. Such
 * a call was seen to fail with REFUSED_STREAM, since what had been answered may not go again. It
 * goes on from where it was.
 */
@Timeout(60)
class RefusedRedirectTest {

  private static OkHttpClient client() {
    return BlockingOkHttpClient.wrap(
        new OkHttpClient.Builder().protocols(KitClient.protocols(Wire.H2C)).build());
  }

  private static URI redirect(FaultServer server, int status, URI target) {
    return server.uri(Script.answer(status).header("Location", target.toString()).body(10));
  }

  private static URI refused(FaultServer server, Script script, int times) {
    return server.uri(script.fault(Script.Fault.STREAM_REFUSED).times(times));
  }

  private static Request get(URI uri) {
    return new Request.Builder().url(uri.toString()).build();
  }

  /** What has led to a response; returns the last of that. */
  private static Response assertLed(Response response, URI first, URI second) {
    Response before = Objects.requireNonNull(response.priorResponse());
    assertEquals(second.toString(), before.request().url().toString());
    Response beforeThat = Objects.requireNonNull(before.priorResponse());
    assertEquals(first.toString(), beforeThat.request().url().toString());
    assertNull(beforeThat.priorResponse());
    return before;
  }

  @Test
  void aGetGoesOnFromWhereItWas() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      URI last = refused(server, Script.ok().body(100), 3);
      URI second = redirect(server, 302, last);
      URI first = redirect(server, 302, second);
      try (Response response =
          (Response) new Caller(() -> client().newCall(get(first)).execute()).result()) {
        assertEquals(100, response.body().bytes().length);
        Response before = assertLed(response, first, second);
        assertThrows(RuntimeException.class, () -> before.body().bytes());
      }
      assertEquals(1, server.seen(first).size());
      assertEquals(1, server.seen(second).size());
      assertEquals(4, server.seen(last).size());
    }
  }

  @Test
  void soDoesOneThatIsRefusedOnItsWayAndAtItsEnd() throws Exception {
    assumeTrue(ConversationTest.OKHTTP_5, "OkHttp 4 does not tell where a response leads");
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      URI last = refused(server, Script.ok().body(100), 3);
      URI second =
          refused(server, Script.answer(302).header("Location", last.toString()).body(10), 3);
      URI first = redirect(server, 302, second);
      try (Response response =
          (Response) new Caller(() -> client().newCall(get(first)).execute()).result()) {
        assertEquals(100, response.body().bytes().length);
        assertLed(response, first, second);
      }
      assertEquals(1, server.seen(first).size());
      assertEquals(4, server.seen(second).size());
      assertEquals(4, server.seen(last).size());
    }
  }

  @Test
  void aPostReachesEachServerOnce() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      URI last = refused(server, Script.ok().body(100), 3);
      URI first = redirect(server, 307, last);
      Request post =
          new Request.Builder()
              .url(first.toString())
              .post(RequestBody.create(new byte[1000]))
              .build();
      try (Response response =
          (Response) new Caller(() -> client().newCall(post).execute()).result()) {
        assertEquals(100, response.body().bytes().length);
      }
      assertEquals(1, server.seen(first).size());
      assertEquals(1000, server.seen(last).get(3).bodyBytes());
    }
  }

  /** An interceptor of a rebuilt client, behind ours, would run again, for the other server. */
  @Test
  void credentialsOfARebuiltClientGoToNobodyElse() throws Exception {
    OkHttpClient rebuilt =
        client()
            .newBuilder()
            .addInterceptor(
                chain ->
                    chain.proceed(
                        chain.request().newBuilder().header("Authorization", "secret").build()))
            .build();
    try (FaultServer server = FaultServer.start(Wire.H2C);
        FaultServer other = FaultServer.start(Wire.H2C)) {
      URI last = refused(other, Script.ok().body(100), 3);
      URI first = redirect(server, 302, last);
      new Caller(
              () -> {
                try (Response response = rebuilt.newCall(get(first)).execute()) {
                  return response.code();
                } catch (StreamResetException e) {
                  return e.errorCode; // as in OkHttp
                }
              })
          .result();
      assertEquals("secret", server.seen(first).get(0).header("Authorization"));
      assertFalse(other.seen(last).isEmpty());
      other.seen(last).forEach(each -> assertNull(each.header("Authorization")));
    }
  }

  /** What is refused for ever fails, and is not asked from the start. */
  @Test
  void aServerThatAlwaysRefusesIsToldOf() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      URI last = server.uri(Script.ok().fault(Script.Fault.STREAM_REFUSED));
      URI first = redirect(server, 302, last);
      assertThrows(
          StreamResetException.class,
          () -> {
            try (Response response = client().newCall(get(first)).execute()) {
              throw new IOException("answered with " + response.code());
            }
          });
      assertEquals(1, server.seen(first).size());
    }
  }
}
