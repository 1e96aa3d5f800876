package io.heddle.okhttp;

import static io.heddle.okhttp.ExecuteTest.client;
import static io.heddle.okhttp.ExecuteTest.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A {@code Call} beyond its {@code execute()}: tags, listeners, clones, timeouts. Each test holds
 * for OkHttp's own client, too, run with the system property {@code heddle.okhttp.stock}.
 */
@Timeout(30)
class CallTest {

  private static final String OKHTTP_4 = "OkHttp 4 has neither tags nor listeners of a call";

  private static FaultServer server;

  @BeforeAll
  static void start() {
    server = FaultServer.start(Wire.HTTP_1_1);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Call call(OkHttpClient client, Script script) {
    return client.newCall(new Request.Builder().url(server.uri(script).toString()).build());
  }

  @Test
  void tagsOfACallGoBothWays() throws Exception {
    assumeTrue(ConversationTest.OKHTTP_5, OKHTTP_4);
    AtomicReference<String> seen = new AtomicReference<>();
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .addInterceptor(
                    chain -> {
                      seen.set(chain.call().tag(String.class));
                      chain.call().tag(Integer.class, () -> 42);
                      return chain.proceed(chain.request());
                    }));
    Call call = call(client, Script.ok());
    assertNull(call.tag(String.class));
    assertEquals("warp", call.tag(String.class, () -> "warp"));
    assertEquals("warp", call.tag(String.class, () -> "weft"));
    assertEquals("200 0", text(call));
    assertEquals("warp", seen.get());
    assertEquals(42, call.tag(Integer.class));
    assertNull(call.clone().tag(Integer.class));
  }

  @Test
  void aListenerOfOneCallHearsThatCall() throws Exception {
    assumeTrue(ConversationTest.OKHTTP_5, OKHTTP_4);
    OkHttpClient client = client(new OkHttpClient.Builder());
    Events events = new Events();
    Call call = call(client, Script.ok().body(3));
    call.addEventListener(events);
    assertEquals("200 3", text(call));
    assertEquals("200 3", text(call(client, Script.ok().body(3))));
    assertEquals(1, events.count("callStart"));
    assertEquals(1, events.count("callEnd"));
  }

  /** On a platform thread a worker sends it, by a body of ours. */
  @Test
  void aListenerSeesTheBodyThatWasMade() throws Exception {
    RequestBody body = RequestBody.create("warp", null);
    List<RequestBody> seen = new CopyOnWriteArrayList<>();
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .eventListener(
                    new EventListener() {
                      @Override
                      public void requestHeadersEnd(Call call, Request request) {
                        seen.add(request.body());
                      }

                      @Override
                      public void responseHeadersEnd(Call call, Response response) {
                        seen.add(response.request().body());
                      }
                    }));
    Request request =
        new Request.Builder().url(server.uri(Script.ok().body(3)).toString()).post(body).build();
    for (Thread.Builder kind : List.of(Thread.ofPlatform(), Thread.ofVirtual())) {
      assertEquals("200 3", new Caller(kind, () -> text(client.newCall(request))).result());
    }
    assertEquals(4, seen.size());
    for (RequestBody each : seen) {
      assertSame(body, each);
    }
  }

  /** Here OkHttp would try again, and finds the call cancelled. */
  @Test
  void aCancelOnAConnectionThatHasServedIsToldAsOne() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    assertEquals("200 3", text(call(client, Script.ok().body(3))));
    URI stalls = server.uri(Script.ok().fault(Script.Fault.STALL));
    Call call = client.newCall(new Request.Builder().url(stalls.toString()).build());
    Caller caller = new Caller(() -> text(call));
    ExecuteTest.await(() -> server.seen(stalls).size() == 1);
    call.cancel();
    assertEquals("Canceled", caller.failure().getMessage());
  }

  @Test
  void aCloneOfACancelledCallIsNot() throws Exception {
    Call call = call(client(new OkHttpClient.Builder()), Script.ok().body(3));
    call.cancel();
    Call clone = call.clone();
    assertFalse(clone.isCanceled());
    assertEquals("200 3", text(clone));
    assertThrows(IOException.class, call::execute);
  }

  @Test
  void theCallTimeoutCountsFromTheStartOverAllRequests() {
    Script last = Script.ok().body(3).delay(Duration.ofMillis(400));
    Script first =
        Script.answer(302)
            .header("Location", server.uri(last).toString())
            .delay(Duration.ofMillis(400));
    OkHttpClient client = client(new OkHttpClient.Builder().callTimeout(Duration.ofMillis(600)));
    Call call = call(client, first);
    assertEquals("timeout", assertThrows(InterruptedIOException.class, call::execute).getMessage());
  }

  @Test
  void aDeadlineOfTheCallsTimeoutHolds() {
    Call call = call(client(new OkHttpClient.Builder()), Script.ok().fault(Script.Fault.STALL));
    call.timeout().deadline(100, TimeUnit.MILLISECONDS);
    assertEquals("timeout", assertThrows(InterruptedIOException.class, call::execute).getMessage());
  }

  @Test
  void timeoutsOfAChainHold() {
    OkHttpClient client =
        client(
            new OkHttpClient.Builder()
                .addInterceptor(
                    chain ->
                        chain
                            .withReadTimeout(100, TimeUnit.MILLISECONDS)
                            .proceed(chain.request())));
    Call call = call(client, Script.ok().fault(Script.Fault.STALL));
    assertThrows(java.net.SocketTimeoutException.class, call::execute);
  }

  @Test
  void theRequestIsTheOneThatWasAsked() throws Exception {
    OkHttpClient client = client(new OkHttpClient.Builder());
    Request request =
        new Request.Builder().url(server.uri(Script.ok()).toString()).tag("untyped").build();
    Call call = client.newCall(request);
    assertSame(request, call.request());
    assertEquals("untyped", call.request().tag());
    assertEquals("200 0", text(call));
  }

  @Test
  void anEnqueuedCallCanBeCancelled() {
    OkHttpClient client = client(new OkHttpClient.Builder());
    URI uri = server.uri(Script.ok().fault(Script.Fault.STALL));
    Call call = client.newCall(new Request.Builder().url(uri.toString()).build());
    AtomicReference<IOException> failure = new AtomicReference<>();
    call.enqueue(
        new okhttp3.Callback() {
          @Override
          public void onResponse(Call of, Response response) {
            response.close();
          }

          @Override
          public void onFailure(Call of, IOException e) {
            failure.set(e);
          }
        });
    ExecuteTest.await(() -> server.seen(uri).size() == 1);
    call.cancel();
    ExecuteTest.await(() -> failure.get() != null);
    assertTrue(call.isCanceled());
  }
}
