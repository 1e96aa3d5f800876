package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A deadline over a whole call, per client and per request. (The kit has more of the waits.) */
@org.junit.jupiter.api.Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class CallDeadlineTest {

  private static final Timeout SHORT = Timeout.ofMilliseconds(300);
  private static final Timeout LONG = Timeout.ofSeconds(30);

  private FaultServer server = FaultServer.start(Wire.HTTP_1_1);

  @BeforeEach
  void start() {
    server.close();
    server = FaultServer.start(Wire.HTTP_1_1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static HttpClientContext within(Timeout timeout) {
    HttpClientContext context = HttpClientContext.create();
    CallDeadline.set(context, timeout);
    return context;
  }

  private static int get(CloseableHttpClient client, URI uri, HttpClientContext context)
      throws IOException {
    return client.execute(
        new HttpGet(uri),
        context,
        response -> {
          EntityUtils.consume(response.getEntity());
          return response.getCode();
        });
  }

  private static void assertOver(CloseableHttpClient client, URI uri, HttpClientContext context) {
    long start = System.nanoTime();
    DeadlineExceededException thrown =
        assertThrows(DeadlineExceededException.class, () -> get(client, uri, context));
    assertInstanceOf(SocketTimeoutException.class, thrown);
    assertNotNull(thrown.getMessage());
    long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
    assertTrue(seconds < 15, () -> "took " + seconds + " s");
  }

  private URI stalled() {
    return server.uri(Script.ok().fault(Fault.STALL));
  }

  @Test
  void ofAClient() throws Exception {
    try (CloseableHttpClient client = BlockingHttpClients.custom(SHORT).build()) {
      assertOver(client, stalled(), HttpClientContext.create());
    }
  }

  @Test
  void ofARequest() throws Exception {
    try (CloseableHttpClient client = BlockingHttpClients.createDefault()) {
      assertOver(client, stalled(), within(SHORT));
    }
  }

  @Test
  void theShorterOfTheTwoCounts() throws Exception {
    try (CloseableHttpClient shortOnes = BlockingHttpClients.custom(SHORT).build();
        CloseableHttpClient longOnes = BlockingHttpClients.custom(LONG).build()) {
      assertOver(shortOnes, stalled(), within(LONG));
      assertOver(longOnes, stalled(), within(SHORT));
    }
  }

  @Test
  void noneAfterItWasTakenBack() throws Exception {
    HttpClientContext context = within(Timeout.ofMilliseconds(50));
    CallDeadline.set(context, null);
    try (CloseableHttpClient client = BlockingHttpClients.createDefault()) {
      URI slow = server.uri(Script.ok().delay(Duration.ofMillis(300)));
      assertEquals(200, get(client, slow, context));
    }
  }

  /** Each call has its own: a context that is used again begins anew. */
  @Test
  void countsFromTheStartOfEachCall() throws Exception {
    HttpClientContext context = within(Timeout.ofSeconds(2));
    try (CloseableHttpClient client = BlockingHttpClients.createDefault()) {
      URI slow = server.uri(Script.ok().delay(Duration.ofMillis(900)));
      for (int i = 0; i < 3; i++) {
        assertEquals(200, get(client, slow, context));
      }
      assertNull(context.getAttribute("io.heddle.call-deadline"), "nothing is left behind");
    }
  }

  @Test
  void goesOverAllRedirects() throws Exception {
    URI target = stalled();
    URI hop =
        server.uri(
            Script.answer(302).header("Location", target.toString()).delay(Duration.ofMillis(100)));
    try (CloseableHttpClient client = BlockingHttpClients.custom(Timeout.ofSeconds(3)).build()) {
      assertOver(client, hop, HttpClientContext.create());
      assertEquals(1, server.seen(target).size(), "the redirect was followed in time");
    }
  }

  /** The wait for a connection told of its own timeout, which had 20 s to go. */
  @Test
  void isToldAlthoughAnInterruptComesAMomentLater() throws Exception {
    ExecChainHandler waits =
        (request, scope, chain) -> {
          while (!CallDeadline.of(scope.clientContext).isExpired()) {
            LockSupport.parkNanos(1_000_000);
          }
          Thread.currentThread().interrupt();
          throw new ConnectionRequestTimeoutException("no connection within 20 s");
        };
    try (CloseableHttpClient client =
        BlockingHttpClients.custom(Timeout.ofSeconds(1)) // the chain connects first
            .addExecInterceptorLast("waits", waits)
            .build()) {
      assertOver(client, stalled(), HttpClientContext.create());
      assertTrue(Thread.interrupted(), "the interrupt is kept");
    }
  }

  @Test
  void isNotSpentOnAPauseBeforeARetry() throws Exception {
    URI busy = server.uri(Script.answer(503).header("Retry-After", "30"));
    try (CloseableHttpClient client = BlockingHttpClients.custom(Timeout.ofSeconds(5)).build()) {
      long start = System.nanoTime();
      assertEquals(503, get(client, busy, HttpClientContext.create()));
      assertTrue(Duration.ofNanos(System.nanoTime() - start).toSeconds() < 5);
      assertEquals(1, server.seen(busy).size());
    }
  }

  /** After the handler has the response, the reading of its body is still within the deadline. */
  @Test
  void goesOverTheBodyOfAResponseThatIsHandedOut() throws Exception {
    URI half = server.uri(Script.ok().body(2_000).fault(Fault.STALL, 1_000));
    try (CloseableHttpClient client = BlockingHttpClients.custom(Timeout.ofSeconds(2)).build();
        ClassicHttpResponse response =
            client.executeOpen(null, new HttpGet(half), HttpClientContext.create())) {
      byte[] start = response.getEntity().getContent().readNBytes(1_000);
      assertEquals(1_000, start.length);
      assertThrows(DeadlineExceededException.class, () -> response.getEntity().getContent().read());
    }
  }

  @Test
  void apachesOwnTimeoutsStayWhatTheyAre() throws Exception {
    try (CloseableHttpClient client =
        BlockingHttpClients.custom(LONG)
            .setDefaultRequestConfig(RequestConfig.custom().setResponseTimeout(SHORT).build())
            .build()) {
      SocketTimeoutException thrown =
          assertThrows(
              SocketTimeoutException.class,
              () -> get(client, stalled(), HttpClientContext.create()));
      assertEquals(SocketTimeoutException.class, thrown.getClass());
    }
  }

  @Test
  void worksInABuilderThatHasTheConnectionManagerAlone() throws Exception {
    try (CloseableHttpClient client =
        org.apache.hc.client5.http.impl.classic.HttpClients.custom()
            .setConnectionManager(BlockingConnectionManager.builder().build())
            .addExecInterceptorFirst("deadline", new CallDeadline())
            .build()) {
      assertOver(client, stalled(), within(SHORT));
    }
  }

  @Test
  void failsTheCallWhereNobodyHeedsIt() throws Exception {
    BlockingConnectionManager manager = BlockingConnectionManager.builder().build();
    try (CloseableHttpClient good = BlockingHttpClients.createDefault();
        CloseableHttpClient client =
            org.apache.hc.client5.http.impl.classic.HttpClients.custom()
                .setConnectionManager(manager)
                .build()) {
      URI refused = server.uri(Script.ok());
      HttpClientContext context = within(LONG);
      assertNotHeeded(client, refused, context); // before it connects

      URI kept = server.uri(Script.ok());
      assertEquals(200, get(client, kept, HttpClientContext.create()));
      assertEquals(200, get(client, kept, within(Timeout.DISABLED)));
      assertNotHeeded(client, refused, context); // on the connection that is there now

      assertEquals(200, get(good, kept, context)); // and that other's deadline is not left behind
      assertNotHeeded(client, refused, context);

      assertEquals(0, server.seen(refused).size());
      assertEquals(0, manager.getTotalStats().getLeased());
    }
  }

  private static void assertNotHeeded(
      CloseableHttpClient client, URI uri, HttpClientContext context) {
    IllegalStateException thrown =
        assertThrows(IllegalStateException.class, () -> get(client, uri, context));
    assertTrue(
        String.valueOf(thrown.getMessage()).contains("new CallDeadline()"), thrown::toString);
  }
}
