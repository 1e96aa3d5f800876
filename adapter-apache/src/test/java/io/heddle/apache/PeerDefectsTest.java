package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.HttpHostConnectException;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What goes wrong with Apache's own bridge, {@code HttpAsyncClients.classic(..)} of 5.6.5, one test
 * for each: here it goes right.
 */
@org.junit.jupiter.api.Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class PeerDefectsTest {

  private BlockingConnectionManager manager = BlockingConnectionManager.builder().build();

  @AfterEach
  void close() {
    manager.close(CloseMode.IMMEDIATE);
  }

  private HttpClientBuilder builder(Wire wire) {
    manager =
        BlockingConnectionManager.builder()
            .setVersionPolicy(
                wire.isMultiplexed() ? HttpVersionPolicy.FORCE_HTTP_2 : HttpVersionPolicy.NEGOTIATE)
            .build();
    return BlockingHttpClients.custom()
        .setConnectionManager(manager)
        .setDefaultRequestConfig(
            RequestConfig.custom().setResponseTimeout(Timeout.ofSeconds(2)).build());
  }

  private static String get(CloseableHttpClient client, URI uri) throws IOException {
    return client.execute(new HttpGet(uri), response -> EntityUtils.toString(response.getEntity()));
  }

  private static int post(CloseableHttpClient client, URI uri) throws IOException {
    HttpPost request = new HttpPost(uri);
    request.setEntity(new StringEntity("body", ContentType.TEXT_PLAIN));
    return client.execute(request, response -> response.getCode());
  }

  /** The bridge leaves a lease behind. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aTimeoutGivesTheLeaseBack(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = builder(wire).build()) {
      URI stalled = server.uri(Script.ok().fault(Fault.STALL));
      assertThrows(SocketTimeoutException.class, () -> get(client, stalled));
      assertEquals(0, manager.leases());
      Threads.await("nothing is leased", () -> manager.getTotalStats().getLeased() == 0);
      Threads.await("the server sees the abort", () -> server.seen(stalled).get(0).isAborted());
    }
  }

  /** The bridge leaves a lease behind. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void anInterruptGivesTheLeaseBack(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            builder(wire).setDefaultRequestConfig(RequestConfig.DEFAULT).build()) {
      URI stalled = server.uri(Script.ok().fault(Fault.STALL));
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread caller =
          Thread.ofVirtual()
              .start(
                  () ->
                      thrown.complete(assertThrows(IOException.class, () -> get(client, stalled))));
      Threads.await("the request is there", () -> !server.seen(stalled).isEmpty());
      caller.interrupt();
      assertInstanceOf(InterruptedIOException.class, thrown.get(20, TimeUnit.SECONDS));
      Threads.await("nothing is leased", () -> manager.leases() == 0);
      Threads.await("the server sees the abort", () -> server.seen(stalled).get(0).isAborted());
    }
  }

  /** Over the bridge this times out, and leaks. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aRepeatablePostAnswers401(Wire wire) throws Exception {
    BasicCredentialsProvider credentials = new BasicCredentialsProvider();
    credentials.setCredentials(
        new AuthScope(null, -1), new UsernamePasswordCredentials("me", "secret".toCharArray()));
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            builder(wire).setDefaultCredentialsProvider(credentials).build()) {
      URI uri = server.uri(Script.ok().requires("me", "secret"));
      assertEquals(200, post(client, uri));
      assertEquals(4, server.seen(uri).get(1).bodyBytes(), "sent again, body and all");
      assertEquals(0, manager.leases());
    }
  }

  /** Over the bridge this times out, and leaks. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aRepeatablePostFollows307(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = builder(wire).build()) {
      URI target = server.uri(Script.ok());
      URI uri = server.uri(Script.answer(307).header("Location", target.toString()));
      assertEquals(200, post(client, uri));
      assertEquals(4, server.seen(target).get(0).bodyBytes());
      assertEquals(0, manager.leases());
    }
  }

  /** The bridge blocks for twice the timeout. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1"})
  void aTruncatedBodyFailsAtOnce(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            builder(wire)
                .setDefaultRequestConfig(
                    RequestConfig.custom().setResponseTimeout(Timeout.ofSeconds(30)).build())
                .build()) {
      URI truncated = server.uri(Script.ok().body(10_000).fault(Fault.CLOSE, 1_000));
      long start = System.nanoTime();
      assertThrows(IOException.class, () -> get(client, truncated));
      assertTrue(Duration.ofNanos(System.nanoTime() - start).toSeconds() < 20);
      assertEquals(0, manager.leases());
    }
  }

  /** The bridge loses them. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void trailersArrive(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = builder(wire).build()) {
      URI uri = server.uri(Script.ok().body(1_000).chunked().trailers());
      Header trailer =
          client.execute(
              new HttpGet(uri),
              response -> {
                EntityUtils.toByteArray(response.getEntity());
                return response.getEntity().getTrailers().get().get(0);
              });
      assertEquals("x-checksum", trailer.getName());
      assertNotNull(trailer.getValue());
    }
  }

  /** The bridge waits for calls that are under way. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void closeDoesNotWaitForCalls(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            builder(wire).setDefaultRequestConfig(RequestConfig.DEFAULT).build()) {
      URI stalled = server.uri(Script.ok().fault(Fault.STALL));
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread.ofVirtual()
          .start(
              () -> thrown.complete(assertThrows(IOException.class, () -> get(client, stalled))));
      Threads.await("the request is there", () -> !server.seen(stalled).isEmpty());
      long start = System.nanoTime();
      client.close(CloseMode.IMMEDIATE);
      assertInstanceOf(IOException.class, thrown.get(20, TimeUnit.SECONDS));
      assertTrue(Duration.ofNanos(System.nanoTime() - start).toSeconds() < 10);
    }
  }

  /** The bridge wraps it in a TransportException of its own. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aRefusedConnectionIsToldAsTheClassicClientTellsIt(Wire wire) throws Exception {
    int deadPort;
    try (ServerSocket socket = new ServerSocket(0)) {
      deadPort = socket.getLocalPort();
    }
    try (CloseableHttpClient client = builder(wire).build()) {
      URI refused = URI.create("http://127.0.0.1:" + deadPort + "/");
      HttpHostConnectException thrown =
          assertThrows(HttpHostConnectException.class, () -> get(client, refused));
      assertEquals(
          "Connect to http://127.0.0.1:%d [/127.0.0.1] failed: Connection refused"
              .formatted(deadPort),
          thrown.getMessage());
      assertEquals(0, manager.leases());
    }
  }
}
