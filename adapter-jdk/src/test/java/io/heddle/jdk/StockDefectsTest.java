package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the JDK's client does badly, and the same calls through ours. */
@Timeout(120)
class StockDefectsTest {

  private static final Duration TIMEOUT = Duration.ofMillis(500);

  /** How long stock is watched while it does not end what it should have ended by then. */
  private static final int WATCHED_MILLIS = 1500;

  /** A kind of body. */
  private record Body(BodyHandler<?> handler) {

    static final List<Body> ALL =
        List.of(
            new Body(BodyHandlers.ofString()),
            new Body(BodyHandlers.ofLines()),
            new Body(BodyHandlers.buffering(BodyHandlers.ofByteArray(), 100)),
            new Body(BodyHandlers.ofInputStream()));

    /** Sends, and reads what there is to read. */
    Object get(HttpClient client, HttpRequest request) throws IOException, InterruptedException {
      Object body = client.send(request, handler).body();
      if (body instanceof InputStream stream) {
        return stream.readAllBytes().length;
      }
      return body instanceof java.util.stream.Stream<?> lines ? lines.count() : body;
    }
  }

  // ---- the timeout of a request ---------------------------------------------------------------

  /** JDK-8208693; mended in JDK 26. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  @EnabledForJreRange(max = JRE.JAVA_25)
  void timeoutEndsWithTheHead(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      for (Body body : Body.ALL) {
        HttpRequest request = request(server.uri(Clients.stalledBody())).timeout(TIMEOUT).build();
        HttpClient stock = stock(wire).build();
        CompletableFuture<?> theirs = start(() -> body.get(stock, request));
        try (BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(wire).build())) {
          Throwable ours = Clients.failure(start(() -> body.get(client, request)));
          assertDeadline(ours);
          Clients.await("the call's place is free", () -> client.inFlight() == 0);
        }
        assertThrows(
            TimeoutException.class, () -> theirs.get(WATCHED_MILLIS, TimeUnit.MILLISECONDS));
        stock.shutdownNow();
      }
    }
  }

  private static void assertDeadline(Throwable thrown) {
    Throwable cause = thrown;
    while (cause != null && !(cause instanceof DeadlineExceededException)) {
      cause = cause.getCause();
    }
    if (cause == null) {
      throw new AssertionError("no deadline", thrown);
    }
    boolean known = false;
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      known |= each instanceof HttpTimeoutException;
    }
    assertTrue(known, () -> "what users of the JDK's client catch: " + thrown);
  }

  /** The JDK's timer begins anew with each redirect. */
  @Test
  void timeoutBeginsAnewWithARedirect() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      Duration most = Duration.ofSeconds(2);
      Script second = Script.ok().delay(most.multipliedBy(3).dividedBy(4));
      Script first =
          Script.answer(302)
              .header("Location", server.uri(second).toString())
              .delay(most.multipliedBy(3).dividedBy(4));
      HttpClient.Builder builder = stock(Wire.HTTP_1_1).followRedirects(HttpClient.Redirect.ALWAYS);
      HttpClient stock = builder.build();
      HttpRequest request = request(server.uri(first)).timeout(most).build();
      assertEquals(200, stock.send(request, BodyHandlers.discarding()).statusCode());
      stock.shutdownNow();
      try (BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(builder.build())) {
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        assertDeadline(
            Clients.failure(
                start(
                    () -> {
                      try {
                        return client.send(request, BodyHandlers.discarding());
                      } finally {
                        flag.complete(Thread.currentThread().isInterrupted());
                      }
                    })));
        assertFalse(flag.get(), "the alarm's interrupt is not left behind");
        Clients.await("the call's place is free", () -> client.inFlight() == 0);
      }
    }
  }

  // ---- HTTP/2: streams and connections --------------------------------------------------------

  /** JDK-8225647. */
  @Test
  void moreCallsThanStreamsFail() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      server.maxStreams(10);
      HttpRequest warm = request(server.uri(Script.ok())).build();
      HttpClient stock = stock(Wire.H2_TLS).build();
      stock.send(warm, BodyHandlers.discarding());
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      client.send(warm, BodyHandlers.discarding());
      HttpRequest request = request(server.uri(Script.ok().delay(Duration.ofMillis(50)))).build();
      List<Throwable> theirs =
          Clients.together(60, () -> stock.send(request, BodyHandlers.discarding()));
      assertFalse(theirs.isEmpty());
      assertTrue(
          theirs.stream().allMatch(each -> JdkInternals.hadNoStream((IOException) each)),
          theirs::toString);
      stock.shutdownNow();
      server.takePeakStreams();
      assertEquals(
          List.of(), Clients.together(60, () -> client.send(request, BodyHandlers.discarding())));
      assertTrue(server.takePeakStreams() > 1);
      client.close();
    }
  }

  @Test
  void coldCallsOpenAConnectionEach() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      Duration slow = Duration.ofSeconds(1);
      HttpRequest request = request(server.uri(Script.ok().delay(slow))).build();
      HttpClient stock = stock(Wire.H2_TLS).build();
      Clients.together(20, () -> stock.send(request, BodyHandlers.discarding()));
      int theirs = server.connectionsAccepted();
      stock.shutdownNow();
      assertTrue(theirs > 1, theirs + " connections");
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      URI silent = server.uri(Script.ok().fault(Script.Fault.STALL));
      HttpRequest unanswered = request(silent).build();
      var unused =
          start(
              () -> Clients.together(20, () -> client.send(unanswered, BodyHandlers.discarding())));
      Clients.await("none waits for the first's answer", () -> server.seen(silent).size() == 20);
      assertEquals(1, server.connectionsAccepted() - theirs, "connections");
      client.shutdownNow();
    }
  }

  /** They lose the connection that they share, and all go again at once. */
  @Test
  void callsThatGoAgainShareAConnection() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build())) {
      client.send(request(server.uri(Script.ok())).build(), BodyHandlers.discarding());
      URI uri = server.uri(Script.ok().delay(Duration.ofSeconds(2)));
      CompletableFuture<List<Throwable>> failed =
          start(
              () ->
                  Clients.together(
                      30, () -> client.send(request(uri).build(), BodyHandlers.discarding())));
      Clients.await("all are at the server", () -> server.seen(uri).size() == 30);
      server.closeConnections();
      assertEquals(List.of(), failed.get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
      assertEquals(60, server.seen(uri).size(), "times sent");
      assertEquals(2, server.connectionsAccepted(), "connections");
    }
  }

  /** This JVM's clients close what is idle for 5 s. */
  @Test
  void coldCallsShareAgainAfterAPause() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build())) {
      HttpRequest request = request(server.uri(Script.ok().delay(Duration.ofMillis(500)))).build();
      client.send(request, BodyHandlers.discarding());
      Clients.await("the end of the connection", () -> server.connectionsOpen() == 0);
      server.takePeakStreams();
      assertEquals(
          List.of(), Clients.together(20, () -> client.send(request, BodyHandlers.discarding())));
      assertEquals(2, server.connectionsAccepted(), "connections");
      assertTrue(server.takePeakStreams() > 1, "one call after the other");
    }
  }

  /**
   * In stock and in ours: 16 MiB of each fill the connection's 32 MiB. docs/jdk.md has the mend.
   */
  @Test
  void twoBodiesThatNobodyReadsHoldUpTheThird() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient stock = stock(Wire.H2_TLS).build();
      HttpClient ours = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      for (HttpClient client : List.of(stock, ours)) {
        CompletableFuture<byte[]> third = besideTwoUnread(client, server, 16 * MIB);
        assertThrows(TimeoutException.class, () -> third.get(2, TimeUnit.SECONDS));
        client.shutdownNow();
      }
      System.setProperty("jdk.httpclient.windowsize", String.valueOf(MIB)); // read when it connects
      HttpClient small = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());
      assertEquals(
          1000,
          besideTwoUnread(small, server, MIB).get(Clients.LONG_SECONDS, TimeUnit.SECONDS).length);
      small.shutdownNow();
    } finally {
      System.clearProperty("jdk.httpclient.windowsize");
    }
  }

  private static final int MIB = 1024 * 1024;

  private static CompletableFuture<byte[]> besideTwoUnread(
      HttpClient client, FaultServer server, int window) throws Exception {
    for (int i = 0; i < 2; i++) {
      URI large = server.uri(Script.ok().body(64 * MIB));
      var unused = client.send(request(large).build(), BodyHandlers.ofInputStream());
      Clients.await("its window is full", () -> server.seen(large).get(0).sentBytes() >= window);
    }
    HttpRequest small = request(server.uri(Script.ok().body(1000))).build();
    return start(() -> client.send(small, BodyHandlers.ofByteArray()).body());
  }

  @Test
  void aGetOnAConnectionThatTheServerClosedFails() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build())) {
      HttpRequest request = request(server.uri(Script.ok())).build();
      HttpClient stock = stock(Wire.H2_TLS).build();
      int theirs = 0;
      for (int i = 0; i < 10 && theirs == 0; i++) { // it may be lucky
        theirs = failuresOnClosed(server, stock, request);
      }
      assertTrue(theirs > 0, "stock");
      assertEquals(0, failuresOnClosed(server, client, request));
      stock.shutdownNow();
    }
  }

  /** A server that ends connections ends that of the next attempt as well. */
  @Test
  void aGetThatLosesItsConnectionTwice() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build())) {
      client.send(request(server.uri(Script.ok())).build(), BodyHandlers.discarding());
      URI twice = server.uri(Script.ok().fault(Script.Fault.CLOSE).times(2));
      assertEquals(
          200, client.send(request(twice).build(), BodyHandlers.discarding()).statusCode());
      assertEquals(3, server.seen(twice).size());
    }
  }

  @Test
  void aBodyOfAnotherLengthSucceeds() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        HttpClient stock = stock(Wire.H2_TLS).build();
        HttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build())) {
      HttpRequest tooShort = request(server.uri(Script.ok().length(1000).body(500))).build();
      HttpRequest tooLong = request(server.uri(Script.ok().length(10).body(500))).build();
      for (HttpRequest each : List.of(tooShort, tooLong)) {
        assertEquals(500, stock.send(each, BodyHandlers.ofByteArray()).body().length, "stock");
        assertThrows(ProtocolException.class, () -> client.send(each, BodyHandlers.ofByteArray()));
      }
    }
  }

  @Test
  void aBodyThatIsClosedEarlyEndsItsConnection() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        HttpClient stock = stock(Wire.HTTP_1_1).build();
        HttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.HTTP_1_1).build())) {
      int theirs = connectionsOfTenClosedEarly(server, stock);
      int ours = connectionsOfTenClosedEarly(server, client);
      assertTrue(ours < theirs, theirs + " connections of stock, " + ours + " of ours");
    }
  }

  private static int connectionsOfTenClosedEarly(FaultServer server, HttpClient client)
      throws Exception {
    int before = server.connectionsAccepted();
    Script inTwoPieces = Script.ok().body(10_000).drip(5000, Duration.ofMillis(5));
    for (int i = 0; i < 10; i++) {
      HttpRequest request = request(server.uri(inTwoPieces)).build();
      start(() -> client.send(request, BodyHandlers.ofInputStream()))
          .get(Clients.LONG_SECONDS, TimeUnit.SECONDS)
          .body()
          .close();
    }
    return server.connectionsAccepted() - before;
  }

  private static int failuresOnClosed(FaultServer server, HttpClient client, HttpRequest request)
      throws Exception {
    int failures = 0;
    for (int i = 0; i < 50; i++) {
      try {
        client.send(request, BodyHandlers.discarding());
      } catch (IOException e) {
        failures++;
      }
      server.closeConnections();
    }
    return failures;
  }

  // ---- names ----------------------------------------------------------------------------------

  /** A look-up of the JVM's is native, and holds the carrier of a virtual thread that makes it. */
  @Test
  void namesAreLookedUpOnTheCaller() throws Exception {
    List<Thread> askers = new CopyOnWriteArrayList<>();
    KitResolver.use(
        host -> {
          askers.add(Thread.currentThread());
          return List.of(InetAddress.getLoopbackAddress());
        });
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.HTTP_1_1).build())) {
      HttpClient stock = stock(Wire.HTTP_1_1).build();
      get(stock, server.uri("theirs.heddle.test", Script.ok()));
      assertTrue(askers.stream().anyMatch(Thread::isVirtual), askers::toString);
      stock.shutdownNow();
      askers.clear();
      get(client, server.uri("ours.heddle.test", Script.ok()));
      assertEquals(1, askers.size(), askers::toString);
      assertFalse(askers.getFirst().isVirtual(), askers::toString);
    } finally {
      KitResolver.use(null);
    }
  }

  private static void get(HttpClient client, URI uri) throws Exception {
    start(() -> client.send(request(uri).build(), BodyHandlers.discarding()))
        .get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
  }

  // ---- limits ---------------------------------------------------------------------------------

  @Test
  void thereIsNoLimitOfConnections() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      HttpRequest request = request(server.uri(Script.ok().delay(Duration.ofMillis(200)))).build();
      HttpClient stock = stock(Wire.HTTP_1_1).build();
      Clients.together(12, () -> stock.send(request, BodyHandlers.discarding()));
      int theirs = server.connectionsAccepted();
      stock.shutdownNow();
      assertTrue(theirs > 3, theirs + " connections");
      try (BlockingJdkHttpClient client =
          BlockingJdkHttpClient.builder(stock(Wire.HTTP_1_1).build())
              .maxConnectionsPerOrigin(3)
              .build()) {
        assertEquals(
            List.of(), Clients.together(12, () -> client.send(request, BodyHandlers.discarding())));
        int ours = server.connectionsAccepted() - theirs;
        assertTrue(ours <= 3, ours + " connections");
      }
    }
  }

  // ---- ends -----------------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void closeWaitsForAForgottenStream(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      HttpRequest request = request(server.uri(Clients.stalledBody())).build();
      HttpClient stock = stock(wire).build();
      InputStream theirs = stock.send(request, BodyHandlers.ofInputStream()).body();
      CompletableFuture<?> closing = start(() -> closed(stock));
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(wire).build());
      InputStream ours = client.send(request, BodyHandlers.ofInputStream()).body();
      start(() -> closed(client)).get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
      assertThrows(IOException.class, ours::readAllBytes);
      assertFalse(closing.isDone(), "stock waits on");
      theirs.close();
    }
  }

  private static boolean closed(HttpClient client) {
    client.close();
    return true;
  }

  /** It waits for a stream that somebody reads. */
  @Test
  void closeLetsAReaderFinish() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI slow = server.uri(Script.ok().body(400).drip(4, Duration.ofMillis(25)));
      BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.HTTP_1_1).build());
      InputStream body = client.send(request(slow).build(), BodyHandlers.ofInputStream()).body();
      CompletableFuture<byte[]> read = start(body::readAllBytes);
      client.close();
      assertEquals(400, read.get(Clients.LONG_SECONDS, TimeUnit.SECONDS).length);
    }
  }

  @Test
  void anInterruptTakesAwayWhatHasArrived() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      HttpRequest request = request(server.uri(Script.ok().body(100))).build();
      HttpClient stock = stock(Wire.HTTP_1_1).build();
      Clients.failure(start(() -> readInterrupted(stock, request)));
      stock.shutdownNow();
      try (BlockingJdkHttpClient client =
          BlockingJdkHttpClient.wrap(stock(Wire.HTTP_1_1).build())) {
        int read =
            start(() -> readInterrupted(client, request))
                .get(Clients.LONG_SECONDS, TimeUnit.SECONDS);
        assertEquals(100, read);
      }
    }
  }

  private static int readInterrupted(HttpClient client, HttpRequest request) throws Exception {
    InputStream body = client.send(request, BodyHandlers.ofInputStream()).body();
    Clients.await("some of the body is there", () -> available(body) > 0);
    if (client instanceof BlockingJdkHttpClient ours) {
      Clients.await("the call is over", () -> ours.inFlight() == 0);
    }
    Thread.sleep(200); // its end is about to be there: neither stream can tell
    Thread.currentThread().interrupt();
    return body.readAllBytes().length;
  }

  private static int available(InputStream body) {
    try {
      return body.available();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aCallOnTheIoThreadWaitsForItself() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      HttpClient stock = stock(Wire.HTTP_1_1).executor(Runnable::run).build();
      CompletableFuture<Thread> selector = new CompletableFuture<>();
      CompletableFuture<?> ours =
          onIoThread(stock, server, BlockingJdkHttpClient.wrap(stock), selector);
      assertInstanceOf(IllegalStateException.class, Clients.failure(ours));
      CompletableFuture<?> theirs = onIoThread(stock, server, stock, selector);
      assertThrows(TimeoutException.class, () -> theirs.get(WATCHED_MILLIS, TimeUnit.MILLISECONDS));
      selector.get().interrupt();
      Clients.failure(theirs);
      stock.shutdownNow();
    }
  }

  /** What becomes of a call that is made on the thread that runs the stock client's I/O. */
  private static CompletableFuture<?> onIoThread(
      HttpClient stock, FaultServer server, HttpClient client, CompletableFuture<Thread> selector) {
    Script late = Script.ok().delay(Duration.ofMillis(300)); // else the caller may come first
    CompletableFuture<Integer> status = new CompletableFuture<>();
    var unused =
        stock.sendAsync(
            request(server.uri(late)).build(),
            info -> {
              selector.complete(Thread.currentThread());
              try {
                HttpRequest nested = request(server.uri(Script.ok())).build();
                status.complete(client.send(nested, BodyHandlers.discarding()).statusCode());
              } catch (Throwable t) {
                status.completeExceptionally(t);
              }
              return BodySubscribers.discarding();
            });
    return status;
  }

  /** JDK 21 waits for ever, JDK 25 for 5 s. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void anExpectationThatTheServerIgnores(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      URI theirs = server.uri(Script.ok().expect(Script.Expect.IGNORE));
      HttpClient stock = stock(wire).build();
      CompletableFuture<?> waiting = start(() -> expect(stock, theirs));
      assertThrows(TimeoutException.class, () -> waiting.get(3, TimeUnit.SECONDS));
      assertEquals(0, received(server, theirs), "stock");
      stock.shutdownNow();
      URI ours = server.uri(Script.ok().expect(Script.Expect.IGNORE));
      try (BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(wire).build())) {
        assertEquals(
            200, start(() -> expect(client, ours)).get(Clients.LONG_SECONDS, TimeUnit.SECONDS));
        List<Seen> seen = server.seen(ours);
        assertEquals(2, seen.size(), "times sent");
        assertEquals(0, seen.get(0).bodyBytes());
        assertEquals(4, seen.get(1).bodyBytes());
      }
    }
  }

  private static int expect(HttpClient client, URI uri) throws Exception {
    return client
        .send(
            request(uri).expectContinue(true).POST(BodyPublishers.ofString("body")).build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  /** Over HTTP/2 a body that waits for the server's window is forgotten when its call ends. */
  @Test
  void anUploadIsForgotten() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS)) {
      HttpClient stock = stock(Wire.H2_TLS).build();
      CountDownLatch theirs = interruptUpload(stock, server);
      assertFalse(theirs.await(WATCHED_MILLIS, TimeUnit.MILLISECONDS), "the writer waits on");
      stock.shutdownNow();
      try (BlockingJdkHttpClient client = BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build())) {
        CountDownLatch ours = interruptUpload(client, server);
        assertTrue(ours.await(Clients.LONG_SECONDS, TimeUnit.SECONDS));
      }
    }
  }

  private static CountDownLatch interruptUpload(HttpClient client, FaultServer server)
      throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    URI uri = server.uri(Script.ok().take(1000));
    HttpRequest request =
        request(uri)
            .POST(
                WrittenBody.of(
                    out -> {
                      try {
                        byte[] piece = new byte[1000];
                        while (true) {
                          out.write(piece);
                        }
                      } finally {
                        ended.countDown();
                      }
                    }))
            .build();
    CompletableFuture<Thread> caller = new CompletableFuture<>();
    CompletableFuture<?> call =
        start(
            () -> {
              caller.complete(Thread.currentThread());
              return client.send(request, BodyHandlers.discarding());
            });
    Clients.await("the server has stopped reading", () -> received(server, uri) >= 1000);
    caller.get().interrupt();
    assertInstanceOf(InterruptedException.class, Clients.failure(call));
    return ended;
  }

  private static long received(FaultServer server, URI uri) {
    List<Seen> seen = server.seen(uri);
    return seen.isEmpty() ? 0 : seen.get(0).bodyBytes();
  }
}
