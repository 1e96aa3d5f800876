package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import okhttp3.Credentials;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The settings that are ours. */
@Timeout(30)
class BuilderTest {

  private FaultServer server;

  @BeforeEach
  void start() {
    server = FaultServer.start(Wire.HTTP_1_1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Request get(Script script) {
    return get(server.uri(script));
  }

  private static Request get(URI uri) {
    return new Request.Builder().url(uri.toString()).build();
  }

  private static int code(Call call) throws IOException {
    try (Response response = call.execute()) {
      return response.code();
    }
  }

  private static BlockingOkHttpClientBuilder builder() {
    return BlockingOkHttpClient.builder(new OkHttpClient());
  }

  @Test
  void callsBeyondTheLimitWaitForTheirTurn() throws Exception {
    OkHttpClient client = builder().maxConnectionsPerHost(1).build();
    URI first = server.uri(Script.ok().fault(Script.Fault.STALL));
    Caller holder = new Caller(() -> code(client.newCall(get(first))));
    ExecuteTest.await(() -> server.seen(first).size() == 1);
    URI second = server.uri(Script.ok());
    Caller waiter = new Caller(() -> code(client.newCall(get(second))));
    ExecuteTest.await(waiter::waits);
    assertEquals(0, server.seen(second).size());
    server.seen(first).get(0).release();
    assertEquals(200, holder.result());
    assertEquals(200, waiter.result());
  }

  @Test
  void aCallThatWaitsForItsTurnCanBeCancelled() throws Exception {
    OkHttpClient client = builder().maxRequests(1).build();
    URI first = server.uri(Script.ok().fault(Script.Fault.STALL));
    Caller holder = new Caller(() -> code(client.newCall(get(first))));
    ExecuteTest.await(() -> server.seen(first).size() == 1);
    Call second = client.newCall(get(Script.ok()));
    Caller waiter = new Caller(() -> code(second));
    ExecuteTest.await(waiter::waits);
    assertTrue(second.isExecuted());
    second.cancel();
    assertEquals("Canceled", assertInstanceOf(IOException.class, waiter.failure()).getMessage());
    server.seen(first).get(0).release();
    assertEquals(200, holder.result());
    assertEquals(200, code(client.newCall(get(Script.ok()))));
  }

  @Test
  void theWaitForATurnHasTimeouts() throws Exception {
    OkHttpClient client = builder().maxRequests(1).queueTimeout(Duration.ofMillis(100)).build();
    URI first = server.uri(Script.ok().fault(Script.Fault.STALL));
    Caller holder = new Caller(() -> code(client.newCall(get(first))));
    ExecuteTest.await(() -> server.seen(first).size() == 1);
    assertThrows(SocketTimeoutException.class, () -> code(client.newCall(get(Script.ok()))));
    Call hurried = client.newCall(get(Script.ok()));
    hurried.timeout().timeout(20, java.util.concurrent.TimeUnit.MILLISECONDS);
    assertEquals("timeout", assertThrows(IOException.class, hurried::execute).getMessage());
    server.seen(first).get(0).release();
    assertEquals(200, holder.result());
  }

  @Test
  void anAuthenticatorMayCallTheSameHostAtALimitOfOne() throws Exception {
    AtomicReference<OkHttpClient> self = new AtomicReference<>();
    OkHttpClient stock =
        new OkHttpClient.Builder()
            .authenticator(
                (route, response) -> {
                  code(Objects.requireNonNull(self.get()).newCall(get(Script.ok())));
                  return response
                      .request()
                      .newBuilder()
                      .header("Authorization", Credentials.basic("penelope", "ithaca"))
                      .build();
                })
            .build();
    for (BlockingOkHttpClientBuilder limited :
        List.of(
            BlockingOkHttpClient.builder(stock).maxRequests(1),
            BlockingOkHttpClient.builder(stock).maxConnectionsPerHost(1))) {
      OkHttpClient client = limited.build();
      self.set(client);
      Request request = get(Script.ok().body(10).requires("penelope", "ithaca"));
      assertEquals(200, new Caller(() -> code(client.newCall(request))).result());
    }
  }

  @Test
  void aCallThatIsTurnedAwayTellsItsListener() throws Exception {
    Events events = new Events();
    OkHttpClient stock = new OkHttpClient.Builder().eventListener(events).build();
    OkHttpClient client =
        BlockingOkHttpClient.builder(stock).maxRequests(1).queueTimeout(Duration.ZERO).build();
    URI first = server.uri(Script.ok().fault(Script.Fault.STALL));
    Caller holder = new Caller(() -> code(client.newCall(get(first))));
    ExecuteTest.await(() -> server.seen(first).size() == 1);
    assertThrows(SocketTimeoutException.class, () -> code(client.newCall(get(Script.ok()))));
    assertEquals(2, events.count("callStart"));
    assertEquals(1, events.count("callFailed"));
    server.seen(first).get(0).release();
    assertEquals(200, holder.result());
  }

  @Test
  void aListenerThatThrowsKeepsNoCallFromBeingClosed() throws Exception {
    OkHttpClient stock =
        new OkHttpClient.Builder()
            .eventListener(
                new EventListener() {
                  @Override
                  public void canceled(Call call) {
                    throw new IllegalStateException("of the listener");
                  }
                })
            .build();
    BlockingOkHttpClient client = BlockingOkHttpClient.wrap(stock);
    List<URI> uris = new ArrayList<>();
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
      uris.add(uri);
      callers.add(new Caller(() -> code(client.newCall(get(uri)))));
    }
    for (URI each : uris) {
      ExecuteTest.await(() -> server.seen(each).size() == 1);
    }
    assertEquals(
        "of the listener", assertThrows(IllegalStateException.class, client::close).getMessage());
    for (Caller each : callers) {
      assertInstanceOf(IOException.class, each.failure());
    }
  }

  @Test
  void theUsersWorkersAreUsedAndKept() throws Exception {
    try (ExecutorService workers = Executors.newCachedThreadPool()) {
      BlockingOkHttpClient client = builder().workers(workers).build();
      assertEquals(200, code(client.newCall(get(Script.ok()))));
      client.close();
      assertEquals(false, workers.isShutdown());
      workers.shutdown();
      OkHttpClient other = builder().workers(workers).build();
      Call refused = other.newCall(get(Script.ok()));
      assertEquals(
          "executor rejected",
          assertThrows(InterruptedIOException.class, refused::execute).getMessage());
    }
  }

  /** Between two attempts, say. */
  @Test
  void aCallWhoseClientIsClosedAsItIsHandedOverSaysSo() {
    AtomicReference<@Nullable BlockingOkHttpClient> client = new AtomicReference<>();
    Executor workers =
        task -> {
          Objects.requireNonNull(client.get()).close();
          throw new RejectedExecutionException("as those of a client that is closed do");
        };
    client.set(builder().workers(workers).build());
    Call call = Objects.requireNonNull(client.get()).newCall(get(Script.ok()));
    assertEquals(
        "the client is closed", assertThrows(IOException.class, call::execute).getMessage());
  }

  @Test
  void aNameServiceThatMakesCallsIsAsked() throws Exception {
    assumeTrue(ConversationTest.OKHTTP_5, "OkHttp 4 makes no calls of a name service");
    CallingDns dns = new CallingDns();
    OkHttpClient client = BlockingOkHttpClient.wrap(new OkHttpClient.Builder().dns(dns).build());
    assertEquals(200, code(client.newCall(get(server.uri("loom.test", Script.ok())))));
    assertEquals(1, dns.calls.get());
  }

  @Test
  void nullsAreRefusedAtOnce() {
    assertThrows(NullPointerException.class, () -> BlockingOkHttpClient.wrap(nothing()));
    assertThrows(NullPointerException.class, () -> BlockingOkHttpClient.builder(nothing()));
    assertThrows(NullPointerException.class, () -> builder().workers(nothing()));
    assertThrows(NullPointerException.class, () -> builder().queueTimeout(nothing()));
    OkHttpClient client = builder().build();
    assertThrows(NullPointerException.class, () -> client.newCall(nothing()));
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals", "DataFlowIssue"})
  private static <T> T nothing() {
    return null;
  }

  @Test
  void aClosedClientRefusesCalls() {
    BlockingOkHttpClient client = builder().maxConnectionsPerHost(1).maxRequests(1).build();
    Call before = client.newCall(get(Script.ok()));
    client.close();
    client.close();
    assertThrows(IOException.class, before::execute);
    assertThrows(IOException.class, () -> code(client.newCall(get(Script.ok()))));
  }

  @Test
  void limitsArePositive() {
    assertThrows(IllegalArgumentException.class, () -> builder().maxRequests(0));
    assertThrows(IllegalArgumentException.class, () -> builder().maxConnectionsPerHost(-1));
    assertThrows(
        IllegalArgumentException.class, () -> builder().queueTimeout(Duration.ofMillis(-1)));
  }
}
