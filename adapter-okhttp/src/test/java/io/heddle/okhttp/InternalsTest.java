package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Connection;
import okhttp3.ConnectionPool;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.internal.connection.RealConnection;
import okio.AsyncTimeout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@link OkHttpInternals} knows of OkHttp is so: each test calls with OkHttp's own client. */
@Timeout(30)
class InternalsTest {

  private static OkHttpClient.Builder settings(Wire wire) {
    return KitClient.settings(wire).retryOnConnectionFailure(false);
  }

  private static Request get(URI uri) {
    return new Request.Builder().url(uri.toString()).build();
  }

  /** The connection over which a call has gone, and goes on to be in the pool. */
  private static Connection connection(OkHttpClient.Builder settings, URI uri) throws Exception {
    CompletableFuture<Connection> seen = new CompletableFuture<>();
    OkHttpClient client =
        settings
            .addNetworkInterceptor(
                chain -> {
                  seen.complete(chain.connection());
                  return chain.proceed(chain.request());
                })
            .build();
    client.newCall(get(uri)).execute().close();
    return seen.get();
  }

  @Test
  void timeoutsAreToldOfByTheWatchdog() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      CompletableFuture<Thread> teller = new CompletableFuture<>();
      OkHttpClient client =
          settings(Wire.HTTP_1_1)
              .callTimeout(Duration.ofMillis(100))
              .eventListener(
                  new EventListener() {
                    @Override
                    public void canceled(Call call) {
                      teller.complete(Thread.currentThread());
                    }
                  })
              .build();
      Call call = client.newCall(get(server.uri(Script.ok().fault(Script.Fault.STALL))));
      assertThrows(IOException.class, call::execute);
      assertTrue(OkHttpInternals.isWatchdog(teller.get(10, TimeUnit.SECONDS)));
      assertFalse(OkHttpInternals.isWatchdog(Thread.currentThread()));
    }
  }

  @Test
  void aDispatchersThreadIsKnownByItsName() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      CompletableFuture<Boolean> known = new CompletableFuture<>();
      OkHttpClient client =
          settings(Wire.HTTP_1_1)
              .addInterceptor(
                  chain -> {
                    known.complete(OkHttpInternals.isDispatcher(Thread.currentThread()));
                    return chain.proceed(chain.request());
                  })
              .build();
      client
          .newCall(get(server.uri(Script.ok())))
          .enqueue(
              new Callback() {
                @Override
                public void onResponse(Call call, Response response) {
                  response.close();
                }

                @Override
                public void onFailure(Call call, IOException e) {
                  known.completeExceptionally(e);
                }
              });
      assertTrue(known.get(10, TimeUnit.SECONDS));
      assertFalse(OkHttpInternals.isDispatcher(Thread.currentThread()));
    }
  }

  @Test
  void aConnectionKnowsHowManyStreamsTheServerAllows() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      server.maxStreams(5);
      Connection connection = connection(settings(Wire.H2C), server.uri(Script.ok()));
      assertTrue(OkHttpInternals.isMultiplexed(connection));
      ExecuteTest.await(() -> OkHttpInternals.streams(connection) == 5);
    }
  }

  @Test
  void aConnectionOfHttp11IsNotShared() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      assertFalse(
          OkHttpInternals.isMultiplexed(
              connection(settings(Wire.HTTP_1_1), server.uri(Script.ok()))));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void anExchangeEndsWithoutItsCall(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client =
          settings(wire)
              .addNetworkInterceptor(
                  chain -> {
                    Response response = chain.proceed(chain.request());
                    OkHttpInternals.cancelExchange(chain);
                    return response;
                  })
              .build();
      URI uri = server.uri(Script.ok().body(30_000_000));
      Call call = client.newCall(get(uri));
      try (Response response = call.execute()) {
        assertThrows(IOException.class, () -> response.body().bytes());
      }
      ExecuteTest.await(() -> server.seen(uri).get(0).isAborted());
      assertFalse(call.isCanceled());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void anExchangeThatFailedLeavesItsCall(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient client =
          settings(wire)
              .readTimeout(Duration.ofMillis(100))
              .addNetworkInterceptor(
                  chain -> {
                    assertThrows(IOException.class, () -> chain.proceed(chain.request()));
                    assertTrue(OkHttpInternals.hasFailed(chain));
                    OkHttpInternals.detachExchange(chain);
                    return InterceptedEndTest.substitute(chain);
                  })
              .build();
      Call call = client.newCall(get(server.uri(Script.ok().fault(Script.Fault.STALL))));
      try {
        call.execute().close();
        ConnectionPool pool = client.connectionPool();
        assertEquals(pool.connectionCount(), pool.idleConnectionCount());
      } finally {
        Reference.reachabilityFence(call);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Script.Fault.class,
      names = {"STREAM_REFUSED", "STREAM_RESET"})
  void whatWasRefusedIsToldFromWhatFailed(Script.Fault fault) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      Call call = settings(Wire.H2C).build().newCall(get(server.uri(Script.ok().fault(fault))));
      IOException failure = assertThrows(IOException.class, call::execute);
      assertEquals(fault == Script.Fault.STREAM_REFUSED, OkHttpInternals.isRefused(failure));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void aConnectionKnowsHowManyCallsHaveEndedWell(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient.Builder settings = settings(wire);
      Connection connection = connection(settings, server.uri(Script.ok()));
      assertEquals(1, OkHttpInternals.successes(connection));
      settings.build().newCall(get(server.uri(Script.ok()))).execute().close();
      assertEquals(2, OkHttpInternals.successes(connection));
    }
  }

  @Test
  void aConnectionThatIsLeftGetsNoFurtherCalls() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      OkHttpClient.Builder settings = settings(Wire.H2C);
      Connection connection = connection(settings, server.uri(Script.ok()));
      settings.build().newCall(get(server.uri(Script.ok()))).execute().close();
      assertEquals(1, server.connectionsAccepted());
      OkHttpInternals.leave(connection);
      settings.build().newCall(get(server.uri(Script.ok()))).execute().close();
      assertEquals(2, server.connectionsAccepted());
    }
  }

  /** Which is how OkHttp tells its pool of a response that was dropped. */
  @Test
  void aConnectionKnowsSinceWhenItIsIdle() throws Exception {
    assumeTrue(ConversationTest.OKHTTP_5, "OkHttp 4 lets no call have it any more");
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri(Script.ok());
      OkHttpClient.Builder brief =
          settings(Wire.HTTP_1_1).connectionPool(new ConnectionPool(5, 50, TimeUnit.MILLISECONDS));
      Connection old = connection(brief, uri);
      ExecuteTest.await(() -> OkHttpInternals.isDropped(old));
      for (long keepAlive : new long[] {300, Long.MAX_VALUE}) {
        OkHttpClient.Builder settings =
            settings(Wire.HTTP_1_1)
                .connectionPool(new ConnectionPool(5, keepAlive, TimeUnit.SECONDS));
        Connection idle = connection(settings, uri);
        assertFalse(OkHttpInternals.isDropped(idle));
        RealConnection real = (RealConnection) idle;
        real.setIdleAtNs(System.nanoTime() - TimeUnit.SECONDS.toNanos(keepAlive));
        assertTrue(OkHttpInternals.isDropped(idle));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "HTTP_1_1_TLS"})
  void whatComesBehindAResponseIsFound(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      OkHttpClient.Builder settings = settings(wire);
      Connection clean = connection(settings, server.uri(Script.ok().body(10)));
      assertFalse(OkHttpInternals.dropSurplus(clean));
      URI uri = server.uri(Script.ok().body(10).surplus());
      Connection dirty = connection(settings, uri);
      ExecuteTest.await(() -> OkHttpInternals.dropSurplus(dirty));
    }
  }

  /** An event of a later OkHttp would not reach the user's listener. */
  @Test
  void theTimersLockIsOkiosOwn() throws Exception {
    ReentrantLock lock = OkHttpInternals.timersLock();
    lock.lock();
    try {
      Caller timed =
          new Caller(
              () -> {
                AsyncTimeout timer = new AsyncTimeout();
                timer.timeout(1, TimeUnit.MINUTES);
                timer.enter();
                return timer.exit();
              });
      ExecuteTest.await(() -> lock.hasQueuedThread(timed.thread()));
      lock.unlock();
      assertEquals(false, timed.result());
    } finally {
      if (lock.isHeldByCurrentThread()) {
        lock.unlock();
      }
    }
  }

  @Test
  void eachEventIsPassedOn() throws Exception {
    for (Method event : EventListener.class.getDeclaredMethods()) {
      if (event.getReturnType() == void.class && Modifier.isPublic(event.getModifiers())) {
        Class<?> passing =
            LiveCall.class
                .getMethod(event.getName(), event.getParameterTypes())
                .getDeclaringClass();
        assertNotEquals(EventListener.class, passing, event.getName());
      }
    }
  }
}
