package io.heddle.apache;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http2.nio.command.PingCommand;
import org.apache.hc.core5.http2.nio.support.BasicPingHandler;
import org.jspecify.annotations.Nullable;

/**
 * Whether the peer of an HTTP/2 connection still says anything. A path can go dead without a word:
 * a router forgets the connection, a host vanishes. On HTTP/1.1 the call that times out takes its
 * connection with it; here it resets its stream, and others would follow it on the same path.
 *
 * <pre>{@code
 * HEARD ──a call is given up, and nothing came for a while──▶ ASKED: a PING is sent
 *   ▲                                                          │ │    no exchange begins
 *   └──────────── whatever comes ──────────────────────────────┘ │
 *                                     PATIENCE without a byte ──▶ LEFT: its place goes back
 *                           SILENCE without a byte, from ASKED ──▶ closed
 * }</pre>
 *
 * <p>(RFC 9113, 6.7, has PING "for determining whether an idle connection is still functional".)
 * What is under way there goes on until it is closed: a second of silence may also be the
 * network's, or a machine's that is too busy.
 */
final class PathCheck {

  /** A call that is given up sooner than this is no sign of anything. */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** So long may those wait who are there already. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private final ReactorConnection connection;

  // Written by the I/O thread, read by any.
  private volatile boolean awaiting;
  private volatile long quietSince;

  // Shared, under compare-and-set: null is HEARD, else ASKED.
  private final AtomicReference<@Nullable Question> question = new AtomicReference<>();

  /**
   * A PING. It waits in the engine as long as the server allows no further stream, which says
   * nothing of the path; and as long as what was written before does not leave, which does.
   */
  private static final class Question {
    final long bytesBefore;
    volatile boolean sent;

    Question(long bytesBefore) {
      this.bytesBefore = bytesBefore;
    }
  }

  PathCheck(ReactorConnection connection) {
    this.connection = connection;
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  /** A request is about to be sent: its answer is awaited from now on, if none was before. */
  void requestSent() {
    if (!awaiting) {
      quietSince = System.nanoTime();
      awaiting = true;
    }
  }

  /**
   * Something came.
   *
   * @param more whether an answer is awaited still
   */
  void heard(boolean more) {
    quietSince = System.nanoTime();
    awaiting = more;
    if (question.get() != null && question.getAndSet(null) != null) {
      connection.limitChanged(); // wakes callers that wait for a stream
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** Whether it is not known if the peer is there. */
  boolean isAsked() {
    return question.get() != null;
  }

  /** A caller gave its exchange up: has the peer been silent for long? */
  void givenUp() {
    if (!awaiting || System.nanoTime() - quietSince < QUIET_NANOS || !connection.isOpen()) {
      return;
    }
    Question asked = new Question(connection.sentBytes());
    if (!question.compareAndSet(null, asked)) {
      return;
    }
    connection.ping(
        new PingCommand(
            new BasicPingHandler(alive -> {}) { // any byte is an answer, see `heard`
              @Override
              public ByteBuffer getData() {
                asked.sent = true;
                return super.getData();
              }
            }));
    later(ReactorConnection.PATIENCE, () -> judge(asked));
  }

  /** Does something on the JDK's timer; it must not wait. */
  static void later(Duration time, Runnable work) {
    Executor timer = // the JDK's own
        CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS, Runnable::run);
    timer.execute(work);
  }

  private void judge(Question asked) {
    boolean stuck = connection.hasOutput() && connection.sentBytes() == asked.bytesBefore;
    if (!asked.sent && !stuck) {
      if (question.compareAndSet(asked, null)) {
        connection.limitChanged();
      }
    } else if (question.get() == asked) {
      connection.goingAway(); // callers that wait for a stream find another connection
      later(SILENCE.minus(ReactorConnection.PATIENCE), () -> closeIfSilent(asked));
    }
  }

  private void closeIfSilent(Question asked) {
    if (question.get() == asked) {
      connection.closeFor(
          new ConnectionClosedException(
              "the server is silent: no answer to a PING within %s ms, or no room to send it",
              SILENCE.toMillis()));
    }
  }
}
