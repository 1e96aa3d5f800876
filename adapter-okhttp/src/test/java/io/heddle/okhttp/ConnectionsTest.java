package io.heddle.okhttp;

import static io.heddle.okhttp.KitClient.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.net.SocketFactory;
import okhttp3.Call;
import okhttp3.Dispatcher;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many connections many calls open, and which of them wait for others. */
@Timeout(60)
class ConnectionsTest {

  private static final boolean STOCK = Boolean.getBoolean("heddle.okhttp.stock");

  private static OkHttpClient wrap(OkHttpClient.Builder settings) {
    OkHttpClient stock = settings.build();
    return STOCK ? stock : BlockingOkHttpClient.wrap(stock);
  }

  private static Request get(URI uri) {
    return new Request.Builder().url(uri.toString()).build();
  }

  private static String text(OkHttpClient client, URI uri) throws IOException {
    try (Response response = client.newCall(get(uri)).execute()) {
      return response.code() + " " + response.body().bytes().length;
    }
  }

  private static List<Caller> call(OkHttpClient client, FaultServer server, Script script, int n) {
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      URI uri = server.uri(script);
      callers.add(new Caller(() -> text(client, uri)));
    }
    return callers;
  }

  private static void assertAll(String result, List<Caller> callers) throws Exception {
    for (Caller each : callers) {
      assertEquals(result, each.result());
    }
  }

  // ---- without a limit --------------------------------------------------------------------------

  @Test
  void manyCallsHeedHowManyStreamsAServerAllows() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      server.maxStreams(5);
      OkHttpClient client = wrap(settings(Wire.H2C));
      Script script = Script.ok().body(100).delay(Duration.ofMillis(20));
      assertAll("200 100", call(client, server, script, 100));
      assertTrue(server.takePeakStreams() <= 5);
    }
  }

  @Test
  void aFirstAnswerThatIsLongInComingHoldsUpNobody() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      OkHttpClient client = wrap(settings(Wire.H2C));
      URI stalls = server.uri(Script.ok().fault(Script.Fault.STALL));
      Caller first = new Caller(() -> text(client, stalls));
      ExecuteTest.await(() -> server.seen(stalls).size() == 1);
      assertAll("200 100", call(client, server, Script.ok().body(100), 20));
      server.seen(stalls).get(0).release();
      assertEquals("200 0", first.result());
      assertEquals(1, server.connectionsAccepted());
    }
  }

  /** Each setting of an option waits for the thread that reads from the socket. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aSocketThatSendsAtOnceIsLeftAlone(Wire wire) throws Exception {
    AtomicInteger settings = new AtomicInteger();
    SocketFactory counting =
        new TestSockets() {
          @Override
          public Socket createSocket() {
            return new Socket() {
              @Override
              public void setTcpNoDelay(boolean on) throws SocketException {
                settings.incrementAndGet();
                super.setTcpNoDelay(on);
              }
            };
          }
        };
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client = wrap(settings(wire).socketFactory(counting));
      for (int i = 0; i < 10; i++) {
        assertEquals("200 100", text(client, server.uri(Script.ok().body(100))));
      }
      assertEquals(1, server.connectionsAccepted());
      assertEquals(wire == Wire.HTTP_1_1 ? 0 : 1, settings.get());
    }
  }

  @Test
  void aServerThatSpeaksHttp11GetsAConnectionPerCall() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1_TLS)) {
      OkHttpClient client = wrap(settings(Wire.H2_TLS));
      URI first = server.uri(Script.ok().fault(Script.Fault.STALL));
      URI second = server.uri(Script.ok().fault(Script.Fault.STALL));
      Caller one = new Caller(() -> text(client, first));
      Caller other = new Caller(() -> text(client, second));
      ExecuteTest.await(() -> server.seen(first).size() == 1 && server.seen(second).size() == 1);
      server.seen(first).get(0).release();
      server.seen(second).get(0).release();
      assertEquals("200 0", one.result());
      assertEquals("200 0", other.result());
    }
  }

  @Test
  void manyCallsToNobodyFailAtOnce() throws Exception {
    int port;
    try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = nobody.getLocalPort();
    }
    OkHttpClient client = wrap(settings(Wire.H2C));
    URI uri = URI.create("http://127.0.0.1:" + port + "/");
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      callers.add(new Caller(() -> text(client, uri)));
    }
    for (Caller each : callers) {
      assertInstanceOf(ConnectException.class, each.failure());
    }
  }

  /** {@code URI.getHost()} is null for a name with an underscore. */
  @Test
  void aProxyServesHostsThatAreNoneOfUris() throws Exception {
    try (FaultServer proxy = FaultServer.start(Wire.HTTP_1_1)) {
      OkHttpClient.Builder settings =
          settings(Wire.H2_TLS)
              .proxy(
                  new Proxy(
                      Proxy.Type.HTTP,
                      new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port())));
      BlockingOkHttpClient limited =
          BlockingOkHttpClient.builder(settings.build()).maxConnectionsPerHost(5).build();
      for (OkHttpClient client : List.of(wrap(settings), limited)) {
        for (String host : List.of("my-service", "my_service")) {
          URI uri = proxy.uri(Script.ok().body(5));
          String there = uri.toString().replace("127.0.0.1", host).replace("localhost", host);
          Request request = new Request.Builder().url(there).build();
          try (Response response = client.newCall(request).execute()) {
            assertEquals(5, response.body().bytes().length, host);
          }
        }
        assertEquals(settings.build().proxy(), client.proxy());
      }
    }
  }

  @Test
  void clientsOfOnePoolShareItsConnections() throws Exception {
    for (Wire wire : new Wire[] {Wire.HTTP_1_1, Wire.H2_TLS}) {
      try (FaultServer server = FaultServer.start(wire)) {
        OkHttpClient stock = settings(wire).build();
        for (int i = 0; i < 3; i++) {
          OkHttpClient client =
              BlockingOkHttpClient.wrap(
                  stock.newBuilder().readTimeout(Duration.ofSeconds(10 + i)).build());
          assertEquals("200 3", text(client, server.uri(Script.ok().body(3))));
        }
        assertEquals(1, server.connectionsAccepted(), wire.toString());
      }
    }
  }

  // ---- with a limit -----------------------------------------------------------------------------

  private static BlockingOkHttpClient limited(Wire wire, int max) {
    return limited(settings(wire), max);
  }

  private static BlockingOkHttpClient limited(OkHttpClient.Builder settings, int max) {
    return BlockingOkHttpClient.builder(settings.build()).maxConnectionsPerHost(max).build();
  }

  @Test
  void manyCallsToAColdServerShareTheConnectionsThatMayBe() throws Exception {
    for (Wire wire : new Wire[] {Wire.H2C, Wire.H2_TLS}) {
      int fewest = Integer.MAX_VALUE;
      for (int i = 0; i < 10 && fewest > 1; i++) { // a busy machine may be slower than callers wait
        try (FaultServer server = FaultServer.start(wire)) {
          OkHttpClient client = limited(wire, 1);
          assertAll("200 100", call(client, server, Script.ok().body(100), 60));
          fewest = Math.min(fewest, server.connectionsAccepted());
        }
      }
      assertEquals(1, fewest, wire.toString());
    }
  }

  /** Each tries for itself before the first has failed, as without a limit. */
  @Test
  void anOutageHoldsUpNobodyForLong() throws Exception {
    int calls = 8;
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      silent.setSoTimeout(20_000);
      URI uri = URI.create("https://127.0.0.1:" + silent.getLocalPort() + "/");
      OkHttpClient client =
          limited(settings(Wire.H2_TLS).readTimeout(Duration.ofMillis(2500)), calls / 2);
      List<Caller> callers = new ArrayList<>();
      for (int i = 0; i < calls; i++) {
        callers.add(new Caller(() -> text(client, uri)));
      }
      List<Socket> accepted = new ArrayList<>();
      try {
        while (accepted.size() < calls) {
          assertTrue(callers.stream().noneMatch(Caller::isDone), () -> accepted.size() + " tried");
          accepted.add(silent.accept());
        }
        for (Caller each : callers) {
          assertInstanceOf(SocketTimeoutException.class, each.failure());
        }
      } finally {
        for (Socket each : accepted) {
          each.close();
        }
      }
    }
  }

  @Test
  void callsWaitForStreamsOfTheConnectionsThatMayBe() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      server.maxStreams(5);
      OkHttpClient client = limited(Wire.H2C, 1);
      Script script = Script.ok().body(100).delay(Duration.ofMillis(5));
      assertAll("200 100", call(client, server, script, 200));
      assertEquals(1, server.connectionsAccepted());
      assertTrue(server.takePeakStreams() <= 5);
    }
  }

  @Test
  void callsWithinCallsDoNotQueueBehindThem() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      AtomicReference<OkHttpClient> self = new AtomicReference<>();
      OkHttpClient client =
          limited(
              settings(Wire.HTTP_1_1)
                  .addInterceptor(
                      chain -> {
                        if (chain.request().header("inner") == null) {
                          Request inner =
                              chain.request().newBuilder().header("inner", "true").build();
                          Objects.requireNonNull(self.get()).newCall(inner).execute().close();
                        }
                        return chain.proceed(chain.request());
                      }),
              2);
      self.set(client);
      assertAll("200 100", call(client, server, Script.ok().body(100), 100));
      assertTrue(server.connectionsAccepted() <= 2);
    }
  }

  /** Only where its own client has let in the outer one, which may wait for it. */
  @Test
  void aCallWithinACallOfAnotherClientWaitsForItsPlace() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      BlockingOkHttpClient inner =
          BlockingOkHttpClient.builder(new OkHttpClient())
              .maxRequests(1)
              .queueTimeout(Duration.ofMillis(100))
              .build();
      OkHttpClient outer =
          wrap(
              new OkHttpClient.Builder()
                  .addInterceptor(chain -> inner.newCall(chain.request()).execute()));
      URI stalls = server.uri(Script.ok().fault(Script.Fault.STALL));
      Caller first = new Caller(() -> text(inner, stalls));
      ExecuteTest.await(() -> server.seen(stalls).size() == 1);
      URI second = server.uri(Script.ok().body(100));
      assertInstanceOf(
          SocketTimeoutException.class, new Caller(() -> text(outer, second)).failure());
      server.seen(stalls).get(0).release();
      assertEquals("200 0", first.result());
      assertEquals("200 100", text(outer, second));
    }
  }

  /** OkHttp asks twice each time, and opens a connection for that. */
  @Test
  void aServerThatRefusesAllIsNotStormed() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      OkHttpClient client = wrap(settings(Wire.H2C));
      URI refused = server.uri(Script.ok().fault(Script.Fault.STREAM_REFUSED));
      assertThrows(IOException.class, () -> text(client, refused));
      int sent = server.seen(refused).size();
      assertTrue(sent > 2 && sent <= 2 * (CallEngine.REFUSALS + 1), sent + " times sent");
    }
  }

  @Test
  void aCallThatIsRedirectedTakesNoSecondPlace() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        FaultServer other = FaultServer.start(Wire.HTTP_1_1)) {
      OkHttpClient client = limited(Wire.HTTP_1_1, 1);
      URI stalls = other.uri(Script.ok().body(100).fault(Script.Fault.STALL));
      URI redirect = server.uri(Script.answer(302).header("Location", stalls.toString()));
      Caller first = new Caller(() -> text(client, redirect));
      ExecuteTest.await(() -> other.seen(stalls).size() == 1);
      assertAll("200 100", call(client, other, Script.ok().body(100), 10));
      other.seen(stalls).get(0).release();
      assertEquals("200 100", first.result());
      assertEquals(1, server.connectionsAccepted());
    }
  }

  @Test
  void callsOfTheDispatcherDoNotStopThoseThatWait() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      BlockingOkHttpClient client = limited(Wire.HTTP_1_1, 1);
      assertEquals("200 3", text(client, server.uri(Script.ok().body(3))));
      URI stalls = server.uri(Script.ok().fault(Script.Fault.STALL));
      Call enqueued = client.newCall(get(stalls));
      enqueued.enqueue(
          new okhttp3.Callback() {
            @Override
            public void onResponse(Call call, Response response) {
              response.close();
            }

            @Override
            public void onFailure(Call call, IOException e) {}
          });
      ExecuteTest.await(() -> server.seen(stalls).size() == 1);
      assertEquals("200 3", text(client, server.uri(Script.ok().body(3))));
      enqueued.cancel();
    }
  }

  @Test
  void callsOfADispatcherWithVirtualThreadsTakeNoPlaces() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      BlockingOkHttpClient client =
          BlockingOkHttpClient.builder(
                  settings(Wire.HTTP_1_1).dispatcher(new Dispatcher(threads)).build())
              .maxRequests(1)
              .maxConnectionsPerHost(1)
              .queueTimeout(Duration.ofMillis(100))
              .build();
      URI stalls = server.uri(Script.ok().fault(Script.Fault.STALL));
      Call enqueued = client.newCall(get(stalls));
      CompletableFuture<Object> end = new CompletableFuture<>();
      enqueued.enqueue(
          new okhttp3.Callback() {
            @Override
            public void onResponse(Call call, Response response) {
              response.close();
              end.complete("a response");
            }

            @Override
            public void onFailure(Call call, IOException e) {
              end.complete("a failure");
            }
          });
      ExecuteTest.await(() -> server.seen(stalls).size() == 1);
      assertEquals(0, client.inFlight());
      assertEquals("200 3", text(client, server.uri(Script.ok().body(3))));
      enqueued.cancel();
      assertEquals("a failure", end.get(10, TimeUnit.SECONDS));
    }
  }

  /** Of several tries, as a busy machine may be slower than callers wait. */
  @Test
  void aCallThatAnInterceptorHasCancelledDoesNotWaitForAFirstAnswer() throws Exception {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 10 && least >= HostLimits.PATIENCE_MILLIS; i++) {
      try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
        BlockingOkHttpClient client =
            limited(settings(Wire.HTTP_1_1).addInterceptor(ConnectionsTest::cancelled), 1);
        URI stalls = server.uri(Script.ok().fault(Script.Fault.STALL));
        Caller holder = new Caller(() -> text(client, stalls));
        ExecuteTest.await(() -> server.seen(stalls).size() == 1);
        long begun = System.nanoTime();
        Request request =
            get(server.uri(Script.ok())).newBuilder().header("Cancel", "at once").build();
        Caller waiter = new Caller(() -> client.newCall(request).execute());
        assertEquals("Canceled", waiter.failure().getMessage());
        least = Math.min(least, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
        server.seen(stalls).get(0).release();
        assertEquals("200 0", holder.result());
      }
    }
    assertTrue(least < HostLimits.PATIENCE_MILLIS, least + " ms");
  }

  private static Response cancelled(Interceptor.Chain chain) throws IOException {
    if (chain.request().header("Cancel") != null) {
      chain.call().cancel();
    }
    return chain.proceed(chain.request());
  }

  @Test
  void theDispatcherCancelsCallsThatWait() throws Exception {
    assumeTrue(ConversationTest.OKHTTP_5, "OkHttp 4 tells nobody");
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      BlockingOkHttpClient client = limited(Wire.HTTP_1_1, 1);
      URI stalls = server.uri(Script.ok().fault(Script.Fault.STALL));
      Caller holder = new Caller(() -> text(client, stalls));
      ExecuteTest.await(() -> server.seen(stalls).size() == 1);
      URI waits = server.uri(Script.ok());
      Caller waiter = new Caller(() -> text(client, waits));
      ExecuteTest.await(() -> client.dispatcher().runningCallsCount() == 2);
      Call second =
          client.dispatcher().runningCalls().stream()
              .filter(call -> call.request().url().toString().equals(waits.toString()))
              .findFirst()
              .orElseThrow();
      second.cancel();
      assertEquals("Canceled", waiter.failure().getMessage());
      server.seen(stalls).get(0).release();
      assertEquals("200 0", holder.result());
    }
  }

  @Test
  void aHostThatFailsLeavesRoomForTheNextCall() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      OkHttpClient client = limited(Wire.H2C, 1);
      for (int i = 0; i < 5; i++) {
        URI broken = server.uri(Script.ok().fault(Script.Fault.CLOSE));
        assertInstanceOf(IOException.class, new Caller(() -> text(client, broken)).failure());
        assertEquals(
            "200 3", new Caller(() -> text(client, server.uri(Script.ok().body(3)))).result());
      }
    }
  }

  @Test
  void aCancelAtAnyMomentLosesNoTurn() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      server.maxStreams(2);
      BlockingOkHttpClient client = limited(Wire.H2C, 1);
      for (int round = 0; round < 40; round++) {
        List<Call> calls = new ArrayList<>();
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          Call call = client.newCall(get(server.uri(Script.ok().body(100))));
          calls.add(call);
          callers.add(
              new Caller(
                  () -> {
                    try (Response response = call.execute()) {
                      return response.body().bytes().length;
                    } catch (IOException e) {
                      return -1;
                    }
                  }));
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2_000_000));
        calls.forEach(Call::cancel);
        for (Caller each : callers) {
          each.result();
        }
        assertEquals(
            "200 3", new Caller(() -> text(client, server.uri(Script.ok().body(3)))).result());
      }
      ExecuteTest.await(
          () ->
              client.connectionPool().connectionCount()
                  == client.connectionPool().idleConnectionCount());
    }
  }

  @Test
  void aQueueTimeoutIsForLimitsAlone() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      OkHttpClient client =
          BlockingOkHttpClient.builder(settings(Wire.H2C).build())
              .queueTimeout(Duration.ZERO)
              .build();
      assertAll("200 100", call(client, server, Script.ok().body(100), 60));
    }
  }
}
