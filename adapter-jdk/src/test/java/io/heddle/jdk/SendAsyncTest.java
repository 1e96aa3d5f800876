package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.start;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code sendAsync} keeps what {@code send} does. */
@Timeout(60)
class SendAsyncTest {

  private final FaultServer server = FaultServer.start(Wire.H2_TLS);
  private final BlockingJdkHttpClient client =
      BlockingJdkHttpClient.wrap(stock(Wire.H2_TLS).build());

  @AfterEach
  void close() {
    client.shutdownNow();
    client.close();
    server.close();
  }

  @Test
  void bringsTheResponse() throws Exception {
    HttpResponse<InputStream> response =
        client
            .sendAsync(
                request(server.uri(Script.ok().body(1000))).build(), BodyHandlers.ofInputStream())
            .get();
    assertEquals(1000, response.body().readAllBytes().length);
    assertTrue(response.body() instanceof JdkResponseStream);
    Clients.await("the call is over", () -> client.inFlight() == 0);
  }

  @Test
  void pushedResponsesAreTheWrappedClients() throws Exception {
    HttpResponse<byte[]> response =
        client
            .sendAsync(
                request(server.uri(Script.ok().body(10))).build(),
                BodyHandlers.ofByteArray(),
                (initiating, push, acceptor) -> {})
            .get();
    assertEquals(10, response.body().length);
  }

  @Test
  void whatFailsHasItsCallerInItsTrace() {
    URI reset = server.uri(Script.ok().fault(Fault.STREAM_RESET));
    IOException thrown = assertThrows(IOException.class, () -> sendPushed(request(reset).build()));
    assertEquals(IOException.class, thrown.getClass());
    assertTrue(
        Arrays.stream(thrown.getStackTrace())
            .anyMatch(frame -> frame.getMethodName().equals("sendPushed")),
        () -> Arrays.toString(thrown.getStackTrace()));
  }

  /** As a call goes on, for whom another connection must be made. */
  private void sendPushed(HttpRequest request) throws IOException, InterruptedException {
    JdkCall<Void> call =
        new JdkCall<>(
            client, request, BodyHandlers.discarding(), JdkInternals.onAnotherConnection());
    call.send();
  }

  @Test
  void timeoutCoversTheBody() throws Exception {
    CompletableFuture<HttpResponse<String>> future =
        client.sendAsync(
            request(server.uri(Clients.stalledBody())).timeout(Duration.ofMillis(300)).build(),
            BodyHandlers.ofString());
    assertInstanceOf(HttpTimeoutException.class, Clients.failure(future));
  }

  /** Spring's way: its timeout is that of the request, and it reads a stream. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  @EnabledForJreRange(max = JRE.JAVA_25) // JDK-8208693
  void timeoutCoversAStream(Wire wire) throws Exception {
    try (FaultServer its = FaultServer.start(wire)) {
      HttpClient stock = stock(wire).build();
      BlockingJdkHttpClient ours = BlockingJdkHttpClient.wrap(stock(wire).build());
      HttpRequest request =
          request(its.uri(Clients.stalledBody())).timeout(Duration.ofMillis(600)).build();
      CompletableFuture<?> theirs = start(() -> readAsync(stock, request));
      Throwable thrown = Clients.failure(start(() -> readAsync(ours, request)));
      assertInstanceOf(HttpTimeoutException.class, thrown);
      assertThrows(TimeoutException.class, () -> theirs.get(3, TimeUnit.SECONDS));
      Clients.await("the call is over", () -> ours.inFlight() == 0);
      stock.shutdownNow();
      ours.shutdownNow();
    }
  }

  private static int readAsync(HttpClient client, HttpRequest request) throws Exception {
    InputStream body = client.sendAsync(request, BodyHandlers.ofInputStream()).get().body();
    return body.readAllBytes().length;
  }

  @Test
  void cancelEndsTheCall() throws Exception {
    URI stalled = server.uri(Script.ok().fault(Fault.STALL));
    CompletableFuture<HttpResponse<String>> future =
        client.sendAsync(request(stalled).build(), BodyHandlers.ofString());
    Clients.await("the server has it", () -> !server.seen(stalled).isEmpty());
    future.cancel(true);
    assertThrows(CancellationException.class, future::get);
    Clients.await("the server sees the abort", () -> server.seen(stalled).get(0).isAborted());
    Clients.await("the call is over", () -> client.inFlight() == 0);
  }

  @Test
  void cancelOfADependentEndsTheCall() throws Exception {
    URI stalled = server.uri(Script.ok().fault(Fault.STALL));
    CompletableFuture<Integer> future =
        client
            .sendAsync(request(stalled).build(), BodyHandlers.ofString())
            .thenApply(HttpResponse::statusCode);
    Clients.await("the server has it", () -> !server.seen(stalled).isEmpty());
    future.cancel(true);
    Clients.await("the server sees the abort", () -> server.seen(stalled).get(0).isAborted());
  }

  @Test
  @SuppressWarnings("NullAway") // a null is tried
  void failsAsTheJdksDoes() throws Exception {
    int nobody;
    try (FaultServer other = FaultServer.start(Wire.HTTP_1_1)) {
      nobody = other.port();
    }
    CompletableFuture<?> future =
        client.sendAsync(
            request(URI.create("http://127.0.0.1:" + nobody + "/")).build(),
            BodyHandlers.discarding());
    assertInstanceOf(ConnectException.class, Clients.failure(future));
    assertThrows(
        NullPointerException.class, () -> client.sendAsync(null, BodyHandlers.discarding()));
  }

  @Test
  void shutdownNowEndsTheCall() throws Exception {
    URI stalled = server.uri(Script.ok().fault(Fault.STALL));
    CompletableFuture<HttpResponse<String>> future =
        client.sendAsync(request(stalled).build(), BodyHandlers.ofString());
    Clients.await("the server has it", () -> !server.seen(stalled).isEmpty());
    client.shutdownNow();
    assertInstanceOf(IOException.class, Clients.failure(future));
    assertTrue(client.awaitTermination(Duration.ofSeconds(Clients.LONG_SECONDS)));
    assertTrue(client.isTerminated());
    assertInstanceOf(
        IOException.class,
        Clients.failure(
            client
                .sendAsync(request(stalled).build(), BodyHandlers.ofString())
                .orTimeout(Clients.LONG_SECONDS, TimeUnit.SECONDS)));
  }
}
