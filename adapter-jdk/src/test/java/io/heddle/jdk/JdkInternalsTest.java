package io.heddle.jdk;

import static io.heddle.jdk.Clients.request;
import static io.heddle.jdk.Clients.stock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What of the JDK's inside we lean on: fails first when that changes. */
@Timeout(60)
class JdkInternalsTest {

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void aBodyTellsWhatItIsSentBy(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient client = stock(wire).build()) {
      CompletableFuture<Integer> connections = new CompletableFuture<>();
      CompletableFuture<Boolean> multiplexed = new CompletableFuture<>();
      BodyPublisher body =
          new BodyPublisher() {
            @Override
            public long contentLength() {
              try { // the server may hear of it after the client does
                Clients.await("a connection", () -> server.connectionsAccepted() > 0);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              connections.complete(server.connectionsAccepted());
              return 1;
            }

            @Override
            public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
              multiplexed.complete(JdkInternals.isOfHttp2(subscriber));
              BodyPublishers.ofByteArray(new byte[1]).subscribe(subscriber);
            }
          };
      client.send(request(server.uri(Script.ok())).POST(body).build(), BodyHandlers.discarding());
      assertEquals(1, connections.get(), "asked for its length once there is a connection");
      assertEquals(wire.isMultiplexed(), multiplexed.get());
    }
  }

  @Test
  void theSelectorIsKnownByItsName() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        HttpClient client = stock(Wire.HTTP_1_1).executor(Runnable::run).build()) {
      Script late = Script.ok().delay(Duration.ofMillis(300)); // else the caller may come first
      CompletableFuture<Thread> selector = new CompletableFuture<>();
      client
          .sendAsync(
              request(server.uri(late)).build(),
              info -> {
                selector.complete(Thread.currentThread());
                return BodySubscribers.discarding();
              })
          .get();
      assertTrue(JdkInternals.isSelector(selector.get()));
      assertFalse(JdkInternals.isSelector(Thread.currentThread()));
    }
  }

  @Test
  void refusedStreamsAreKnownByTheirText() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        HttpClient client = stock(Wire.H2_TLS).build()) {
      Script refused = Script.ok().fault(Fault.STREAM_REFUSED).times(5);
      IOException thrown =
          (IOException)
              Clients.failure(
                  Clients.start(
                      () ->
                          client.send(
                              request(server.uri(refused)).build(), BodyHandlers.discarding())));
      assertTrue(JdkInternals.wasNotProcessed(thrown), thrown::toString);
    }
  }

  @Test
  void bodiesInMemoryAreKnownByTheirClass() {
    assertTrue(JdkInternals.isInMemory(BodyPublishers.ofByteArray(new byte[9])));
    assertTrue(JdkInternals.isInMemory(BodyPublishers.ofByteArray(new byte[9], 3, 3)));
    assertTrue(JdkInternals.isInMemory(BodyPublishers.ofString("nine")));
    assertTrue(JdkInternals.isInMemory(BodyPublishers.noBody()));
    assertFalse(JdkInternals.isInMemory(BodyPublishers.ofByteArrays(List.of(new byte[9]))));
    assertFalse(
        JdkInternals.isInMemory(BodyPublishers.ofInputStream(InputStream::nullInputStream)));
    assertFalse(JdkInternals.isInMemory(WrittenBody.of(out -> {})));
  }

  /** When it is told is a matter of threads: but this is what it says. */
  @Test
  void aConnectionThatTheClientEndsSaysSo() throws Exception {
    try (InputStream tube =
        HttpClient.class.getResourceAsStream("/jdk/internal/net/http/SocketTube.class")) {
      assertNotNull(tube);
      String constants = new String(tube.readAllBytes(), StandardCharsets.ISO_8859_1);
      assertTrue(constants.contains("connection closed locally"));
    }
    IOException ended = new IOException("in a body", new IOException("connection closed locally"));
    assertTrue(JdkInternals.isOfTimer(ended));
  }

  /**
   * {@code Stream.incoming_reset} of JDK 21 fails a body that has not ended, be it that only its
   * end was not noted yet, with a text that has no code: what was refused looks like what failed.
   */
  @ParameterizedTest
  @EnumSource(names = {"STREAM_REFUSED", "STREAM_RESET"})
  @EnabledOnJre(JRE.JAVA_21)
  void aResetBeforeTheEndOfTheBodyHasNoReason(Fault fault) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2_TLS);
        HttpClient client = stock(Wire.H2_TLS).build()) {
      CompletableFuture<Void> reset = new CompletableFuture<>();
      BodyPublisher unended =
          BodyPublishers.fromPublisher(
              subscriber ->
                  BodyPublishers.ofByteArray(new byte[1]).subscribe(endingAfter(reset, subscriber)),
              1);
      IOException thrown =
          (IOException)
              Clients.failure(
                  Clients.start(
                      () ->
                          client.send(
                              request(server.uri(Script.ok().fault(fault))).POST(unended).build(),
                              BodyHandlers.discarding())));
      reset.complete(null);
      assertEquals("RST_STREAM received", thrown.getMessage());
      assertFalse(JdkInternals.wasNotProcessed(thrown), "it may have been");
      assertFalse(JdkInternals.lostConnection(thrown), "it was not");
    }
  }

  private static Flow.Subscriber<ByteBuffer> endingAfter(
      CompletableFuture<?> then, Flow.Subscriber<? super ByteBuffer> client) {
    return new Flow.Subscriber<>() {
      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        client.onSubscribe(subscription);
      }

      @Override
      public void onNext(ByteBuffer piece) {
        client.onNext(piece);
      }

      @Override
      public void onError(Throwable failure) {
        client.onError(failure);
      }

      @Override
      public void onComplete() {
        var unused = then.thenRun(client::onComplete);
      }
    };
  }

  /** Whether a body is asked for its result where it ended, within the client's own executor. */
  private static boolean isAskedInPlace(HttpClient client, URI uri, boolean trusted)
      throws Exception {
    CompletableFuture<Boolean> inPlace = new CompletableFuture<>();
    BodySubscriber<String> gathered = BodySubscribers.ofString(StandardCharsets.UTF_8);
    BodySubscriber<String> body =
        new BodySubscriber<>() {
          @Override
          public CompletionStage<String> getBody() {
            inPlace.complete(
                StackWalker.getInstance()
                    .walk(frames -> frames.map(StackWalker.StackFrame::getClassName).toList())
                    .contains("jdk.internal.net.http.HttpClientImpl$DelegatingExecutor"));
            return gathered.getBody();
          }

          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            gathered.onSubscribe(subscription);
          }

          @Override
          public void onNext(List<ByteBuffer> piece) {
            gathered.onNext(piece);
          }

          @Override
          public void onError(Throwable failure) {
            gathered.onError(failure);
          }

          @Override
          public void onComplete() {
            gathered.onComplete();
          }
        };
    assertEquals(
        7,
        client
            .send(request(uri).build(), info -> trusted ? JdkInternals.askedInPlace(body) : body)
            .body()
            .length());
    return inPlace.get();
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2_TLS"})
  void aBodyWithinALimitIsAskedInPlace(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        HttpClient client = stock(wire).build()) {
      URI uri = server.uri(Script.ok().body(7));
      assertFalse(isAskedInPlace(client, uri, false));
      boolean hasLimits = Runtime.version().feature() >= 25;
      assertEquals(hasLimits, isAskedInPlace(client, uri, true));
    }
  }
}
