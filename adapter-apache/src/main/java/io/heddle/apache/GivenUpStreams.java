package io.heddle.apache;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.core5.http2.nio.command.PingCommand;
import org.apache.hc.core5.http2.nio.support.BasicPingHandler;

/**
 * How many streams of an HTTP/2 connection callers have given up that the server may count still:
 * until it has the RST_STREAM (RFC 9113, 5.1.2), and nginx until what it had to say there has left
 * it. A request in such a place is refused; and nginx ends a connection on which it has refused
 * 130, with all that others do there. That the server has the RST_STREAM is known from its answer
 * to a PING behind it (6.7).
 *
 * <pre>{@code
 * given up ──RST_STREAM──▶ reset ──PING──▶ asked ──its answer, or patience──▶ not counted any more
 *     │                      └──the server says nothing at all──────────────▶│
 *     └──came to its end by itself──────────────────────────────────────────▶│
 * }</pre>
 *
 * <p>Servers have limits for PINGs, too: gRPC's are for those that come while nothing else is said.
 * So one is under way at a time, none as long as half of the streams are free, and none if no
 * response has come since the last.
 */
final class GivenUpStreams {

  private final ReactorConnection connection;
  private final long patienceNanos;

  /** Any thread adds, the I/O thread takes. */
  private final AtomicInteger counted = new AtomicInteger();

  // Written by the I/O thread.
  private volatile int asked;
  private volatile long askedAt;

  // I/O thread only.
  private int reset;
  private boolean heard = true;

  /**
   * None yet.
   *
   * @param patience how long to wait for the answer to a PING
   */
  GivenUpStreams(ReactorConnection connection, Duration patience) {
    this.connection = connection;
    this.patienceNanos = patience.toNanos();
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** Somebody gives a stream up, and will then give its place to another. */
  void add() {
    counted.incrementAndGet();
  }

  /** How many there are. */
  int count() {
    boolean overdue = asked > 0 && System.nanoTime() - askedAt > patienceNanos;
    return overdue ? 0 : counted.get();
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  /** One of them came to its end, and need not be reset. */
  void ended() {
    leave(1);
  }

  /** One of them is reset. */
  void reset() {
    reset++;
  }

  /** The server says something of a response. */
  void heard() {
    heard = true;
  }

  /**
   * Asks the server about those that are reset, if it is time to.
   *
   * @param open how many streams are open beside them
   * @param limit how many the server allows
   */
  void ask(int open, int limit) {
    if (reset == 0 || asked > 0 || open + counted.get() <= limit / 2) {
      return;
    }
    int now = reset;
    reset = 0;
    if (!heard) {
      leave(now);
      return;
    }
    heard = false;
    askedAt = System.nanoTime();
    asked = now;
    connection.ping(new PingCommand(new BasicPingHandler(alive -> answered())));
  }

  /** The server has answered. */
  void answered() {
    int now = asked;
    asked = 0;
    leave(now);
  }

  private void leave(int streams) {
    counted.addAndGet(-streams);
    connection.limitChanged(); // wakes callers that wait for a stream
  }
}
