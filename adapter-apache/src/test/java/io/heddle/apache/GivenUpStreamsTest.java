package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.LeakCheck;
import io.heddle.core.Exchange;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http2.H2ConnectionException;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What one caller gives up does not harm the others of its connection, where the server learns of
 * it late.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class GivenUpStreamsTest {

  private static final int PIECE = 16_000;

  private final BlockingConnectionManager manager =
      BlockingConnectionManager.builder()
          .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
          .setMaxConnPerRoute(1)
          .build();

  private final CloseableHttpClient client =
      BlockingHttpClients.custom().setConnectionManager(manager).disableAutomaticRetries().build();

  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

  /** Answers nothing by itself. */
  private static final class Silent implements Http2Peer.Behaviour {
    final List<byte[]> pings = new CopyOnWriteArrayList<>();

    @Override
    public void request(Http2Peer.Connection on, int stream, boolean end) {}

    @Override
    public void ping(Http2Peer.Connection on, byte[] payload) {
      pings.add(payload);
    }
  }

  @AfterEach
  void close() throws IOException {
    callers.shutdownNow();
    client.close();
  }

  /** Begins a call, and waits until the server has its request. */
  private Future<Integer> begin(Http2Peer peer) throws Exception {
    int before = peer.requests();
    Future<Integer> call = get(peer);
    Threads.await("a request is there", () -> peer.requests() > before);
    return call;
  }

  private Future<Integer> get(Http2Peer peer) {
    return callers.submit(
        () -> client.execute(new HttpGet(peer.uri()), response -> response.getCode()));
  }

  private static int result(Future<Integer> call) throws Exception {
    return call.get(20, TimeUnit.SECONDS);
  }

  /** nginx refuses a request whose place it has not got back, and in the end all of them. */
  @Test
  void aStreamGoesToTheNextOnceTheServerHasItsReset() throws Exception {
    Silent server = new Silent();
    try (Http2Peer peer = new Http2Peer(2, server)) {
      Future<Integer> stays = begin(peer); // stream 1
      begin(peer).cancel(true); // 3
      Threads.await("the server is asked", () -> !server.pings.isEmpty());
      Future<Integer> next = get(peer); // 5
      Threads.await("the next waits", () -> manager.getTotalStats().getPending() == 1);
      assertEquals(List.of(H2Error.CANCEL.getCode()), peer.resets());
      assertEquals(2, peer.requests());
      Http2Peer.Connection connection = peer.connections.get(0);
      connection.pong(server.pings.get(0));
      Threads.await("the next has its stream", () -> peer.requests() == 3);
      connection.answer(5, 200);
      connection.answer(1, 200);
      assertEquals(200, result(next));
      assertEquals(200, result(stays));
      assertEquals(1, peer.connections.size());
      assertEquals(1, server.pings.size());
    }
  }

  @Test
  void aServerIsNotAskedAsLongAsItHasStreamsToSpare() throws Exception {
    Silent server = new Silent();
    try (Http2Peer peer = new Http2Peer(100, server)) {
      Future<Integer> stays = begin(peer); // stream 1
      begin(peer).cancel(true); // 3
      Threads.await("it is reset", () -> peer.resets().size() == 1);
      Future<Integer> next = begin(peer); // 5
      peer.connections.get(0).answer(5, 200);
      peer.connections.get(0).answer(1, 200);
      assertEquals(200, result(next));
      assertEquals(200, result(stays));
      assertEquals(0, server.pings.size());
    }
  }

  /** RFC 9113 has it answer. */
  @Test
  void aServerThatDoesNotAnswerIsNotWaitedForForEver() throws Exception {
    GivenUpStreams patient = oneOfOne(Duration.ofSeconds(60));
    GivenUpStreams impatient = oneOfOne(Duration.ofMillis(50));
    patient.ask(0, 1);
    impatient.ask(0, 1);
    Threads.await("it is not counted any more", () -> impatient.count() == 0);
    assertEquals(1, patient.count());
  }

  /** gRPC servers end a connection for PINGs between which they had nothing to say. */
  @Test
  void aServerThatSaysNothingIsNotAskedAgain() {
    GivenUpStreams streams = oneOfOne(Duration.ofSeconds(60));
    streams.ask(0, 1);
    streams.answered();
    giveUp(streams);
    streams.ask(0, 1);
    assertEquals(0, streams.count());
    streams.heard();
    giveUp(streams);
    streams.ask(0, 1);
    assertEquals(1, streams.count());
  }

  private static GivenUpStreams oneOfOne(Duration patience) {
    GivenUpStreams streams =
        new GivenUpStreams(
            new ReactorConnection(
                HttpVersionPolicy.FORCE_HTTP_2, new Exchange<>(), new Exchange<>()),
            patience);
    giveUp(streams);
    return streams;
  }

  private static void giveUp(GivenUpStreams streams) {
    streams.add();
    streams.reset();
  }

  /** The engine forgets a stream a second after its reset. */
  @Test
  void whatTheServerSentBeforeItHadTheResetEndsNoOtherCall() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, new Silent())) {
      Future<Integer> early = begin(peer); // stream 1
      Http2Peer.Connection connection = peer.connections.get(0);
      early.cancel(true);
      Threads.await("it is reset", () -> peer.resets().size() == 1);
      Thread.sleep(1200);
      Future<Integer> other = begin(peer); // 3
      connection.data(1, PIECE, false);
      connection.data(1, PIECE, true);
      connection.answer(3, 200);
      assertEquals(200, result(other));
      Future<Integer> stays = begin(peer); // 5
      for (int i = 0; i < 300; i++) {
        connection.data(1, PIECE, false); // which the connection's window now lacks
      }
      Threads.await("it takes no more calls", () -> manager.getTotalStats().getLeased() == 0);
      connection.answer(5, 200);
      assertEquals(200, result(stays));
      Future<Integer> next = begin(peer);
      assertEquals(2, peer.connections.size());
      peer.connections.get(1).answer(1, 200);
      assertEquals(200, result(next));
    }
  }

  /** Nobody has given that one up: it is the server that is wrong. */
  @Test
  void whatComesBehindTheEndOfAResponseEndsTheConnection() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, new Silent())) {
      Future<Integer> whole = begin(peer); // stream 1
      Http2Peer.Connection connection = peer.connections.get(0);
      connection.answer(1, 200);
      assertEquals(200, result(whole));
      Future<Integer> other = begin(peer); // 3
      connection.data(1, PIECE, false);
      ExecutionException failed = assertThrows(ExecutionException.class, () -> result(other));
      assertInstanceOf(H2ConnectionException.class, failed.getCause());
    }
  }
}
