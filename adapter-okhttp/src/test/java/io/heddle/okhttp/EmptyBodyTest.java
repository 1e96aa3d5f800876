package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.internal.http2.StreamResetException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A response of HTTP/2 declares a length of 0, and the end of its stream comes later. OkHttp gives
 * the connection back as soon as it has the head, and closes it if it needs it no more: the server
 * has announced its end, or the pool keeps none. A body that was read after that was seen to fail
 * with "Socket closed" or "stream was reset: CANCEL", although nothing of it is missing.
 */
@Timeout(60)
class EmptyBodyTest {

  /** The pool keeps no connection, so each is closed when its last call gives it back. */
  private static OkHttpClient.Builder settings(Wire wire) {
    return KitClient.settings(wire).connectionPool(new ConnectionPool(0, 1, TimeUnit.MINUTES));
  }

  private static int read(OkHttpClient client, String method, URI uri) throws IOException {
    Request request = new Request.Builder().url(uri.toString()).method(method, null).build();
    try (Response response = client.newCall(request).execute()) {
      return response.body().bytes().length;
    }
  }

  /** Says how long the body is, which is over then, and no more. */
  private static URI headOnly(FaultServer server) {
    return server.uri(Script.ok().body(0).fault(Script.Fault.STALL, 0));
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"H2C", "H2_TLS"})
  void isWholeWhenOkHttpHasClosedItsConnection(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client = BlockingOkHttpClient.wrap(settings(wire).build());
      for (Thread.Builder caller : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
        for (String method : List.of("GET", "HEAD")) {
          assertEquals(
              0, new Caller(caller, () -> read(client, method, headOnly(server))).result(), method);
        }
      }
    }
  }

  /** A canary: OkHttp's own client fails there. If it does not any more, neither need we look. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"H2C", "H2_TLS"})
  void failsInOkHttp(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient stock = settings(wire).build();
      Throwable failure =
          new Caller(Thread.ofPlatform(), () -> read(stock, "GET", headOnly(server))).failure();
      assertTrue(OkHttpInternals.isOfConnection(assertInstanceOf(IOException.class, failure)));
    }
  }

  /** What the server says of the stream, and what a reader says of its time, is still told. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"H2C", "H2_TLS"})
  void failsAsTheServerOrItsReaderHasIt(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              settings(wire)
                  .connectionPool(new ConnectionPool())
                  .readTimeout(Duration.ofMillis(200))
                  .build());
      OkHttpClient patient = client.newBuilder().readTimeout(Duration.ofSeconds(20)).build();
      URI first = server.uri(Script.ok().body(10));
      assertEquals(10, read(patient, "GET", first), "the handshake takes its time");
      URI reset = server.uri(Script.ok().body(0).fault(Script.Fault.STREAM_RESET, 0));
      assertInstanceOf(
          StreamResetException.class, new Caller(() -> read(patient, "GET", reset)).failure());
      assertInstanceOf(
          SocketTimeoutException.class,
          new Caller(() -> read(client, "GET", headOnly(server))).failure());
    }
  }
}
