package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A worker may read a response's body before its caller does: for platform callers over HTTP/1.1,
 * and over HTTP/2 before JDK 24. To the call it is as if the caller had read it.
 */
@Timeout(60)
class ReadAheadTest {

  private static final List<Thread.Builder> KINDS =
      List.of(Thread.ofVirtual(), Thread.ofPlatform());

  private static OkHttpClient.Builder settings(Wire wire) {
    return new OkHttpClient.Builder().protocols(KitClient.protocols(wire));
  }

  private static Request get(URI uri) {
    return new Request.Builder().url(uri.toString()).build();
  }

  private static int whole(OkHttpClient client, URI uri) throws IOException {
    try (Response response = client.newCall(get(uri)).execute()) {
      return response.body().bytes().length;
    }
  }

  private static URI stalls(FaultServer server, Script script) {
    return server.uri(script.body(10).fault(Script.Fault.STALL, 5));
  }

  /** The caller goes on when the worker has done all it can. */
  private static void toItsEnd(Runnable work) {
    try {
      Thread.ofVirtual().start(work).join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static OkHttpClient readingAhead(OkHttpClient.Builder settings) {
    return BlockingOkHttpClient.builder(settings.build()).workers(ReadAheadTest::toItsEnd).build();
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aRedirectWhoseOwnBodyStallsIsFollowed(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client = BlockingOkHttpClient.wrap(settings(wire).build());
      for (Thread.Builder kind : KINDS) {
        URI to = server.uri(Script.ok().body(7));
        URI from = stalls(server, Script.answer(302).header("Location", to.toString()));
        assertEquals(7, new Caller(kind, () -> whole(client, from)).result());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void anInterceptorMayGiveUpABodyAndProceedAgain(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      for (Thread.Builder kind : KINDS) {
        URI broken = stalls(server, Script.answer(503));
        URI mended = server.uri(Script.ok().body(7));
        OkHttpClient client =
            BlockingOkHttpClient.wrap(
                settings(wire)
                    .addInterceptor(
                        chain -> {
                          chain.proceed(chain.request()).close();
                          return chain.proceed(get(mended));
                        })
                    .build());
        assertEquals(7, new Caller(kind, () -> whole(client, broken)).result());
      }
    }
  }

  /** OkHttp decides on a follow-up, and tells of it, before a body is read. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void theEventsOfABodyComeAfterTheHeadIsThere(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      for (Thread.Builder kind : KINDS) {
        Events events = new Events();
        OkHttpClient client =
            readingAhead(
                settings(wire)
                    .eventListener(events)
                    .addNetworkInterceptor(
                        chain -> {
                          Response response = chain.proceed(chain.request());
                          assertEquals("responseHeadersEnd", events.last());
                          return response;
                        }));
        URI uri = server.uri(Script.ok().body(10));
        assertEquals(10, new Caller(kind, () -> whole(client, uri)).result());
        assertEquals("callEnd", events.last());
        assertTrue(events.has("responseBodyEnd"));
      }
    }
  }

  /** Who has read enough has not failed. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aBodyThatIsClosedWhileItStallsIsNoFailure(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      for (Thread.Builder kind : KINDS) {
        Events events = new Events();
        OkHttpClient client =
            BlockingOkHttpClient.wrap(settings(wire).eventListener(events).build());
        Request request = get(stalls(server, Script.ok()));
        new Caller(
                kind,
                () -> {
                  try (Response response = client.newCall(request).execute()) {
                    return response.body().source().readByteArray(5).length;
                  }
                })
            .result();
        assertEquals("callEnd", events.last());
        assertEquals(0, events.count("responseFailed"));
      }
    }
  }

  /** OkHttp hears of it before it has the response, and takes the call for ended. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aListenerIsToldOfABodyThatBreaks(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      for (Thread.Builder kind : KINDS) {
        Events events = new Events();
        OkHttpClient client = readingAhead(settings(wire).eventListener(events));
        URI cut = server.uri(Script.ok().body(10).fault(Script.Fault.CLOSE, 5));
        assertInstanceOf(IOException.class, new Caller(kind, () -> whole(client, cut)).failure());
        assertEquals("callFailed", events.last());
        assertEquals(0, events.count("callEnd"));
      }
    }
  }
}
