package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Cache;
import okhttp3.Cookie;
import okhttp3.CookieJar;
import okhttp3.Credentials;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.internal.http2.StreamResetException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What frameworks do to the client they are given: {@code newBuilder()…build()}. */
@Timeout(30)
class RebuiltClientTest {

  private final AtomicReference<Thread> ranOn = new AtomicReference<>();
  private FaultServer server;

  @BeforeEach
  void start() {
    server = FaultServer.start(Wire.H2C);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static OkHttpClient.Builder settings() {
    return new OkHttpClient.Builder().protocols(KitClient.protocols(Wire.H2C));
  }

  private OkHttpClient rebuilt() {
    return BlockingOkHttpClient.wrap(settings().build())
        .newBuilder()
        .addInterceptor(
            chain -> {
              ranOn.set(Thread.currentThread());
              return chain.proceed(chain.request());
            })
        .build();
  }

  private Request get(Script script) {
    return new Request.Builder().url(server.uri(script).toString()).build();
  }

  private static long whole(OkHttpClient client, Request request) throws IOException {
    try (Response response = client.newCall(request).execute()) {
      return response.body().bytes().length;
    }
  }

  @Test
  void interceptorsRunOnTheCaller() throws Exception {
    OkHttpClient client = rebuilt();
    Request request = get(Script.ok().body(1_000_000));
    for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
      Caller caller = new Caller(kind, () -> whole(client, request));
      assertEquals(1_000_000L, caller.result());
      assertSame(caller.thread(), ranOn.get());
    }
  }

  /** It may be interrupted, or hold its carrier, just as the caller. */
  @Test
  void aThreadOfAnInterceptorsDoesNotTalkToTheServer() throws Exception {
    AtomicReference<Thread> talked = new AtomicReference<>();
    OkHttpClient client =
        rebuilt()
            .newBuilder()
            .addInterceptor(
                chain -> {
                  Caller other = new Caller(() -> chain.proceed(chain.request()));
                  ranOn.set(other.thread());
                  try {
                    return (Response) other.result();
                  } catch (Exception e) {
                    throw new IOException(e);
                  }
                })
            .addNetworkInterceptor(
                chain -> {
                  talked.set(Thread.currentThread());
                  return chain.proceed(chain.request());
                })
            .build();
    assertEquals(3L, new Caller(() -> whole(client, get(Script.ok().body(3)))).result());
    assertNotSame(ranOn.get(), talked.get());
  }

  @Test
  void anInterruptHarmsNoSibling() throws Exception {
    OkHttpClient client = rebuilt();
    whole(client, get(Script.ok()));
    URI stalls = server.uri(Script.ok().body(100).fault(Script.Fault.STALL));
    URI sibling = server.uri(Script.ok().body(100).fault(Script.Fault.STALL));
    Caller other =
        new Caller(() -> whole(client, new Request.Builder().url(sibling.toString()).build()));
    Caller caller =
        new Caller(() -> whole(client, new Request.Builder().url(stalls.toString()).build()));
    ExecuteTest.await(() -> server.seen(stalls).size() + server.seen(sibling).size() == 2);
    caller.thread().interrupt();
    assertInstanceOf(InterruptedIOException.class, caller.failure());
    server.seen(sibling).get(0).release();
    assertEquals(100L, other.result());
    assertEquals(1, server.seen(sibling).size());
    ExecuteTest.await(() -> client.connectionPool().idleConnectionCount() == 1);
  }

  @Test
  void aCallTimeoutEndsItsCall() throws Exception {
    OkHttpClient client = rebuilt().newBuilder().callTimeout(Duration.ofMillis(200)).build();
    Request request = get(Script.ok().fault(Script.Fault.STALL));
    Throwable failure = new Caller(() -> whole(client, request)).failure();
    assertEquals("timeout", assertInstanceOf(InterruptedIOException.class, failure).getMessage());
  }

  @Test
  void whetherARefusedRequestGoesAgainIsTheRebuiltClientsToSay() throws Exception {
    OkHttpClient client = rebuilt();
    URI again = server.uri(Script.ok().fault(Script.Fault.STREAM_REFUSED).times(3));
    assertEquals(0, whole(client, new Request.Builder().url(again.toString()).build()));
    URI once = server.uri(Script.ok().fault(Script.Fault.STREAM_REFUSED).times(3));
    OkHttpClient cautious = client.newBuilder().retryOnConnectionFailure(false).build();
    Request request = new Request.Builder().url(once.toString()).build();
    Throwable failure = new Caller(() -> whole(cautious, request)).failure();
    assertInstanceOf(StreamResetException.class, failure);
    assertEquals(1, server.seen(once).size());
  }

  @Test
  void whatOkHttpDoesAroundACallIsDone(@TempDir Path directory) throws Exception {
    Set<Thread> askedOn = ConcurrentHashMap.newKeySet();
    Map<String, Cookie> kept = new ConcurrentHashMap<>();
    CookieJar jar =
        new CookieJar() {
          @Override
          public void saveFromResponse(HttpUrl url, List<Cookie> cookies) {
            cookies.forEach(each -> kept.put(each.name(), each));
          }

          @Override
          public List<Cookie> loadForRequest(HttpUrl url) {
            askedOn.add(Thread.currentThread());
            return List.copyOf(kept.values());
          }
        };
    try (Cache cache = new Cache(directory.toFile(), 1_000_000)) {
      OkHttpClient client =
          rebuilt()
              .newBuilder()
              .cookieJar(jar)
              .cache(cache)
              .authenticator(
                  (route, response) ->
                      response
                          .request()
                          .newBuilder()
                          .header("Authorization", Credentials.basic("penelope", "ithaca"))
                          .build())
              .build();
      Request request =
          get(
              Script.ok()
                  .body(3000)
                  .requires("penelope", "ithaca")
                  .header("Set-Cookie", "warp=weft; Path=/")
                  .header("Cache-Control", "public, max-age=600"));
      assertEquals(3000L, new Caller(() -> whole(client, request)).result());
      List<Seen> seen = server.seen(request.url().uri());
      assertEquals(2, seen.size()); // without credentials, and with them
      assertEquals(3000L, new Caller(() -> whole(client, request)).result());
      assertEquals(1, cache.hitCount());
      Request other = get(Script.ok().body(100));
      assertEquals(100L, new Caller(() -> whole(client, other)).result());
      assertEquals("warp=weft", server.seen(other.url().uri()).get(0).header("cookie"));
    }
    assertTrue(askedOn.stream().allMatch(thread -> thread.getName().equals("caller")));
  }

  @Test
  void wrappingItAgainGivesBackTheRest() throws Exception {
    BlockingOkHttpClient ours = BlockingOkHttpClient.wrap(settings().build());
    assertSame(ours, BlockingOkHttpClient.wrap(ours));
    BlockingOkHttpClient again = BlockingOkHttpClient.wrap(ours.newBuilder().build());
    assertEquals(List.of(), again.interceptors());
    assertEquals(List.of(), again.networkInterceptors());
    assertEquals(100, whole(again, get(Script.ok().body(100))));
  }

  @Test
  void settingsAreSeenAsTheyWereGiven() {
    OkHttpClient stock = settings().build();
    OkHttpClient ours = BlockingOkHttpClient.wrap(stock);
    assertSame(stock.dns(), ours.dns());
    assertSame(stock.socketFactory(), ours.socketFactory());
    assertSame(stock.connectionPool(), ours.connectionPool());
    assertSame(stock.dispatcher(), ours.dispatcher());
    assertEquals(stock.interceptors(), ours.interceptors());
    assertEquals(stock.networkInterceptors(), ours.networkInterceptors());
    assertSame(stock.eventListenerFactory(), ours.eventListenerFactory());
  }
}
