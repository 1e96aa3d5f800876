package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import okhttp3.Cache;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Cookie;
import okhttp3.CookieJar;
import okhttp3.Credentials;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a caller of {@code execute()} knows from OkHttp and finds here: each test holds for OkHttp's
 * own client, too, run with the system property {@code heddle.okhttp.stock}.
 */
@Timeout(30)
class ExecuteTest {

  private static final boolean STOCK = Boolean.getBoolean("heddle.okhttp.stock");

  private static FaultServer server;

  @BeforeAll
  static void start() {
    server = FaultServer.start(Wire.HTTP_1_1);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static OkHttpClient client(OkHttpClient.Builder builder) {
    OkHttpClient stock = builder.build();
    return STOCK ? stock : BlockingOkHttpClient.wrap(stock);
  }

  private static Request get(Script script) {
    return new Request.Builder().url(server.uri(script).toString()).build();
  }

  private static Request post(Script script, RequestBody body) {
    return get(script).newBuilder().post(body).build();
  }

  static String text(Call call) throws IOException {
    try (Response response = call.execute()) {
      return response.code() + " " + response.body().bytes().length;
    }
  }

  // ---- the state of a call ----------------------------------------------------------------------

  @Test
  void theSecondExecuteIsRefused() throws Exception {
    Call call = client(new OkHttpClient.Builder()).newCall(get(Script.ok().body(3)));
    assertFalse(call.isExecuted());
    assertEquals("200 3", text(call));
    assertTrue(call.isExecuted());
    Exception again = assertThrows(IllegalStateException.class, call::execute);
    assertEquals("Already Executed", again.getMessage());
    assertThrows(IllegalStateException.class, () -> call.enqueue(new Outcome()));
  }

  @Test
  void executeAfterEnqueueIsRefused() throws Exception {
    Call call = client(new OkHttpClient.Builder()).newCall(get(Script.ok()));
    Outcome outcome = new Outcome();
    call.enqueue(outcome);
    assertThrows(IllegalStateException.class, call::execute);
    assertEquals("200", outcome.get());
    assertSame(call, outcome.call.get());
  }

  @Test
  void aCloneIsExecutedAfresh() throws Exception {
    Call call = client(new OkHttpClient.Builder()).newCall(get(Script.ok().body(3)));
    text(call);
    Call clone = call.clone();
    assertFalse(clone.isExecuted());
    assertSame(call.request(), clone.request());
    assertEquals("200 3", text(clone));
  }

  @Test
  void tagsAreThoseOfTheRequestAndReachInterceptors() throws Exception {
    AtomicReference<String> seen = new AtomicReference<>();
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .addInterceptor(
                    chain -> {
                      seen.set(chain.request().tag(String.class));
                      return chain.proceed(chain.request());
                    }));
    Request request = get(Script.ok()).newBuilder().tag(String.class, "loom").build();
    Call call = client.newCall(request);
    text(call);
    assertEquals("loom", seen.get());
    assertEquals("loom", call.request().tag(String.class));
  }

  @Test
  void anExecutedCallCountsAsRunningUntilItsHeadIsThere() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    Request request = get(Script.ok().fault(Script.Fault.STALL));
    Caller caller = new Caller(() -> text(client.newCall(request)));
    Seen seen = stalled(request);
    assertEquals(1, client.dispatcher().runningCallsCount());
    assertEquals(0, client.dispatcher().queuedCallsCount());
    seen.release();
    caller.result();
    assertEquals(0, client.dispatcher().runningCallsCount());
  }

  // ---- events -----------------------------------------------------------------------------------

  private static final List<String> GOOD =
      List.of(
          "callStart",
          "proxySelectStart",
          "proxySelectEnd",
          "connectStart",
          "connectEnd",
          "connectionAcquired",
          "requestHeadersStart",
          "requestHeadersEnd",
          "responseHeadersStart",
          "responseHeadersEnd",
          "responseBodyStart",
          "responseBodyEnd",
          "connectionReleased",
          "callEnd");

  @Test
  void eventsComeInTheirOrder() throws Exception {
    Events events = new Events();
    OkHttpClient client = client(new OkHttpClient.Builder().eventListener(events));
    text(client.newCall(get(Script.ok().body(3))));
    assertEquals(GOOD, events.withoutRepeats());
  }

  @Test
  void aFailedCallTellsItsListenerBeforeItEnds() {
    Events events = new Events();
    OkHttpClient client = client(new OkHttpClient.Builder().eventListener(events));
    Request request = get(Script.ok().fault(Script.Fault.CLOSE));
    assertThrows(IOException.class, () -> text(client.newCall(request)));
    assertEquals("callFailed", events.last());
    assertFalse(events.has("canceled"));
  }

  @Test
  void oneListenerIsMadePerCall() throws Exception {
    AtomicInteger made = new AtomicInteger();
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .eventListenerFactory(
                    call -> {
                      made.incrementAndGet();
                      return new Events();
                    }));
    text(client.newCall(get(Script.ok())));
    assertEquals(1, made.get());
  }

  // ---- cancel -----------------------------------------------------------------------------------

  @Test
  void aCallThatIsCancelledBeforeFails() {
    OkHttpClient client = client(new OkHttpClient.Builder());
    Request request = get(Script.ok());
    Call call = client.newCall(request);
    call.cancel();
    assertTrue(call.isCanceled());
    assertEquals("Canceled", assertThrows(IOException.class, call::execute).getMessage());
    assertEquals(0, server.seen(URI.create(request.url().toString())).size());
  }

  @Test
  void aCallThatIsCancelledFromAnotherThreadFailsAtOnce() throws Exception {
    Events events = new Events();
    OkHttpClient client = client(new OkHttpClient.Builder().eventListener(events));
    Request request = get(Script.ok().fault(Script.Fault.STALL));
    Call call = client.newCall(request);
    Caller caller = new Caller(() -> text(call));
    stalled(request);
    call.cancel();
    assertInstanceOf(IOException.class, caller.failure());
    assertTrue(call.isCanceled());
    assertEquals(1, events.count("canceled"));
    assertTrue(events.has("callFailed"));
  }

  @Test
  void aListenerHearsOfACancelOverHttp2() throws Exception {
    try (FaultServer http2 = FaultServer.start(Wire.H2C)) {
      Events events = new Events();
      OkHttpClient client =
          client(
              new OkHttpClient.Builder()
                  .protocols(KitClient.protocols(Wire.H2C))
                  .eventListener(events));
      URI uri = http2.uri(Script.ok().fault(Script.Fault.STALL));
      Call call = client.newCall(new Request.Builder().url(uri.toString()).build());
      Caller caller = new Caller(() -> text(call));
      await(() -> !http2.seen(uri).isEmpty());
      call.cancel();
      assertInstanceOf(IOException.class, caller.failure());
      assertEquals(1, events.count("canceled"));
    }
  }

  @Test
  void theTimeoutOfACallBeginsWithItsExecution() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder().callTimeout(Duration.ofMillis(1500)));
    Call call = client.newCall(get(Script.ok().body(3)));
    Thread.sleep(1600);
    assertEquals("200 3", text(call));
  }

  @Test
  void theDispatcherCancelsExecutedCalls() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    Request request = get(Script.ok().fault(Script.Fault.STALL));
    Caller caller = new Caller(() -> text(client.newCall(request)));
    stalled(request);
    client.dispatcher().cancelAll();
    assertInstanceOf(IOException.class, caller.failure());
  }

  @Test
  void aCancelAfterTheEndHarmsNothing() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    Call call = client.newCall(get(Script.ok().body(3)));
    text(call);
    call.cancel();
    assertEquals("200 3", text(client.newCall(get(Script.ok().body(3)))));
    assertEquals(1, client.connectionPool().connectionCount());
  }

  // ---- exceptions -------------------------------------------------------------------------------

  @Test
  void anInterceptorsRuntimeExceptionArrivesAsItself() {
    Events events = new Events();
    AtomicReference<Throwable> uncaught = new AtomicReference<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> uncaught.set(thrown));
    try {
      RuntimeException own = new IllegalArgumentException("own");
      OkHttpClient client =
          client(
              new OkHttpClient.Builder()
                  .eventListener(events)
                  .addInterceptor(
                      chain -> {
                        throw own;
                      }));
      Call call = client.newCall(get(Script.ok()));
      assertSame(own, assertThrows(RuntimeException.class, call::execute));
      assertFalse(call.isCanceled());
      assertFalse(events.has("canceled"));
      assertEquals(null, uncaught.get());
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  @Test
  void anInterceptorsErrorArrivesAsItself() {
    Error own = new StackOverflowError("own");
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .addInterceptor(
                    chain -> {
                      throw own;
                    }));
    assertSame(own, assertThrows(Error.class, () -> text(client.newCall(get(Script.ok())))));
  }

  @Test
  void failuresHaveTheirTypesAndMessages() {
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .dns(
                    host -> {
                      if (host.startsWith("nowhere")) {
                        throw new UnknownHostException("no " + host);
                      }
                      return List.of(InetAddress.getLoopbackAddress());
                    }));
    Call nobody = client.newCall(new Request.Builder().url("http://loom.test:1/").build());
    assertMessage("Failed to connect to ", assertThrows(ConnectException.class, nobody::execute));
    Call nowhere = client.newCall(new Request.Builder().url("http://nowhere.test/").build());
    assertEquals(
        "no nowhere.test", assertThrows(UnknownHostException.class, nowhere::execute).getMessage());
    Call closed = client.newCall(get(Script.ok().fault(Script.Fault.CLOSE)));
    assertMessage(
        "unexpected end of stream on http://", assertThrows(IOException.class, closed::execute));
  }

  @Test
  void aCallTimeoutIsAnInterruptedIOException() {
    Events events = new Events();
    OkHttpClient client =
        client(
            new OkHttpClient.Builder().eventListener(events).callTimeout(Duration.ofMillis(200)));
    Call call = client.newCall(get(Script.ok().fault(Script.Fault.STALL)));
    InterruptedIOException timeout = assertThrows(InterruptedIOException.class, call::execute);
    assertEquals("timeout", timeout.getMessage());
    assertTrue(call.isCanceled());
    assertTrue(events.has("callFailed"));
  }

  @Test
  void theCallTimeoutSpansTheBody() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder().callTimeout(Duration.ofSeconds(2)));
    Call call = client.newCall(get(Script.ok().body(10_000).drip(10, Duration.ofMillis(50))));
    long start = System.nanoTime();
    try (Response response = call.execute()) {
      assertThrows(InterruptedIOException.class, () -> response.body().bytes());
    }
    assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10));
  }

  @Test
  void theTimeoutOfOneCallCanBeSet() {
    Call call =
        client(new OkHttpClient.Builder()).newCall(get(Script.ok().fault(Script.Fault.STALL)));
    call.timeout().timeout(100, TimeUnit.MILLISECONDS);
    assertEquals("timeout", assertThrows(InterruptedIOException.class, call::execute).getMessage());
  }

  // ---- threads, limits, nesting -----------------------------------------------------------------

  @Test
  void thereIsNoLimitOfCalls() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    List<Caller> callers = new ArrayList<>();
    List<Seen> all = new ArrayList<>();
    for (int i = 0; i < 80; i++) { // a dispatcher has 64, and 5 per host
      Request request = get(Script.ok().fault(Script.Fault.STALL));
      callers.add(new Caller(() -> text(client.newCall(request))));
      all.add(stalled(request));
    }
    all.forEach(Seen::release);
    for (Caller each : callers) {
      assertEquals("200 0", each.result());
    }
  }

  @Test
  void callsWithinInterceptorsWork() throws Exception {
    AtomicReference<OkHttpClient> self = new AtomicReference<>();
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .addInterceptor(
                    chain -> {
                      if (chain.request().header("inner") == null) {
                        Request inner =
                            chain.request().newBuilder().header("inner", "true").build();
                        assertEquals(
                            "200 3", text(Objects.requireNonNull(self.get()).newCall(inner)));
                      }
                      return chain.proceed(chain.request());
                    }));
    self.set(client);
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      callers.add(new Caller(() -> text(client.newCall(get(Script.ok().body(3))))));
    }
    for (Caller each : callers) {
      assertEquals("200 3", each.result());
    }
  }

  @Test
  void callsWithinAuthenticatorsWork() throws Exception {
    AtomicReference<OkHttpClient> self = new AtomicReference<>();
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .authenticator(
                    (route, response) -> {
                      assertEquals(
                          "200 3",
                          text(
                              Objects.requireNonNull(self.get())
                                  .newCall(get(Script.ok().body(3)))));
                      return response
                          .request()
                          .newBuilder()
                          .header("Authorization", Credentials.basic("penelope", "ithaca"))
                          .build();
                    }));
    self.set(client);
    assertEquals(
        "200 5", text(client.newCall(get(Script.ok().body(5).requires("penelope", "ithaca")))));
  }

  @Test
  void theUsersExecutorMayBeShutDown() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    client.dispatcher().executorService().shutdown();
    assertEquals("200 3", text(client.newCall(get(Script.ok().body(3)))));
  }

  // ---- the chain --------------------------------------------------------------------------------

  @Test
  void interceptorsRunInTheirOrder() throws Exception {
    List<String> order = new ArrayList<>();
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .addInterceptor(
                    chain -> {
                      order.add("first");
                      Response response = chain.proceed(chain.request());
                      order.add("first again");
                      return response;
                    })
                .addInterceptor(
                    chain -> {
                      order.add("second");
                      return chain.proceed(chain.request());
                    })
                .addNetworkInterceptor(
                    chain -> {
                      order.add("network " + (chain.connection() != null));
                      return chain.proceed(chain.request());
                    }));
    text(client.newCall(get(Script.ok())));
    assertEquals(List.of("first", "second", "network true", "first again"), order);
  }

  @Test
  void redirectsAreFollowedAndKnown() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    URI target = server.uri(Script.ok().body(3));
    Request request = get(Script.answer(302).header("Location", target.toString()).body(10));
    try (Response response = client.newCall(request).execute()) {
      assertEquals(3, response.body().bytes().length);
      assertEquals(302, response.priorResponse().code());
      assertEquals(target.toString(), response.request().url().toString());
    }
  }

  @Test
  void cookiesAreKept() throws Exception {
    List<Cookie> kept = new ArrayList<>();
    CookieJar jar =
        new CookieJar() {
          @Override
          public void saveFromResponse(HttpUrl url, List<Cookie> cookies) {
            kept.addAll(cookies);
          }

          @Override
          public List<Cookie> loadForRequest(HttpUrl url) {
            return List.copyOf(kept);
          }
        };
    OkHttpClient client = client(new OkHttpClient.Builder().cookieJar(jar));
    text(client.newCall(get(Script.ok().header("Set-Cookie", "warp=weft; Path=/"))));
    Request second = get(Script.ok());
    text(client.newCall(second));
    assertEquals("warp=weft", only(second).header("cookie"));
  }

  @Test
  void whatMayBeCachedComesFromTheCache(@TempDir Path directory) throws Exception {
    try (Cache cache = new Cache(directory.toFile(), 1_000_000)) {
      OkHttpClient client = client(new OkHttpClient.Builder().cache(cache));
      Request request = get(Script.ok().body(3000).header("Cache-Control", "max-age=600"));
      assertEquals("200 3000", text(client.newCall(request)));
      try (Response response = client.newCall(request).execute()) {
        assertNotNull(response.cacheResponse());
        assertEquals(3000, response.body().bytes().length);
      }
      assertNotNull(only(request));
    }
  }

  @Test
  void gzipIsUndone() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    try (Response response = client.newCall(get(Script.ok().body(5000).gzip())).execute()) {
      assertEquals(null, response.header("Content-Encoding"));
      assertEquals(5000, response.body().bytes().length);
    }
  }

  @Test
  void aBodyIsSentAsItWritesItself() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    Request request = post(Script.ok().body(3), RequestBody.create(new byte[5000], null));
    assertEquals("200 3", text(client.newCall(request)));
    assertEquals(5000, only(request).bodyBytes());
  }

  // ---- the end of a response --------------------------------------------------------------------

  @Test
  void whatABodyFlushesIsSentAlthoughItFailsThen() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder().retryOnConnectionFailure(false));
    RequestBody fails =
        new RequestBody() {
          @Override
          public @Nullable MediaType contentType() {
            return null;
          }

          @Override
          public void writeTo(BufferedSink sink) throws IOException {
            sink.writeUtf8("begun").flush();
            throw new IOException("boom");
          }
        };
    for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
      Request request = post(Script.ok(), fails);
      Caller caller = new Caller(kind, () -> text(client.newCall(request)));
      assertEquals("boom", caller.failure().getMessage());
      URI uri = URI.create(request.url().toString());
      await(() -> server.seen(uri).size() == 1);
      await(() -> server.seen(uri).get(0).bodyBytes() == 5);
    }
  }

  @Test
  void aListenerHearsOfTheHeadBeforeTheBodyIsWritten() throws Exception {
    for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
      Events events = new Events();
      AtomicReference<String> before = new AtomicReference<>();
      RequestBody body =
          new RequestBody() {
            @Override
            public @Nullable MediaType contentType() {
              return null;
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
              before.set(events.last());
              sink.writeUtf8("all");
            }
          };
      OkHttpClient client = client(new OkHttpClient.Builder().eventListener(events));
      Request request = post(Script.ok().body(3), body);
      assertEquals("200 3", new Caller(kind, () -> text(client.newCall(request))).result());
      assertEquals("requestHeadersEnd", before.get());
    }
  }

  @Test
  void aBodyIsReadOnce() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
      for (int length : new int[] {3, 100_000}) {
        Call call = client.newCall(get(Script.ok().body(length)));
        Caller caller =
            new Caller(
                kind,
                () -> {
                  try (Response response = call.execute()) {
                    response.body().bytes();
                    return response.body().bytes().length;
                  }
                });
        assertInstanceOf(IllegalStateException.class, caller.failure());
      }
    }
  }

  @Test
  void anEarlyCloseFreesTheConnection() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    client.newCall(get(Script.ok().body(100_000))).execute().close();
    assertEquals(1, client.connectionPool().idleConnectionCount()); // little was left
    Response stalls =
        client.newCall(get(Script.ok().body(10_000).fault(Script.Fault.STALL, 100))).execute();
    stalls.close();
    assertEquals(
        client.connectionPool().connectionCount(), client.connectionPool().idleConnectionCount());
  }

  @Test
  void aLateResponseIsClosed() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .addInterceptor(
                    chain -> {
                      Response response = chain.proceed(chain.request());
                      begun.countDown();
                      awaitUninterruptibly(mayEnd);
                      return response;
                    }));
    Call call = client.newCall(get(Script.ok().body(100_000)));
    Caller caller = new Caller(() -> text(call));
    begun.await();
    call.cancel();
    mayEnd.countDown();
    assertInstanceOf(IOException.class, caller.failure());
    await(
        () ->
            client.connectionPool().connectionCount()
                == client.connectionPool().idleConnectionCount());
  }

  @Test
  void aCachedOrBuiltResponseNeedsNoWorkerForItsBody() throws Exception {
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .addInterceptor(
                    chain ->
                        new Response.Builder()
                            .request(chain.request())
                            .protocol(okhttp3.Protocol.HTTP_1_1)
                            .code(200)
                            .message("made up")
                            .body(okhttp3.ResponseBody.create("loom", null))
                            .build()));
    try (Response response = client.newCall(get(Script.ok())).execute()) {
      assertEquals("loom", response.body().string());
    }
  }

  // ---- tools ------------------------------------------------------------------------------------

  private static void assertMessage(String start, Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    assertTrue(message.startsWith(start), message);
  }

  private static Seen stalled(Request request) throws InterruptedException {
    URI uri = URI.create(request.url().toString());
    await(() -> server.seen(uri).size() == 1 && server.seen(uri).get(0).isStalled());
    return server.seen(uri).get(0);
  }

  private static Seen only(Request request) {
    List<Seen> all = server.seen(URI.create(request.url().toString()));
    assertEquals(1, all.size());
    return all.get(0);
  }

  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "it does not come to be");
      LockSupport.parkNanos(2_000_000);
    }
  }

  static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** What an enqueued call came to. */
  private static final class Outcome implements Callback {
    private final AtomicReference<Object> result = new AtomicReference<>();
    private final AtomicReference<Call> call = new AtomicReference<>();

    @Override
    public void onResponse(Call call, Response response) {
      this.call.set(call);
      result.set(String.valueOf(response.code()));
      response.close();
    }

    @Override
    public void onFailure(Call call, IOException e) {
      this.call.set(call);
      result.set(e);
    }

    Object get() {
      await(() -> result.get() != null);
      return Objects.requireNonNull(result.get());
    }
  }
}
