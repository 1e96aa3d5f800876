package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.cache.CacheResponseStatus;
import org.apache.hc.client5.http.cache.HttpCacheContext;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.cache.CachingHttpClientBuilder;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.io.HttpResponseInformationCallback;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What users hang into Apache's classic chain works as it did. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class ChainTest {

  private static BlockingConnectionManager manager(Wire wire) {
    return BlockingConnectionManager.builder()
        .setVersionPolicy(
            wire.isMultiplexed() ? HttpVersionPolicy.FORCE_HTTP_2 : HttpVersionPolicy.NEGOTIATE)
        .build();
  }

  private static HttpClientBuilder builder(Wire wire) {
    return BlockingHttpClients.custom().setConnectionManager(manager(wire));
  }

  private static int get(CloseableHttpClient client, URI uri) throws IOException {
    return client.execute(
        new HttpGet(uri),
        response -> {
          EntityUtils.consume(response.getEntity());
          return response.getCode();
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void anExecHandlerSeesAndChangesRequestAndResponse(Wire wire) throws Exception {
    List<Thread> ran = new CopyOnWriteArrayList<>();
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            builder(wire)
                .addExecInterceptorLast(
                    "mine",
                    (request, scope, chain) -> {
                      ran.add(Thread.currentThread());
                      request.setHeader("x-mine", "1");
                      ClassicHttpResponse response = chain.proceed(request, scope);
                      response.setCode(299);
                      return response;
                    })
                .build()) {
      URI uri = server.uri(Script.ok().body(10));
      assertEquals(299, get(client, uri));
      assertEquals("1", server.seen(uri).get(0).header("x-mine"));
      assertEquals(List.of(Thread.currentThread()), ran);
    }
  }

  /** It is handed a connection in the classic shape, and drives it itself. */
  private static final class Recording extends HttpRequestExecutor {
    final List<String> steps = new CopyOnWriteArrayList<>();

    @Override
    public ClassicHttpResponse execute(
        ClassicHttpRequest request,
        HttpClientConnection connection,
        HttpResponseInformationCallback informationCallback,
        HttpContext context)
        throws IOException, HttpException {
      steps.add("open " + connection.isOpen() + ", stale " + connection.isStale());
      assertNotNull(connection.getEndpointDetails());
      assertNotNull(connection.getRemoteAddress());
      connection.sendRequestHeader(request);
      if (request.getEntity() != null) {
        connection.sendRequestEntity(request);
      }
      connection.flush();
      ClassicHttpResponse response = connection.receiveResponseHeader();
      steps.add("status " + response.getCode());
      connection.receiveResponseEntity(response);
      return response;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aRequestExecutorOfOnesOwnDrivesTheConnection(Wire wire) throws Exception {
    Recording executor = new Recording();
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = builder(wire).setRequestExecutor(executor).build()) {
      URI uri = server.uri(Script.ok().body(1_000));
      for (int i = 0; i < 2; i++) {
        HttpPost request = new HttpPost(uri);
        request.setEntity(new StringEntity("body", ContentType.TEXT_PLAIN));
        int length =
            client.execute(
                request, response -> EntityUtils.toByteArray(response.getEntity()).length);
        assertEquals(1_000, length);
      }
      assertEquals(4, server.seen(uri).get(1).bodyBytes());
      assertEquals(1, server.connectionsAccepted());
      assertEquals(
          List.of("open true, stale false", "status 200", "open true, stale false", "status 200"),
          executor.steps);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void theCachingClientAnswersFromItsCache(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            CachingHttpClientBuilder.create().setConnectionManager(manager(wire)).build()) {
      URI uri = server.uri(Script.ok().body(5_000).header("Cache-Control", "max-age=60"));
      byte[] first = null;
      for (CacheResponseStatus status :
          List.of(CacheResponseStatus.CACHE_MISS, CacheResponseStatus.CACHE_HIT)) {
        HttpCacheContext context = HttpCacheContext.create();
        byte[] body =
            client.execute(
                new HttpGet(uri),
                context,
                response -> EntityUtils.toByteArray(response.getEntity()));
        assertEquals(status, context.getCacheResponseStatus());
        assertArrayEquals(first == null ? body : first, body);
        first = body;
      }
      assertEquals(1, server.seen(uri).size());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void idleConnectionsAreEvicted(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            builder(wire)
                .evictExpiredConnections()
                .evictIdleConnections(TimeValue.ofMilliseconds(100))
                .build()) {
      assertEquals(200, get(client, server.uri(Script.ok())));
      Threads.await("the idle connection is closed", () -> server.connectionsOpen() == 0);
      assertEquals(200, get(client, server.uri(Script.ok())));
      assertEquals(2, server.connectionsAccepted());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aConnectionInUseIsNotEvicted(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            builder(wire).evictIdleConnections(TimeValue.ofMilliseconds(50)).build()) {
      assertEquals(200, get(client, server.uri(Script.ok().delay(Duration.ofMillis(700)))));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aFailedIdempotentRequestIsTriedAgain(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = builder(wire).build()) {
      URI uri = server.uri(Script.ok().fault(Fault.RESET).once());
      assertEquals(200, get(client, uri));
      assertEquals(2, server.seen(uri).size());
    }
  }

  /** As stock's classic client has it: a call that was given up holds neither lease nor memory. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void aSoftCancelEndsTheCallAsAnyOther(Wire wire) throws Exception {
    RequestConfig soft =
        RequestConfig.custom()
            .setHardCancellationEnabled(false)
            .setResponseTimeout(200, TimeUnit.MILLISECONDS)
            .build();
    BlockingConnectionManager manager = manager(wire);
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            BlockingHttpClients.custom()
                .setConnectionManager(manager)
                .setDefaultRequestConfig(soft)
                .build()) {
      URI stalled = server.uri(Script.ok().body(10).fault(Fault.STALL));
      assertThrows(SocketTimeoutException.class, () -> get(client, stalled));
      assertEquals(0, manager.leases());
      Threads.await("nothing is leased", () -> manager.getTotalStats().getLeased() == 0);
      Threads.await("the server sees it", () -> server.seen(stalled).get(0).isAborted());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void abortedRequestsEndAtOnce(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client = builder(wire).build()) {
      URI stalled = server.uri(Script.ok().fault(Fault.STALL));
      HttpGet request = new HttpGet(stalled);
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread.ofVirtual()
          .start(
              () ->
                  thrown.complete(
                      assertThrows(
                          IOException.class, () -> client.execute(request, response -> null))));
      Threads.await("the request is there", () -> !server.seen(stalled).isEmpty());
      assertTrue(request.cancel());
      assertNotNull(thrown.get(20, TimeUnit.SECONDS));
      Threads.await("the server sees it", () -> server.seen(stalled).get(0).isAborted());
    }
  }
}
