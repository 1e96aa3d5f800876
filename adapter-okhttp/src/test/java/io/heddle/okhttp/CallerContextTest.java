package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Cookie;
import okhttp3.CookieJar;
import okhttp3.Credentials;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.helpers.BasicMDCAdapter;

/**
 * User code of a call runs where stock OkHttp runs it, on the caller's thread: with its
 * thread-locals, MDC and scoped values, and with the call that was made.
 */
@Timeout(60)
class CallerContextTest {

  private static final ThreadLocal<String> LOCAL = new ThreadLocal<>();

  /** What slf4j's MDC is with its simple providers. */
  private static final BasicMDCAdapter MDC = new BasicMDCAdapter();

  /** By hook: what it saw there, a word for each. */
  private final Map<String, Set<String>> seen = new ConcurrentSkipListMap<>();

  private final AtomicReference<Call> made = new AtomicReference<>();
  private final AtomicReference<Thread> caller = new AtomicReference<>();

  private void hook(String name, Call call) {
    Set<String> words = seen.computeIfAbsent(name, key -> ConcurrentHashMap.newKeySet());
    words.add(Thread.currentThread().equals(caller.get()) ? "caller" : "another thread");
    words.add(String.valueOf(LOCAL.get()));
    words.add(String.valueOf(MDC.get("thread")));
    words.add(call.equals(made.get()) ? "the call" : "another call");
    words.add(ConversationTest.OKHTTP_5 ? String.valueOf(call.tag(String.class)) : "tag");
  }

  private Response intercept(String name, Interceptor.Chain chain) throws IOException {
    hook(name, chain.call());
    return chain.proceed(chain.request());
  }

  /** Which of its events come while a call connects, on whatever thread, is OkHttp's affair. */
  private final class Listener extends EventListener {
    @Override
    public void callStart(Call call) {
      hook("callStart", call);
    }

    @Override
    public void connectionAcquired(Call call, Connection connection) {
      hook("connectionAcquired", call);
    }

    @Override
    public void requestHeadersStart(Call call) {
      hook("requestHeadersStart", call);
    }

    @Override
    public void requestHeadersEnd(Call call, Request request) {
      hook("requestHeadersEnd", call);
    }

    @Override
    public void requestBodyStart(Call call) {
      hook("requestBodyStart", call);
    }

    @Override
    public void requestBodyEnd(Call call, long byteCount) {
      hook("requestBodyEnd", call);
    }

    @Override
    public void responseHeadersStart(Call call) {
      hook("responseHeadersStart", call);
    }

    @Override
    public void responseHeadersEnd(Call call, Response response) {
      hook("responseHeadersEnd", call);
    }

    @Override
    public void responseBodyStart(Call call) {
      hook("responseBodyStart", call);
    }

    @Override
    public void responseBodyEnd(Call call, long byteCount) {
      hook("responseBodyEnd", call);
    }

    @Override
    public void connectionReleased(Call call, Connection connection) {
      hook("connectionReleased", call);
    }

    @Override
    public void callEnd(Call call) {
      hook("callEnd", call);
    }
  }

  private final class Body extends RequestBody {
    private final boolean oneShot;

    Body(boolean oneShot) {
      this.oneShot = oneShot;
    }

    @Override
    public @Nullable MediaType contentType() {
      return null;
    }

    @Override
    public boolean isOneShot() {
      return oneShot;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      hook("writeTo", Objects.requireNonNull(made.get()));
      sink.write(new byte[200_000]);
    }
  }

  private OkHttpClient.Builder settings(Wire wire) {
    return new OkHttpClient.Builder()
        .protocols(KitClient.protocols(wire))
        .eventListener(new Listener())
        .addInterceptor(chain -> intercept("interceptor", chain))
        .addNetworkInterceptor(chain -> intercept("network interceptor", chain))
        .cookieJar(
            new CookieJar() {
              @Override
              public void saveFromResponse(HttpUrl url, List<Cookie> cookies) {}

              @Override
              public List<Cookie> loadForRequest(HttpUrl url) {
                hook("cookies", Objects.requireNonNull(made.get()));
                return List.of();
              }
            })
        .authenticator(
            (route, response) -> {
              hook("authenticator", Objects.requireNonNull(made.get()));
              return response
                  .request()
                  .newBuilder()
                  .header("Authorization", Credentials.basic("penelope", "ithaca"))
                  .build();
            });
  }

  private void assertOnTheCaller(
      Thread.Builder kind, OkHttpClient client, Request request, int hooks) throws Exception {
    seen.clear();
    new Caller(
            kind,
            () -> {
              call(client, request);
              return true;
            })
        .result();
    Map<String, Set<String>> wrong = new TreeMap<>(seen);
    Set<String> right = new TreeSet<>(List.of("caller", "local", "mdc", "the call", "tag"));
    wrong.values().removeIf(right::equals);
    assertEquals(Map.of(), wrong);
    assertEquals(hooks, seen.size(), seen.keySet().toString());
  }

  private void call(OkHttpClient client, Request request) throws IOException {
    Call call = client.newCall(request);
    made.set(call);
    caller.set(Thread.currentThread());
    if (ConversationTest.OKHTTP_5) {
      call.tag(String.class, () -> "tag");
    }
    LOCAL.set("local");
    MDC.put("thread", "mdc");
    try (Response response = call.execute()) {
      assertEquals(200, response.code());
      assertEquals(100_000, response.body().bytes().length);
    } finally {
      LOCAL.remove();
      MDC.clear();
    }
  }

  private static OkHttpClient rebuilt(OkHttpClient client) {
    return client.newBuilder().addInterceptor(chain -> chain.proceed(chain.request())).build();
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void hooksRunOnTheCaller(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient stock = settings(wire).build();
      OkHttpClient ours =
          Boolean.getBoolean("heddle.okhttp.stock") ? stock : BlockingOkHttpClient.wrap(stock);
      for (OkHttpClient client : List.of(ours, rebuilt(ours))) {
        for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
          for (boolean oneShot : new boolean[] {false, true}) {
            Script script = oneShot ? Script.ok() : Script.ok().requires("penelope", "ithaca");
            Request request =
                new Request.Builder()
                    .url(server.uri(script.body(100_000)).toString())
                    .post(new Body(oneShot))
                    .build();
            assertOnTheCaller(kind, client, request, oneShot ? 16 : 17);
          }
        }
      }
    }
  }

  /** {@code ScopedValue} is there from JDK 25 on; the tests are compiled for 21. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void scopedValuesAreBound(Wire wire) throws Exception {
    assumeTrue(Runtime.version().feature() >= 25, "there are no scoped values");
    Class<?> type = Class.forName("java.lang.ScopedValue");
    Object value = type.getMethod("newInstance").invoke(null);
    Set<Object> bound = ConcurrentHashMap.newKeySet();
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              new OkHttpClient.Builder()
                  .protocols(KitClient.protocols(wire))
                  .eventListener(
                      new EventListener() {
                        @Override
                        public void responseHeadersEnd(Call call, Response response) {
                          look(type, value, bound);
                        }

                        @Override
                        public void callEnd(Call call) {
                          look(type, value, bound);
                        }
                      })
                  .addInterceptor(chain -> look(type, value, bound, chain))
                  .addNetworkInterceptor(chain -> look(type, value, bound, chain))
                  .build());
      Request request = new Request.Builder().url(server.uri(Script.ok()).toString()).build();
      Runnable call =
          () -> {
            try (Response response = client.newCall(request).execute()) {
              bound.add(response.code());
            } catch (IOException e) {
              bound.add(e);
            }
          };
      Object carrier = type.getMethod("where", type, Object.class).invoke(null, value, "weft");
      Method run = Class.forName("java.lang.ScopedValue$Carrier").getMethod("run", Runnable.class);
      for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
        bound.clear();
        new Caller(
                kind,
                () -> {
                  run.invoke(carrier, call);
                  return true;
                })
            .result();
        assertEquals(Set.of("weft", 200), bound);
      }
    }
  }

  private static Response look(
      Class<?> type, Object value, Set<Object> bound, Interceptor.Chain chain) throws IOException {
    look(type, value, bound);
    return chain.proceed(chain.request());
  }

  private static void look(Class<?> type, Object value, Set<Object> bound) {
    try {
      bound.add(type.getMethod("orElse", Object.class).invoke(value, "unbound"));
    } catch (ReflectiveOperationException e) {
      bound.add(e);
    }
  }

  /** The wire may change with the scheme, and so may the thread that talks to the server. */
  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1_TLS", "H2_TLS"})
  void aRedirectToTheOtherSchemeStaysOnTheCaller(Wire wire) throws Exception {
    try (FaultServer secure = FaultServer.start(wire);
        FaultServer plain = FaultServer.start(Wire.HTTP_1_1)) {
      OkHttpClient.Builder settings = settings(wire);
      KitClient.trust(settings, FaultServer.certificate());
      OkHttpClient client = BlockingOkHttpClient.wrap(settings.build());
      String last = secure.uri(Script.ok().body(100_000)).toString();
      URI second = plain.uri(Script.answer(302).header("Location", last));
      Script first = Script.answer(302).header("Location", second.toString());
      for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
        String url = secure.uri(first).toString();
        assertOnTheCaller(kind, client, new Request.Builder().url(url).build(), 13);
      }
      assertEquals(2, plain.seen(second).size());
    }
  }

  /** What a worker is made by must not show in the calls that it works for later. */
  @Test
  void workersInheritNothing() throws Exception {
    InheritableThreadLocal<String> who = new InheritableThreadLocal<>();
    Set<String> seenOnWorkers = ConcurrentHashMap.newKeySet();
    ClassLoader mine = new ClassLoader(getClass().getClassLoader()) {};
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
                  new OkHttpClient.Builder().protocols(KitClient.protocols(Wire.H2C)).build())
              .newBuilder()
              .addNetworkInterceptor( // behind ours, so it runs on the worker
                  chain -> {
                    Thread worker = Thread.currentThread();
                    assertTrue(worker.getName().startsWith(WorkerThreads.NAME));
                    seenOnWorkers.add(String.valueOf(who.get()));
                    seenOnWorkers.add(
                        mine.equals(worker.getContextClassLoader()) ? "a caller's" : "neutral");
                    return chain.proceed(chain.request());
                  })
              .build();
      new Caller(
              Thread.ofPlatform(),
              () -> {
                who.set("alice");
                Thread.currentThread().setContextClassLoader(mine);
                Request request =
                    new Request.Builder().url(server.uri(Script.ok()).toString()).build();
                try (Response response = client.newCall(request).execute()) {
                  return response.code();
                }
              })
          .result();
    }
    assertEquals(Set.of("null", "neutral"), seenOnWorkers);
  }

  @Test
  void theCallOfAnEnqueuedCallIsTheOneThatWasMade() throws Exception {
    AtomicReference<Call> told = new AtomicReference<>();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      OkHttpClient client = BlockingOkHttpClient.wrap(new OkHttpClient());
      Request request = new Request.Builder().url(server.uri(Script.ok()).toString()).build();
      Call call = client.newCall(request);
      call.enqueue(
          new okhttp3.Callback() {
            @Override
            public void onResponse(Call of, Response response) {
              response.close();
              told.set(of);
            }

            @Override
            public void onFailure(Call of, IOException e) {}
          });
      ExecuteTest.await(() -> told.get() != null);
      assertSame(call, told.get());
    }
  }
}
