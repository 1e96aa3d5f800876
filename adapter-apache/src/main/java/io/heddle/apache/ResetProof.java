package io.heddle.apache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hc.core5.http2.nio.AsyncPingHandler;
import org.apache.hc.core5.http2.nio.command.PingCommand;

/**
 * Tells when the server of an HTTP/2 connection has received the RST_STREAM of streams that callers
 * gave up. Until then it counts such a stream (RFC 9113, 5.1.2), and refuses a request that comes
 * in its place. nginx counts it until it has also sent what it had queued, and ends a connection on
 * which it has refused 130 requests, with all that others do there. The answer to a PING that was
 * sent behind the RST_STREAM shows that the server has it (6.7).
 *
 * <p>Servers end a connection for too many PINGs, gRPC's for those between which they said nothing.
 * So one is under way at a time, and there is a moment between two. A server is taken to have the
 * RST_STREAM if it does not answer in time, and if no part of a response has come since its last
 * answer.
 */
final class ResetProof {

  private static final byte[] QUESTION = "is reset".getBytes(StandardCharsets.US_ASCII);

  private static final Duration MOMENT = Duration.ofMillis(20);

  private final ReactorConnection connection;
  private final Duration patience;

  /** Somebody waits. */
  private record Wait(ApacheExchange exchange, CompletableFuture<Void> proof) {}

  /** Any thread adds, the I/O thread takes. */
  private final Queue<Wait> waits = new ConcurrentLinkedQueue<>();

  // I/O thread only.
  private boolean asking;
  private boolean heard = true;
  private long askedAt = System.nanoTime() - MOMENT.toNanos();
  private boolean askingSoon;

  /**
   * Nothing is to be proven yet.
   *
   * @param patience how long to wait for a proof
   */
  ResetProof(ReactorConnection connection, Duration patience) {
    this.connection = connection;
    this.patience = patience;
  }

  /**
   * Does something once the server does not count the stream of an exchange any more, which was
   * given up; any thread.
   *
   * @param then runs on the I/O thread or on the JDK's timer, and must not wait
   */
  @SuppressWarnings("FutureReturnValueIgnored") // nothing follows `then`
  void await(ApacheExchange exchange, Runnable then) {
    CompletableFuture<Void> proof = new CompletableFuture<>();
    proof.completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS).thenRun(then);
    waits.add(new Wait(exchange, proof));
    connection.wakeUp(); // the engine may be done with it already
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  /** A part of a response came. */
  void heard() {
    heard = true;
  }

  /** The engine has had its turn: some of what was given up may be reset. */
  void ask() {
    if (waits.isEmpty()) {
      return;
    }
    long since = System.nanoTime() - askedAt;
    if (asking && since < patience.toNanos()) {
      return;
    }
    boolean asks = heard && !asking;
    if (asks && since < MOMENT.toNanos()) {
      askSoon();
      return;
    }
    askingSoon = false;
    List<Wait> reset = new ArrayList<>();
    for (Iterator<Wait> it = waits.iterator(); it.hasNext(); ) {
      Wait each = it.next();
      if (each.exchange.isReleased()) { // else its RST_STREAM is still to be sent
        it.remove();
        if (asks && each.exchange.isReset()) {
          reset.add(each);
        } else {
          each.proof.complete(null); // wakes a caller that waits for a stream
        }
      }
    }
    if (!reset.isEmpty()) {
      asking = true;
      askedAt = System.nanoTime();
      connection.ping(new PingCommand(new Question(reset)));
    }
  }

  private void askSoon() {
    if (!askingSoon) {
      askingSoon = true;
      PathCheck.later(MOMENT, connection::wakeUp);
    }
  }

  private final class Question implements AsyncPingHandler {
    private final List<Wait> reset;

    Question(List<Wait> reset) {
      this.reset = reset;
    }

    @Override
    public ByteBuffer getData() {
      return ByteBuffer.wrap(QUESTION);
    }

    @Override
    public void consumeResponse(ByteBuffer feedback) {
      asking = false;
      heard = false;
      reset.forEach(each -> each.proof.complete(null)); // wakes callers that wait for a stream
    }

    @Override
    public void failed(Exception cause) {
      cancel();
    }

    /** The connection is about to end: nobody is to begin anything on it. */
    @Override
    public void cancel() {
      connection.goingAway();
      reset.forEach(each -> each.proof.complete(null));
    }
  }

  /** Whether this is what such a PING has in it. */
  static boolean isQuestion(byte[] payload) {
    return Arrays.equals(payload, QUESTION);
  }
}
