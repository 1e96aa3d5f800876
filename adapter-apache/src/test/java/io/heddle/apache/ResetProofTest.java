package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.LeakCheck;
import io.heddle.core.Exchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http2.H2ConnectionException;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.frame.FrameType;
import org.apache.hc.core5.http2.frame.RawFrame;
import org.apache.hc.core5.http2.hpack.HPackDecoder;
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
class ResetProofTest {

  private static final int PIECE = 16_000;

  // A status that goes into HPACK's table, and one that is taken from there (RFC 7541, 6.1, 6.2.1).
  private static final byte[] STATUS_TO_REMEMBER = {0x48, 3, '4', '1', '8'};
  private static final byte[] STATUS_REMEMBERED = {(byte) 0xbe};

  private final BlockingConnectionManager manager =
      BlockingConnectionManager.builder()
          .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
          .setMaxConnPerRoute(1)
          .build();

  private final CloseableHttpClient client =
      BlockingHttpClients.custom().setConnectionManager(manager).disableAutomaticRetries().build();

  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

  /** Answers no request, and no PING that asks for a reset. */
  private static class Silent implements Http2Peer.Behaviour {
    final List<byte[]> asked = new CopyOnWriteArrayList<>();

    @Override
    public void request(Http2Peer.Connection on, int stream, boolean end) {}

    @Override
    public void ping(Http2Peer.Connection on, byte[] payload) throws IOException {
      if (ResetProof.isQuestion(payload)) {
        asked.add(payload);
      } else {
        on.pong(payload);
      }
    }
  }

  /** Answers each PING. */
  private static final class Answering extends Silent {
    @Override
    public void ping(Http2Peer.Connection on, byte[] payload) throws IOException {
      super.ping(on, payload);
      if (ResetProof.isQuestion(payload)) {
        on.pong(payload);
      }
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
    if (before == 0) {
      callers.execute(() -> live(peer.connections.get(0)));
    }
    return call;
  }

  /** Else the path is suspected, and asked for itself, where a call is given up. */
  private static void live(Http2Peer.Connection connection) {
    try {
      for (; ; ) {
        connection.sign();
        Thread.sleep(10);
      }
    } catch (IOException | InterruptedException e) {
      return; // the test is over
    }
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
      Threads.await("the server is asked", () -> !server.asked.isEmpty());
      Future<Integer> next = get(peer); // 5
      Threads.await("the next waits", () -> manager.getTotalStats().getPending() == 1);
      assertEquals(List.of(H2Error.CANCEL.getCode()), peer.resets());
      assertEquals(2, peer.requests());
      Http2Peer.Connection connection = peer.connections.get(0);
      connection.pong(server.asked.get(0));
      Threads.await("the next has its stream", () -> peer.requests() == 3);
      connection.answer(5, 200);
      connection.answer(1, 200);
      assertEquals(200, result(next));
      assertEquals(200, result(stays));
      assertEquals(1, peer.connections.size());
    }
  }

  /** Nor is the connection idle, for somebody to take it anew. */
  @Test
  void theOnlyStreamGoesToTheNextOnceTheServerHasItsReset() throws Exception {
    Silent server = new Silent();
    try (Http2Peer peer = new Http2Peer(1, server)) {
      begin(peer).cancel(true); // stream 1
      Threads.await("the server is asked", () -> !server.asked.isEmpty());
      Future<Integer> next = get(peer); // 3
      Threads.await("the next waits", () -> manager.getTotalStats().getPending() == 1);
      assertEquals(1, peer.requests());
      peer.connections.get(0).pong(server.asked.get(0));
      Threads.await("the next has its stream", () -> peer.requests() == 2);
      peer.connections.get(0).answer(3, 200);
      assertEquals(200, result(next));
    }
  }

  /** gRPC's servers end a connection for PINGs between which they had nothing to say. */
  @Test
  void aServerThatSaysNothingIsAskedOnce() throws Exception {
    Silent server = new Answering();
    try (Http2Peer peer = new Http2Peer(1, server)) {
      for (int i = 0; i < 3; i++) {
        begin(peer).cancel(true); // streams 1, 3, 5
      }
      Future<Integer> next = begin(peer); // 7
      assertEquals(1, server.asked.size());
      peer.connections.get(0).answer(7, 200);
      assertEquals(200, result(next));
      begin(peer).cancel(true);
      Threads.await("the server is asked again", () -> server.asked.size() == 2);
      assertEquals(1, peer.connections.size());
    }
  }

  @Test
  void aServerThatDoesNotAnswerIsNotWaitedForForEver() throws Exception {
    ReactorConnection connection =
        new ReactorConnection(HttpVersionPolicy.FORCE_HTTP_2, new Exchange<>(), new Exchange<>());
    CountDownLatch done = new CountDownLatch(1);
    ApacheExchange exchange = new ApacheExchange(new HttpGet("/"), null, null);
    new ResetProof(connection, Duration.ofMillis(50)).await(exchange, done::countDown);
    assertTrue(done.await(20, TimeUnit.SECONDS));
  }

  @Test
  void theEndOfTheConnectionEndsTheWait() throws Exception {
    Silent server = new Silent();
    try (Http2Peer peer = new Http2Peer(1, server)) {
      begin(peer).cancel(true);
      Threads.await("the server is asked", () -> !server.asked.isEmpty());
      Future<Integer> next = get(peer);
      Threads.await("the next waits", () -> manager.getTotalStats().getPending() == 1);
      peer.connections.get(0).socket.close();
      Threads.await("the next has another connection", () -> peer.connections.size() == 2);
      Threads.await("its request is there", () -> peer.requests() == 2);
      peer.connections.get(1).answer(1, 200);
      assertEquals(200, result(next));
    }
  }

  /** The engine forgets a stream a second after its reset. */
  @Test
  void whatTheServerSentBeforeItHadTheResetEndsNoOtherCall() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, new Answering())) {
      Future<Integer> early = begin(peer); // stream 1
      Http2Peer.Connection connection = peer.connections.get(0);
      early.cancel(true);
      Threads.await("it is reset", () -> peer.resets().size() == 1);
      Thread.sleep(1200);
      Future<Integer> other = begin(peer); // 3
      connection.answerHead(1, STATUS_TO_REMEMBER, false);
      connection.data(1, PIECE, false);
      connection.data(1, PIECE, true);
      connection.answerHead(3, STATUS_REMEMBERED, true);
      assertEquals(418, result(other));
      assertEquals(1, peer.connections.size());
    }
  }

  /** Also as the engine reads on behind what has it reset a stream, which takes some tries. */
  @Test
  void itMayComeAtAnyTime() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, new Answering())) {
      begin(peer).cancel(true); // stream 1
      Http2Peer.Connection connection = peer.connections.get(0);
      Threads.await("it is reset", () -> peer.resets().size() == 1);
      Thread.sleep(1200);
      Future<Integer> other = begin(peer); // 3
      Future<?> late =
          callers.submit(
              () -> {
                for (; ; ) {
                  connection.data(1, 10, false);
                  Thread.sleep(Duration.ofNanos(200_000));
                }
              });
      for (int i = 0; i < 300; i++) {
        begin(peer).cancel(true);
      }
      late.cancel(true);
      connection.answer(3, 200);
      assertEquals(200, result(other));
      assertEquals(1, peer.connections.size());
    }
  }

  /** Else the client would believe that the server may send more than it may. */
  @Test
  void whatIsIgnoredCountsAgainstTheWindow() {
    AtomicInteger window = new AtomicInteger(2 * PIECE);
    ApacheInternals.Input input =
        new ApacheInternals.Input(new HPackDecoder(100, StandardCharsets.US_ASCII), window);
    ResetStreams streams = new ResetStreams();
    streams.add(1);
    ByteBuffer payload = ByteBuffer.allocate(PIECE);
    assertTrue(streams.ignore(new RawFrame(FrameType.DATA.getValue(), 0, 1, payload), input));
    assertFalse(streams.ignore(new RawFrame(FrameType.DATA.getValue(), 0, 3, payload), input));
    assertEquals(PIECE, window.get());
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
