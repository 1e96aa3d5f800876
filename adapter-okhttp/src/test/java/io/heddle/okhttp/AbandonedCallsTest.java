package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.EventListener;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What calls leave behind that were interrupted, timed out, or whose time limit was lifted. */
@Timeout(60)
class AbandonedCallsTest {

  private static OkHttpClient.Builder settings(Wire wire) {
    return new OkHttpClient.Builder().protocols(KitClient.protocols(wire));
  }

  private static Request get(URI uri) {
    return new Request.Builder().url(uri.toString()).build();
  }

  private static int whole(Call call) throws IOException {
    try (Response response = call.execute()) {
      return response.body().bytes().length;
    }
  }

  static int whole(Call.Factory client, URI uri) throws IOException {
    return whole(client.newCall(get(uri)));
  }

  static void awaitIdle(OkHttpClient client) {
    ExecuteTest.await(
        () ->
            client.connectionPool().connectionCount()
                == client.connectionPool().idleConnectionCount());
  }

  /** An interceptor of the user's that takes its time, whatever happens. */
  static Response slow(Interceptor.Chain chain) throws IOException {
    try {
      return chain.proceed(chain.request());
    } finally {
      long end = System.nanoTime() + Duration.ofMillis(400).toNanos();
      while (System.nanoTime() < end) {
        Thread.onSpinWait(); // not parked: an interrupt must not end it early
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void anInterruptGivesTheConnectionBackWhateverAnInterceptorDoes(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient wrapped =
          BlockingOkHttpClient.wrap(
              settings(wire).addInterceptor(AbandonedCallsTest::slow).build());
      OkHttpClient slowOnTheNetwork =
          BlockingOkHttpClient.wrap(
              settings(wire).addNetworkInterceptor(AbandonedCallsTest::slow).build());
      for (OkHttpClient client : List.of(wrapped, wrapped.newBuilder().build(), slowOnTheNetwork)) {
        for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
          URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
          Caller caller = new Caller(kind, () -> whole(client.newCall(get(uri))));
          ExecuteTest.await(() -> server.seen(uri).size() == 1);
          caller.thread().interrupt();
          assertInstanceOf(InterruptedIOException.class, caller.failure());
          awaitIdle(client);
        }
      }
    }
  }

  /** As okhttp-sse does it, once a stream of events has begun. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aTimeLimitThatIsLiftedDoesNotEndTheBody(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(settings(wire).callTimeout(Duration.ofSeconds(2)).build());
      URI uri = server.uri(Script.ok().body(20).drip(1, Duration.ofMillis(150)));
      Caller caller =
          new Caller(
              () -> {
                Call call = client.newCall(get(uri));
                try (Response response = call.execute()) {
                  call.timeout().cancel();
                  return response.body().bytes().length;
                }
              });
      assertEquals(20, caller.result());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void theCallTimeoutFreesTheWorkerOfAResponseThatNobodyCloses(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(settings(wire).callTimeout(Duration.ofSeconds(1)).build());
      URI uri = server.uri(Script.ok().body(30_000_000));
      Caller caller =
          new Caller(Thread.ofPlatform(), () -> client.newCall(get(uri)).execute().body());
      ResponseBody unclosed = (ResponseBody) caller.result();
      ExecuteTest.await(() -> server.seen(uri).get(0).isAborted());
      assertTrue(unclosed.contentLength() > 0);
      unclosed.close();
      awaitIdle(client);
    }
  }

  /** OkHttp leaves it a second after a read timeout, and never after a call timeout. */
  @Test
  void aPathThatDiedIsLeftAfterACallTimeout() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        PausingProxy proxy = new PausingProxy(server.port())) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              settings(Wire.H2C)
                  .callTimeout(Duration.ofMillis(500))
                  .readTimeout(Duration.ZERO)
                  .build());
      String there =
          server.uri(Script.ok()).toString().replace(":" + server.port(), ":" + proxy.port());
      Request request = new Request.Builder().url(there).build();
      Caller first = new Caller(() -> whole(client.newCall(request)));
      assertEquals(0, first.result());
      proxy.die();
      assertEquals(false, new Caller(() -> succeeds(client.newCall(request))).result());
      assertEquals(true, new Caller(() -> succeeds(client.newCall(request))).result());
    }
  }

  private static boolean succeeds(Call call) {
    try {
      return whole(call) == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Its pool is looked through again and again, by OkHttp's own thread. One that has nothing to do
   * may hold the call for which it has opened a connection, in an interpreted frame.
   */
  private static OkHttpClient.Builder keepingNoConnection(Wire wire) {
    return settings(wire).connectionPool(new ConnectionPool(0, 10, TimeUnit.MILLISECONDS));
  }

  /** OkHttp finds what nobody closed by the garbage collection of its call. */
  private static void awaitNoConnection(OkHttpClient client) {
    ExecuteTest.await(
        () -> {
          System.gc();
          return client.connectionPool().connectionCount() == 0;
        });
  }

  /** Stock has no thread to lose, and finds the connection as soon as the call is garbage. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void anInterceptorThatThrowsKeepsNoWorkerAtTheBodyThatItLeavesOpen(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              keepingNoConnection(wire)
                  .addInterceptor(
                      chain -> {
                        chain.proceed(chain.request());
                        throw new IOException("of the interceptor");
                      })
                  .build());
      URI uri = server.uri(Script.ok().body(30_000_000));
      Caller caller = new Caller(Thread.ofPlatform(), () -> whole(client, uri));
      assertEquals("of the interceptor", caller.failure().getMessage());
      awaitNoConnection(client);
    }
  }

  /** Nobody gets the response whose head it throws on. */
  @Test
  void aListenerThatThrowsKeepsNoWorker() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      List<Thread> workers = new CopyOnWriteArrayList<>();
      EventListener listener =
          new EventListener() {
            @Override
            public void responseHeadersEnd(Call call, Response response) {
              ExecuteTest.await(() -> workers.get(0).getState() == Thread.State.WAITING);
              throw new IllegalStateException("of the listener");
            }
          };
      OkHttpClient client =
          BlockingOkHttpClient.builder(settings(Wire.HTTP_1_1).eventListener(listener).build())
              .workers(work -> workers.add(Thread.ofPlatform().start(work)))
              .build();
      URI uri = server.uri(Script.ok().body(30_000_000));
      Caller caller = new Caller(Thread.ofPlatform(), () -> whole(client, uri));
      assertEquals("of the listener", caller.failure().getMessage());
      ExecuteTest.await(() -> !workers.get(0).isAlive());
    }
  }

  /** As OkHttp finds it: by the call that nobody holds any more. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aResponseThatIsDroppedUnclosedLeavesItsConnection(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client = BlockingOkHttpClient.wrap(keepingNoConnection(wire).build());
      URI uri = server.uri(Script.ok().body(10));
      new Caller(() -> client.newCall(get(uri)).execute().code()).result();
      awaitNoConnection(client);
      assertEquals(10, new Caller(() -> whole(client, uri)).result());
    }
  }

  /** Who waits for the caller to read on, for ever. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aLongResponseThatIsDroppedUnclosedLeavesItsWorker(Wire wire) throws Exception {
    String name = "worker-of-a-dropped-response";
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client =
          BlockingOkHttpClient.builder(keepingNoConnection(wire).build())
              .workers(work -> Thread.ofPlatform().name(name).start(work))
              .build();
      URI uri = server.uri(Script.ok().body(30_000_000));
      new Caller(Thread.ofPlatform(), () -> client.newCall(get(uri)).execute().code()).result();
      awaitNoConnection(client);
      ExecuteTest.await(() -> server.seen(uri).get(0).isAborted());
      ExecuteTest.await(
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(t -> t.getName().equals(name)));
    }
  }

  /** But one that somebody reads is his, however slow he is. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aLongResponseWhoseStreamAloneIsHeldIsRead(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client = BlockingOkHttpClient.wrap(settings(wire).build());
      URI uri = server.uri(Script.ok().body(3_000_000));
      Caller caller =
          new Caller(
              Thread.ofPlatform(),
              () -> {
                long read = 0;
                try (InputStream body = client.newCall(get(uri)).execute().body().byteStream()) {
                  byte[] piece = new byte[300_000];
                  for (int n; (n = body.readNBytes(piece, 0, piece.length)) > 0; read += n) {
                    System.gc();
                    Thread.sleep(20);
                  }
                }
                return read;
              });
      assertEquals(3_000_000L, caller.result());
    }
  }

  /** Or a client with limits would stand still at last. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aResponseThatIsDroppedUnclosedLeavesItsPlaces(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingOkHttpClient client =
            BlockingOkHttpClient.builder(keepingNoConnection(wire).build())
                .maxRequests(1)
                .maxConnectionsPerHost(1)
                .queueTimeout(Duration.ofMillis(50))
                .build()) {
      URI uri = server.uri(Script.ok().body(10));
      new Caller(() -> client.newCall(get(uri)).execute().code()).result();
      ExecuteTest.await(
          () -> {
            System.gc();
            return succeeds(client.newCall(get(server.uri(Script.ok()))));
          });
    }
  }

  /** Though no further call comes, which could look for it. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void whoWaitsGetsThePlaceOfAResponseThatIsDroppedUnclosed(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingOkHttpClient client =
            BlockingOkHttpClient.builder(keepingNoConnection(wire).build())
                .maxRequests(1)
                .build()) {
      URI dropped = server.uri(Script.ok().body(10));
      new Caller(() -> client.newCall(get(dropped)).execute().code()).result();
      URI uri = server.uri(Script.ok().body(10));
      Caller waiting = new Caller(() -> whole(client, uri));
      // or it is done: where a worker reads the body, the first call ends without its caller
      ExecuteTest.await(() -> waiting.waits() || waiting.isDone());
      ExecuteTest.await(
          () -> {
            System.gc();
            return waiting.isDone();
          });
      assertEquals(10, waiting.result());
    }
  }

  /** Their bodies are read by workers, who may be gone before the caller has the response. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void nothingOfARedirectedCallIsKept(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client = BlockingOkHttpClient.wrap(settings(wire).build());
      URI target = server.uri(Script.ok().body(10));
      String location = target.toString();
      List<WeakReference<Call>> calls = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        URI uri = server.uri(Script.answer(302).header("Location", location).body(5).chunked());
        Caller caller =
            new Caller(
                Thread.ofPlatform(),
                () -> {
                  Call call = client.newCall(get(uri));
                  calls.add(new WeakReference<>(call));
                  return whole(call);
                });
        assertEquals(10, caller.result());
      }
      ExecuteTest.await(
          () -> {
            System.gc();
            return calls.stream().filter(each -> each.get() != null).count() <= 1; // a last frame's
          });
    }
  }

  @Test
  void nothingOfACallIsKept() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      CallEngine engine = new CallEngine(new OkHttpClient(), null, null, null, null);
      OkHttpClient.Builder builder = new OkHttpClient.Builder();
      engine.install(builder, new OkHttpClient());
      OkHttpClient client = builder.build();
      for (int i = 0; i < 100; i++) {
        URI uri =
            server.uri(i % 2 == 0 ? Script.ok().body(10) : Script.ok().fault(Script.Fault.CLOSE));
        new Caller(() -> succeeds(client.newCall(get(uri)))).result();
        client.newCall(get(uri)); // which nobody executes
      }
      assertEquals(0, engine.live.size());
      engine.close();
    }
  }
}
