package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.LeakCheck;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

/** An HTTP/2 connection on which nothing comes any more, without a word: it is left. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class DeadPathTest {

  private static final Http2Peer.Behaviour ANSWERS = (on, stream, end) -> on.answer(stream, 200);

  /** Far beyond what any of this should take, and far below a wait that has no end. */
  private static final long SOON_MILLIS = 20_000;

  private static BlockingConnectionManager manager(TimeValue validateAfter) {
    return BlockingConnectionManager.builder()
        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
        .setDefaultConnectionConfig(
            ConnectionConfig.custom().setValidateAfterInactivity(validateAfter).build())
        .build();
  }

  private static CloseableHttpClient client(BlockingConnectionManager manager) {
    return BlockingHttpClients.custom()
        .setConnectionManager(manager)
        .setDefaultRequestConfig(
            RequestConfig.custom()
                .setResponseTimeout(org.apache.hc.core5.util.Timeout.ofMilliseconds(400))
                .build())
        .build();
  }

  private static int get(CloseableHttpClient client, Http2Peer peer) throws IOException {
    return client.execute(new HttpGet(peer.uri()), response -> response.getCode());
  }

  /** What a call throws that waits meanwhile, on a thread of its own. */
  private static CompletableFuture<Throwable> failureOf(Executable call) {
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> told.complete(assertThrows(IOException.class, call)));
    return told;
  }

  @Test
  void afterATimeoutInSilenceTheNextCallTakesAnotherConnection() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, ANSWERS);
        BlockingConnectionManager manager = manager(TimeValue.ofMinutes(1));
        CloseableHttpClient client = client(manager)) {
      assertEquals(200, get(client, peer));
      peer.connections.get(0).die();
      assertThrows(SocketTimeoutException.class, () -> get(client, peer));
      assertEquals(200, get(client, peer));
      assertEquals(2, peer.connections.size());
      assertEquals(2, peer.connections.get(0).requests.get(), "no third request on the dead path");
    }
  }

  /** The PING that asks waits behind an upload that does not leave. */
  @Test
  void pathThatTakesNothingAnyMoreIsLeft() throws Exception {
    Http2Peer.Behaviour clogs =
        (on, stream, end) -> {
          if (end) {
            on.answer(stream, 200);
          } else {
            on.widen(stream, 64 * 1024 * 1024);
            on.clog();
          }
        };
    try (Http2Peer peer = new Http2Peer(100, clogs);
        BlockingConnectionManager manager = manager(TimeValue.ofMinutes(1));
        CloseableHttpClient client = client(manager)) {
      manager.setDefaultMaxPerRoute(1);
      assertEquals(200, get(client, peer));
      HttpPost upload = new HttpPost(peer.uri());
      upload.setEntity(new ByteArrayEntity(new byte[32 * 1024 * 1024], ContentType.DEFAULT_BINARY));
      CompletableFuture<Throwable> told = failureOf(() -> client.execute(upload, r -> r.getCode()));
      Threads.await("the upload is stuck", () -> peer.requests() == 2);
      assertThrows(SocketTimeoutException.class, () -> get(client, peer));
      assertEquals(200, get(client, peer));
      assertEquals(2, peer.connections.size());
      told.get(SOON_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** A silence of some seconds may be the network's, or a machine's that is too busy. */
  @Test
  void whatIsUnderWayThereOutlivesSomeSecondsOfSilence() throws Exception {
    AtomicBoolean begun = new AtomicBoolean();
    Http2Peer.Behaviour begins =
        (on, stream, end) -> {
          if (begun.compareAndSet(false, true)) {
            on.answerHead(stream, 200);
          } else {
            on.answer(stream, 200);
          }
        };
    try (Http2Peer peer = new Http2Peer(100, begins);
        BlockingConnectionManager manager = manager(TimeValue.ofMinutes(1));
        CloseableHttpClient client = client(manager)) {
      HttpGet slow = new HttpGet(peer.uri());
      slow.setConfig(
          RequestConfig.custom()
              .setResponseTimeout(org.apache.hc.core5.util.Timeout.DISABLED)
              .build());
      try (ClassicHttpResponse there = client.executeOpen(null, slow, null)) {
        Http2Peer.Connection silent = peer.connections.get(0);
        silent.die();
        assertThrows(SocketTimeoutException.class, () -> get(client, peer));
        Thread.sleep(3_000); // that is the silence
        assertEquals(1, peer.connections.size());
        silent.revive();
        silent.data(1, 10, true);
        assertEquals(10, there.getEntity().getContent().readAllBytes().length);
      }
      assertEquals(200, get(client, peer));
      assertEquals(2, peer.connections.size(), "a path that was silent for seconds is left");
    }
  }

  /** A call without a timeout of its own would wait for ever on the path that others have left. */
  @Test
  void whoeverElseWaitsThereIsTold() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, (on, stream, end) -> on.answerHead(stream, 200));
        BlockingConnectionManager manager = manager(TimeValue.ofMinutes(1));
        CloseableHttpClient client = client(manager)) {
      HttpPost patient = new HttpPost(peer.uri());
      patient.setEntity(new StringEntity("body", ContentType.TEXT_PLAIN));
      patient.setConfig(
          RequestConfig.custom()
              .setResponseTimeout(org.apache.hc.core5.util.Timeout.DISABLED)
              .build());
      CountDownLatch answered = new CountDownLatch(1);
      CompletableFuture<Throwable> told =
          failureOf(
              () ->
                  client.execute(
                      patient,
                      response -> {
                        answered.countDown();
                        return response.getEntity().getContent().read();
                      }));
      assertTrue(answered.await(SOON_MILLIS, TimeUnit.MILLISECONDS), "no head of an answer");
      peer.connections.get(0).die();
      assertThrows(SocketTimeoutException.class, () -> get(client, peer));
      Throwable why = told.get(SOON_MILLIS, TimeUnit.MILLISECONDS);
      assertTrue(String.valueOf(why.getMessage()).contains("silent"), why::toString);
    }
  }

  /** The only place of a route is free again once its dead connection is left. */
  @Test
  void theOnlyPlaceOfARouteIsNotHeldByADeadPath() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, ANSWERS);
        BlockingConnectionManager manager = manager(TimeValue.ofMinutes(1));
        CloseableHttpClient client = client(manager)) {
      manager.setDefaultMaxPerRoute(1);
      assertEquals(200, get(client, peer));
      peer.connections.get(0).die();
      assertThrows(SocketTimeoutException.class, () -> get(client, peer));
      assertEquals(200, get(client, peer));
      assertEquals(0, manager.leases());
    }
  }

  @Test
  void aServerThatIsSlowButThereKeepsItsConnection() throws Exception {
    Http2Peer.Behaviour slowAtFirst =
        (on, stream, end) -> {
          if (stream > 1) {
            on.answer(stream, 200);
          }
        };
    try (Http2Peer peer = new Http2Peer(100, slowAtFirst);
        BlockingConnectionManager manager = manager(TimeValue.ofMinutes(1));
        CloseableHttpClient client = client(manager)) {
      assertThrows(SocketTimeoutException.class, () -> get(client, peer));
      assertEquals(200, get(client, peer));
      assertEquals(1, peer.connections.size());
      assertTrue(peer.connections.get(0).pings.get() > 0, "it was asked whether it is there");
    }
  }

  /** What validates a connection that has idled must not itself wait for ever. */
  @Test
  void anIdleConnectionThatDoesNotAnswerItsPingIsLeft() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, ANSWERS);
        BlockingConnectionManager manager = manager(TimeValue.ZERO_MILLISECONDS);
        CloseableHttpClient client = client(manager)) {
      assertEquals(200, get(client, peer));
      peer.connections.get(0).die();
      long start = System.nanoTime();
      assertEquals(200, get(client, peer));
      assertEquals(2, peer.connections.size());
      long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
      assertTrue(millis < SOON_MILLIS, () -> millis + " ms");
    }
  }

  @Test
  void theTimeoutOfALeaseHoldsForThePingToo() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, ANSWERS);
        BlockingConnectionManager manager = manager(TimeValue.ZERO_MILLISECONDS);
        CloseableHttpClient client = client(manager)) {
      assertEquals(200, get(client, peer));
      peer.connections.get(0).die();
      HttpGet hasty = new HttpGet(peer.uri());
      hasty.setConfig(
          RequestConfig.custom()
              .setConnectionRequestTimeout(org.apache.hc.core5.util.Timeout.ofMilliseconds(50))
              .build());
      assertThrows(
          ConnectionRequestTimeoutException.class,
          () -> client.execute(hasty, response -> response.getCode()));
      assertEquals(0, manager.leases());
      assertEquals(0, manager.getTotalStats().getLeased());
    }
  }

  /**
   * How many ms the quickest of some calls took, each of which found an idle connection dead. One
   * that waits for the PING as long as it may takes a second, whatever the machine; of those that
   * do not, the quickest is no matter of luck.
   */
  private static long quickest(Executable call, CloseableHttpClient client, Http2Peer peer)
      throws Throwable {
    long quickest = Long.MAX_VALUE;
    for (int i = 0; i < 10; i++) {
      assertEquals(200, get(client, peer));
      peer.connections.forEach(Http2Peer.Connection::die);
      long start = System.nanoTime();
      call.execute();
      quickest = Math.min(quickest, System.nanoTime() - start);
    }
    return Duration.ofNanos(quickest).toMillis();
  }

  @Test
  void theResponseTimeoutOfTheCallHoldsForThePingToo() throws Throwable {
    try (Http2Peer peer = new Http2Peer(100, ANSWERS);
        BlockingConnectionManager manager = manager(TimeValue.ZERO_MILLISECONDS);
        CloseableHttpClient client = client(manager)) {
      HttpGet hasty = new HttpGet(peer.uri());
      hasty.setConfig(
          RequestConfig.custom()
              .setResponseTimeout(org.apache.hc.core5.util.Timeout.ofMilliseconds(200))
              .build());
      long millis =
          quickest(() -> client.execute(hasty, response -> response.getCode()), client, peer);
      assertTrue(millis < 900, () -> millis + " ms");
    }
  }

  @Test
  void soDoesTheDeadlineOfTheCall() throws Throwable {
    try (Http2Peer peer = new Http2Peer(100, ANSWERS);
        BlockingConnectionManager manager = manager(TimeValue.ZERO_MILLISECONDS);
        CloseableHttpClient client = client(manager)) {
      HttpClientContext context = HttpClientContext.create();
      CallDeadline.set(context, org.apache.hc.core5.util.Timeout.ofMilliseconds(200));
      HttpGet patient = new HttpGet(peer.uri());
      patient.setConfig(RequestConfig.DEFAULT);
      long millis =
          quickest(
              () ->
                  assertThrows(
                      DeadlineExceededException.class,
                      () -> client.execute(patient, context, response -> response.getCode())),
              client,
              peer);
      assertTrue(millis < 900, () -> millis + " ms");
    }
  }

  /** A call before its response is told as one that the server closed under it: it may go again. */
  @Test
  void aCallWithoutAResponseMayGoAgain() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, (on, stream, end) -> {});
        BlockingConnectionManager manager = manager(TimeValue.ofMinutes(1));
        CloseableHttpClient client = client(manager)) {
      HttpPost patient = new HttpPost(peer.uri());
      patient.setConfig(
          RequestConfig.custom()
              .setResponseTimeout(org.apache.hc.core5.util.Timeout.DISABLED)
              .build());
      CompletableFuture<Throwable> told =
          failureOf(() -> client.execute(patient, r -> r.getCode()));
      Threads.await("it waits", () -> peer.requests() == 1);
      peer.connections.get(0).die();
      assertThrows(SocketTimeoutException.class, () -> get(client, peer));
      Throwable why = told.get(SOON_MILLIS, TimeUnit.MILLISECONDS);
      assertEquals(NoHttpResponseException.class, why.getClass());
    }
  }
}
