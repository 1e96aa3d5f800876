package io.heddle.okhttp;

import static io.heddle.okhttp.KitClient.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ref.Reference;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A call that was ended gives its connection, and its place, back, whatever an interceptor makes of
 * that. Stock OkHttp keeps both until the garbage collector finds the call.
 */
@Timeout(60)
class InterceptedEndTest {

  private static final List<Thread.Builder> KINDS =
      List.of(Thread.ofVirtual(), Thread.ofPlatform());

  private static OkHttpClient limited(OkHttpClient client) {
    return BlockingOkHttpClient.builder(client).maxRequests(1).build();
  }

  private static Request get(URI uri) {
    return new Request.Builder().url(uri.toString()).build();
  }

  private static int status(Call call) throws IOException {
    try (Response response = call.execute()) {
      return response.code();
    }
  }

  /** A network interceptor that answers for a server whose answer does not come. */
  private static Response fallBack(boolean clears, Interceptor.Chain chain) throws IOException {
    try {
      return chain.proceed(chain.request());
    } catch (IOException e) {
      if (clears) {
        Thread.interrupted();
      }
      return substitute(chain);
    }
  }

  /** What a network interceptor may answer with in the server's place. */
  static Response substitute(Interceptor.Chain chain) {
    return new Response.Builder()
        .request(chain.request())
        .protocol(chain.connection().protocol())
        .code(203)
        .message("substitute")
        .body(ResponseBody.create("", null))
        .build();
  }

  /** An interceptor that proceeds on another thread, and is not there when that one returns. */
  private static Response leave(Thread.Builder other, Interceptor.Chain chain) throws IOException {
    FutureTask<Response> proceeding = new FutureTask<>(() -> chain.proceed(chain.request()));
    other.start(proceeding);
    try {
      return proceeding.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("left");
    } catch (ExecutionException e) {
      throw new IOException(e);
    }
  }

  /** No connection is in use; and the one place is free. */
  private static void assertFree(FaultServer server, OkHttpClient client) throws IOException {
    ConnectionPool pool = client.connectionPool();
    ExecuteTest.await(() -> pool.connectionCount() == pool.idleConnectionCount());
    assertEquals(200, status(client.newCall(get(server.uri(Script.ok())))));
  }

  /** How a call ends. A call timeout cancels it; a read timeout is a failure like any other. */
  private enum End {
    INTERRUPT,
    CANCEL,
    CALL_TIMEOUT,
    READ_TIMEOUT
  }

  /** Ends a call, and asks for what it had. */
  private static Caller end(FaultServer server, OkHttpClient client, Thread.Builder kind, End how)
      throws Exception {
    URI stalls = server.uri(Script.ok().fault(Script.Fault.STALL));
    Call call = client.newCall(get(stalls).newBuilder().tag(End.class, how).build());
    if (how == End.CALL_TIMEOUT) {
      call.timeout().timeout(1, TimeUnit.SECONDS);
    }
    try {
      Caller caller = new Caller(kind, () -> status(call));
      ExecuteTest.await(() -> server.seen(stalls).size() == 1);
      if (how == End.INTERRUPT) {
        caller.thread().interrupt();
      } else if (how == End.CANCEL) {
        call.cancel();
      }
      ExecuteTest.await(caller::isDone);
      assertFree(server, client);
      return caller;
    } finally {
      Reference.reachabilityFence(call);
    }
  }

  @ParameterizedTest
  @EnumSource(Wire.class)
  void aNetworkInterceptorThatAnswersKeepsNoConnection(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      for (boolean clears : List.of(false, true)) {
        OkHttpClient plain = limited(settings(wire).build());
        OkHttpClient rebuilt =
            plain.newBuilder().addNetworkInterceptor(chain -> fallBack(clears, chain)).build();
        OkHttpClient wrapped = limited(rebuilt);
        for (Thread.Builder kind : KINDS) {
          end(server, wrapped, kind, End.INTERRUPT);
          end(server, rebuilt, kind, End.INTERRUPT);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Wire.class)
  void norDoesOneThatAnswersAfterACancelOrATimeout(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      for (End end : EnumSet.complementOf(EnumSet.of(End.INTERRUPT))) {
        OkHttpClient plain =
            limited(
                settings(wire)
                    .addInterceptor(
                        chain ->
                            chain.request().tag(End.class) == End.READ_TIMEOUT
                                ? chain
                                    .withReadTimeout(1, TimeUnit.SECONDS)
                                    .proceed(chain.request())
                                : chain.proceed(chain.request()))
                    .build());
        OkHttpClient rebuilt =
            plain.newBuilder().addNetworkInterceptor(chain -> fallBack(false, chain)).build();
        OkHttpClient wrapped = limited(rebuilt);
        for (Thread.Builder kind : KINDS) {
          for (OkHttpClient client : List.of(wrapped, rebuilt)) {
            Caller ended = end(server, client, kind, end);
            if (end == End.READ_TIMEOUT) {
              assertEquals(203, ended.result());
            } else { // as stock
              assertInstanceOf(IOException.class, ended.failure());
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Wire.class)
  void norDoesOneThatDropsTheBodyOfACancelledCall(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      URI uri = server.uri(Script.ok().body(30_000_000));
      Interceptor drops =
          chain -> {
            boolean isFirst = chain.request().url().uri().equals(uri);
            Response dropped = chain.proceed(chain.request());
            if (isFirst) {
              chain.call().cancel();
            }
            return isFirst ? substitute(chain) : dropped;
          };
      OkHttpClient client = limited(settings(wire).addNetworkInterceptor(drops).build());
      Call call = client.newCall(get(uri));
      try {
        assertInstanceOf(IOException.class, new Caller(() -> status(call)).failure());
        assertFree(server, client);
      } finally {
        Reference.reachabilityFence(call);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Wire.class)
  void aThreadOnWhichAnInterceptorProceedsKeepsNoConnection(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire)) {
      for (Thread.Builder other : KINDS) {
        for (Thread.Builder kind : KINDS) {
          Events events = new Events();
          OkHttpClient plain = limited(settings(wire).eventListener(events).build());
          OkHttpClient rebuilt =
              plain.newBuilder().addInterceptor(chain -> leave(other, chain)).build();
          OkHttpClient wrapped = limited(rebuilt);
          Throwable failure = end(server, wrapped, kind, End.INTERRUPT).failure();
          assertInstanceOf(InterruptedIOException.class, failure);
          assertEquals("left", failure.getMessage());
          assertTrue(end(server, rebuilt, kind, End.INTERRUPT).isDone());
          // Two that were left, and the one after each.
          ExecuteTest.await(() -> events.count("callEnd") + events.count("callFailed") == 4);
        }
      }
    }
  }

  /** Its exchange is over, and its connection has gone to another call. */
  @Test
  void aThreadThatIsLateHarmsNoOtherCall() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI first = server.uri(Script.ok());
      CompletableFuture<Void> answered = new CompletableFuture<>();
      CompletableFuture<Void> other = new CompletableFuture<>();
      CompletableFuture<Void> ended = new CompletableFuture<>();
      OkHttpClient client =
          limited(
                  settings(Wire.HTTP_1_1)
                      .addInterceptor(chain -> leave(Thread.ofPlatform(), chain))
                      .addInterceptor(
                          chain -> {
                            try {
                              return chain.proceed(chain.request());
                            } finally {
                              ended.complete(null);
                            }
                          })
                      .build())
              .newBuilder()
              .addNetworkInterceptor(
                  chain -> {
                    Response response = chain.proceed(chain.request());
                    if (answered.complete(null)) { // the first
                      other.join();
                    }
                    return response;
                  })
              .build();
      Caller left = new Caller(() -> status(client.newCall(get(first))));
      answered.get();
      left.thread().interrupt();
      assertEquals("left", left.failure().getMessage());
      URI second = server.uri(Script.ok().fault(Script.Fault.STALL));
      Caller caller = new Caller(() -> status(client.newCall(get(second))));
      ExecuteTest.await(() -> server.seen(second).size() == 1);
      assertEquals(1, server.connectionsAccepted());
      other.complete(null);
      ended.get();
      server.seen(second).get(0).release();
      assertEquals(200, caller.result());
    }
  }

  /** In a response that an interceptor has made of it; the flag is set just after the head. */
  @Test
  void theBodyOfAServerStaysWhole() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      OkHttpClient client =
          limited(settings(Wire.HTTP_1_1).build())
              .newBuilder()
              .addNetworkInterceptor(
                  chain -> {
                    ResponseBody body = chain.proceed(chain.request()).body();
                    Thread.currentThread().interrupt();
                    return substitute(chain).newBuilder().body(body).build();
                  })
              .build();
      Call call = client.newCall(get(server.uri(Script.ok().body(300_000))));
      Caller caller =
          new Caller(
              () -> {
                try (Response response = call.execute()) {
                  assertTrue(Thread.interrupted());
                  return response.body().bytes().length;
                }
              });
      assertEquals(300_000, caller.result());
    }
  }
}
