package io.heddle.apache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hc.core5.http2.nio.command.PingCommand;
import org.apache.hc.core5.http2.nio.support.BasicPingHandler;

/**
 * Tells when the server of an HTTP/2 connection has received the RST_STREAM of streams that callers
 * gave up. Until then it counts such a stream (RFC 9113, 5.1.2), and refuses a request that comes
 * in its place. nginx counts it until it has also sent what it had queued, and ends a connection on
 * which it has refused 130 requests, with all that others do there. The answer to a PING that was
 * sent behind the RST_STREAM shows that the server has it (6.7).
 *
 * <p>One PING is under way at a time. None is sent if no part of a response has come since the
 * last: gRPC's servers end a connection for PINGs between which they said nothing. Then, and after
 * a time in which no answer came, the server is taken to have it.
 */
final class ResetProof {

  private static final byte[] QUESTION = "is reset".getBytes(StandardCharsets.US_ASCII);

  private final ReactorConnection connection;
  private final Duration patience;

  /** Any thread adds, the I/O thread takes. */
  private final Queue<CompletableFuture<Void>> wanted = new ConcurrentLinkedQueue<>();

  // I/O thread only.
  private boolean asking;
  private long askedAt;
  private boolean heard = true;

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
   * Does something once the server has all that was given up before; any thread.
   *
   * @param then runs on the I/O thread or on the JDK's timer, and must not wait
   */
  @SuppressWarnings("FutureReturnValueIgnored") // nothing follows `then`
  void await(Runnable then) {
    CompletableFuture<Void> proof = new CompletableFuture<>();
    proof.completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS).thenRun(then);
    wanted.add(proof);
    connection.wakeUp(); // the reset may be sent already
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  /** A part of a response came. */
  void heard() {
    heard = true;
  }

  /** All streams that were given up are reset. */
  void ask() {
    boolean waiting = asking && System.nanoTime() - askedAt < patience.toNanos();
    if (waiting || wanted.isEmpty()) {
      return;
    }
    List<CompletableFuture<Void>> now = new ArrayList<>();
    for (CompletableFuture<Void> each; (each = wanted.poll()) != null; ) {
      now.add(each);
    }
    if (!heard) {
      complete(now);
      return;
    }
    asking = true;
    askedAt = System.nanoTime();
    heard = false;
    connection.ping(
        new PingCommand(
            new BasicPingHandler( // which is told, too, if the connection ends
                answered -> {
                  asking = false;
                  complete(now);
                }) {
              @Override
              public ByteBuffer getData() {
                return ByteBuffer.wrap(QUESTION);
              }
            }));
  }

  private static void complete(List<CompletableFuture<Void>> proofs) {
    proofs.forEach(each -> each.complete(null)); // wakes callers that wait for a stream
  }

  /** Whether this is what such a PING has in it. */
  static boolean isQuestion(byte[] payload) {
    return Arrays.equals(payload, QUESTION);
  }
}
