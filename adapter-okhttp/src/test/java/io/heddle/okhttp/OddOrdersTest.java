package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Connection;
import okhttp3.EventListener;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What interceptors and callbacks may do, if few do it. */
@Timeout(60)
class OddOrdersTest {

  private static final List<Thread.Builder> KINDS =
      List.of(Thread.ofVirtual(), Thread.ofPlatform());

  private static OkHttpClient.Builder settings(Wire wire) {
    return new OkHttpClient.Builder().protocols(KitClient.protocols(wire));
  }

  private static Request get(URI uri) {
    return new Request.Builder().url(uri.toString()).build();
  }

  /** Put before ours in a rebuilt client, it is outside of what waits for a place. */
  @Test
  void aCallThatGoesAgainFromTheFirstInterceptorWaitsForNoPlaceOfItsOwn() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingOkHttpClient client =
            BlockingOkHttpClient.builder(settings(Wire.HTTP_1_1).build())
                .maxRequests(1)
                .maxConnectionsPerHost(1)
                .queueTimeout(Duration.ofSeconds(1))
                .build()) {
      OkHttpClient.Builder builder = client.newBuilder();
      builder
          .interceptors()
          .add(
              0,
              chain -> {
                chain.proceed(chain.request()).close();
                return chain.proceed(chain.request());
              });
      OkHttpClient rebuilt = builder.build();
      URI uri = server.uri(Script.ok().body(10));
      assertEquals(10, new Caller(() -> AbandonedCallsTest.whole(rebuilt, uri)).result());
      assertEquals(2, server.seen(uri).size());
      assertEquals(10, new Caller(() -> AbandonedCallsTest.whole(client, uri)).result());
    }
  }

  /** Another thread than the caller's, as those do it that limit the time of a call. */
  private static Response elsewhere(Interceptor.Chain chain) throws IOException {
    FutureTask<Response> task = new FutureTask<>(() -> chain.proceed(chain.request()));
    Thread.startVirtualThread(task);
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw (IOException) Objects.requireNonNull(e.getCause());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void anInterceptorMayProceedOnAnotherThread() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              settings(Wire.H2C).addInterceptor(OddOrdersTest::elsewhere).build());
      URI uri = server.uri(Script.ok().body(10).fault(Script.Fault.STREAM_REFUSED).times(3));
      assertEquals(10, new Caller(() -> AbandonedCallsTest.whole(client, uri)).result());
    }
  }

  private static final class OfTheUser extends IOException {
    private static final long serialVersionUID = 1L;

    OfTheUser(IOException cause) {
      super(cause);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void whatAnInterceptorMakesOfAnInterruptArrivesAsItself(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              settings(wire)
                  .addInterceptor(
                      chain -> {
                        try {
                          return chain.proceed(chain.request());
                        } catch (IOException e) {
                          throw new OfTheUser(e);
                        }
                      })
                  .build());
      for (Thread.Builder kind : KINDS) {
        URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
        Caller caller = new Caller(kind, () -> AbandonedCallsTest.whole(client, uri));
        ExecuteTest.await(() -> server.seen(uri).size() == 1);
        caller.thread().interrupt();
        Throwable failure = assertInstanceOf(OfTheUser.class, caller.failure());
        assertInstanceOf(InterruptedIOException.class, failure.getCause());
      }
    }
  }

  /** It is executed, although on a thread of the dispatcher. */
  @Test
  void aCallThatACallbackExecutesEndsWithItsClient() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      BlockingOkHttpClient client = BlockingOkHttpClient.wrap(settings(Wire.HTTP_1_1).build());
      URI stalls = server.uri(Script.ok().fault(Script.Fault.STALL));
      CompletableFuture<Object> outcome = new CompletableFuture<>();
      client
          .newCall(get(server.uri(Script.ok())))
          .enqueue(
              new Callback() {
                @Override
                public void onResponse(Call call, Response response) {
                  response.close();
                  try {
                    outcome.complete(AbandonedCallsTest.whole(client, stalls));
                  } catch (IOException e) {
                    outcome.complete(e);
                  }
                }

                @Override
                public void onFailure(Call call, IOException e) {
                  outcome.complete(e);
                }
              });
      ExecuteTest.await(() -> server.seen(stalls).size() == 1);
      assertEquals(1, client.inFlight());
      client.close();
      assertInstanceOf(IOException.class, outcome.get(10, TimeUnit.SECONDS));
      client.dispatcher().executorService().shutdown();
    }
  }

  /** Counts what must come in pairs. */
  private static final class Pairs extends EventListener {
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger held = new AtomicInteger();

    @Override
    public void callStart(Call call) {
      open.incrementAndGet();
    }

    @Override
    public void connectionAcquired(Call call, Connection connection) {
      held.incrementAndGet();
    }

    @Override
    public void connectionReleased(Call call, Connection connection) {
      held.decrementAndGet();
    }

    @Override
    public void callEnd(Call call) {
      open.decrementAndGet();
    }

    @Override
    public void callFailed(Call call, IOException failure) {
      open.decrementAndGet();
    }
  }

  /** Sockets from which no byte comes for a while. */
  private static final class SlowSockets extends TestSockets {
    private volatile int pauseMillis;

    @Override
    public Socket createSocket() {
      return new Socket() {
        @Override
        public InputStream getInputStream() throws IOException {
          return new FilterInputStream(super.getInputStream()) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
              try {
                return in.read(bytes, offset, length);
              } finally { // also of a read that a close ends
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMillis));
              }
            }
          };
        }
      };
    }
  }

  /** Nobody is there any more to tell of it but the worker. */
  @Test
  void aWorkerThatComesLateTellsOfTheEndItself() throws Exception {
    Pairs pairs = new Pairs();
    SlowSockets sockets = new SlowSockets();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              settings(Wire.HTTP_1_1).socketFactory(sockets).eventListener(pairs).build());
      URI uri = server.uri(Script.ok().body(200).drip(100, Duration.ofMillis(200)));
      Caller caller =
          new Caller(
              Thread.ofPlatform(),
              () -> {
                Response response = client.newCall(get(uri)).execute();
                sockets.pauseMillis = 1000; // more than a caller waits
                response.close();
                return pairs.open.get();
              });
      assertEquals(1, caller.result(), "the worker is late");
      ExecuteTest.await(() -> pairs.open.get() == 0 && pairs.held.get() == 0);
    }
  }

  private static Response twice(Interceptor.Chain chain) throws IOException {
    chain.proceed(chain.request()).close();
    return chain.proceed(chain.request());
  }

  private static Response againInSpiteOfAll(Interceptor.Chain chain) throws IOException {
    try {
      return chain.proceed(chain.request());
    } catch (IOException e) {
      boolean interrupted = Thread.interrupted();
      try {
        return chain.proceed(chain.request());
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  /** A call to which something happens at some moment, or nothing. */
  private static Caller start(OkHttpClient client, Request request, Random random) {
    Call call = client.newCall(request);
    int event = random.nextInt(4);
    Caller caller =
        new Caller(
            KINDS.get(random.nextInt(2)),
            () -> {
              try (Response response = call.execute()) {
                return event == 0 ? response.code() : response.body().bytes().length;
              } catch (IOException e) {
                return e;
              }
            });
    LockSupport.parkNanos(random.nextInt(3_000_000));
    if (event == 1) {
      caller.thread().interrupt();
    } else if (event == 2) {
      call.cancel();
    }
    return caller;
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void whateverInterceptorsDoConnectionsComeBack(Wire wire) throws Exception {
    Random random = new Random(7);
    for (Interceptor odd :
        List.<Interceptor>of(OddOrdersTest::twice, OddOrdersTest::againInSpiteOfAll)) {
      Pairs pairs = new Pairs();
      try (FaultServer server = FaultServer.start(wire);
          BlockingOkHttpClient client =
              BlockingOkHttpClient.wrap(
                  settings(wire).eventListener(pairs).addInterceptor(odd).build())) {
        String end = server.uri(Script.ok().body(20_000)).toString();
        List<URI> uris =
            List.of(
                server.uri(Script.answer(302).header("Location", end).body(100_000)),
                server.uri(Script.ok().body(1_000_000)),
                server.uri(Script.ok().body(100).drip(20, Duration.ofMillis(2))));
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
          Request request = get(uris.get(i % uris.size()));
          if (random.nextBoolean()) {
            request =
                request.newBuilder().post(RequestBody.create(new byte[100_000], null)).build();
          }
          callers.add(
              start(random.nextBoolean() ? client : client.newBuilder().build(), request, random));
        }
        for (Caller each : callers) {
          each.result();
        }
        AbandonedCallsTest.awaitIdle(client);
        try {
          ExecuteTest.await(() -> pairs.open.get() == 0 && pairs.held.get() == 0);
        } catch (AssertionError e) {
          throw new AssertionError(pairs.open + " open, " + pairs.held + " held; " + client, e);
        }
        assertEquals(0, client.inFlight());
      }
    }
  }
}
