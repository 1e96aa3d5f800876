package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code EntityUtils.consume} of a body that was long, or slow, cost the connection, and one that
 * was cut passed as whole.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class ConsumeTest {

  private static final int MIB = 1024 * 1024;

  private static CloseableHttpClient client(Wire wire) {
    return BlockingHttpClients.custom()
        .setConnectionManager(
            BlockingConnectionManager.builder()
                .setVersionPolicy(
                    wire.isMultiplexed()
                        ? HttpVersionPolicy.FORCE_HTTP_2
                        : HttpVersionPolicy.NEGOTIATE)
                .build())
        .build();
  }

  private static void consume(CloseableHttpClient client, URI uri) throws IOException {
    client.execute(
        new HttpGet(uri),
        response -> {
          EntityUtils.consume(response.getEntity());
          return null;
        });
  }

  /** On HTTP/2 a connection lives anyway; there the stream must not be reset. */
  private static void assertKept(FaultServer server, CloseableHttpClient client, URI... consumed)
      throws IOException {
    consume(client, server.uri(Script.ok()));
    assertEquals(1, server.connectionsAccepted());
    for (URI each : consumed) {
      assertTrue(server.seen(each).stream().noneMatch(seen -> seen.isAborted()));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aLongBodyIsReadToItsEnd(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = client(wire)) {
      URI known = server.uri(Script.ok().body(2 * MIB));
      URI chunked = server.uri(Script.ok().body(2 * MIB).chunked());
      consume(client, known);
      consume(client, chunked);
      assertKept(server, client, known, chunked);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aSlowBodyIsReadToItsEnd(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = client(wire)) {
      URI slow = server.uri(Script.ok().body(400).drip(100, Duration.ofMillis(60)));
      consume(client, slow);
      assertKept(server, client, slow);
    }
  }

  /** To close its stream is to consume a body; so does the client, where a handler reads a part. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void whatIsLeftIsReadWhenTheStreamIsClosed(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = client(wire)) {
      URI known = server.uri(Script.ok().body(MIB));
      URI chunked = server.uri(Script.ok().body(MIB).chunked());
      for (URI each : new URI[] {known, chunked}) {
        client.execute(
            new HttpGet(each),
            response -> {
              try (InputStream in = response.getEntity().getContent()) {
                return in.readNBytes(10).length;
              }
            });
        int bytes =
            client.execute(
                new HttpGet(each), r -> r.getEntity().getContent().readNBytes(10).length);
        assertEquals(10, bytes);
      }
      assertKept(server, client, known, chunked);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aBodyThatBreaksOffFails(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = client(wire)) {
      URI cut = server.uri(Script.ok().body(1_000).fault(Fault.CLOSE, 500));
      assertThrows(IOException.class, () -> consume(client, cut));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void theCallersOwnTimeoutEndsIt(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = client(wire)) {
      URI stalled = server.uri(Script.ok().body(1_000).fault(Fault.STALL, 500));
      HttpGet request = new HttpGet(stalled);
      request.setConfig(
          RequestConfig.custom().setResponseTimeout(100, TimeUnit.MILLISECONDS).build());
      assertThrows(
          SocketTimeoutException.class,
          () ->
              client.execute(
                  request,
                  response -> {
                    EntityUtils.consume(response.getEntity());
                    return null;
                  }));
      Threads.await("the server sees it", () -> server.seen(stalled).get(0).isAborted());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aBodyWithoutEndIsGivenUp(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = client(wire)) {
      for (Script each :
          new Script[] {Script.ok().body(1L << 40), Script.ok().body(1L << 40).chunked()}) {
        URI endless = server.uri(each);
        consume(client, endless);
        Threads.await("the server sees it", () -> server.seen(endless).get(0).isAborted());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void toCloseTheResponseStillAborts(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = client(wire)) {
      URI uri = server.uri(Script.ok().body(2 * MIB).drip(10_000, Duration.ofMillis(20)));
      try (ClassicHttpResponse response = client.executeOpen(null, new HttpGet(uri), null)) {
        assertEquals(200, response.getCode());
      }
      Threads.await("the server sees it", () -> server.seen(uri).get(0).isAborted());
    }
  }
}
