package io.heddle.jetty;

import java.io.EOFException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.http2.CloseState;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.RetryableStreamException;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.frames.FailureFrame;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Sees the frames of one connection of HTTP/2, for what Jetty does not tell:
 *
 * <ul>
 *   <li>A response whose DATA does not match its Content-Length (RFC 9113, 8.1.1): Jetty resets the
 *       stream with PROTOCOL_ERROR, which it does for nothing else, and leaves its reader waiting.
 *   <li>A request that goes out after the GOAWAY that says it will not be processed (RFC 9113,
 *       6.8): Jetty fails the streams that are there when GOAWAY comes, but not one that it has a
 *       number for and is just about to open; its caller would wait until the server closes.
 *   <li>Whose head has gone out, and on which stream: a request of which nothing was written can go
 *       again, and so can one of which the server says that it has not looked at it, whatever Jetty
 *       tells first; and of a stream that has failed Jetty may take what is left of the response
 *       for all.
 *   <li>A path that is dead: after a timeout nothing new goes there, and it is asked by PING. Who
 *       is there already may have a slow server, a network that mends, or a machine that is too
 *       busy: their connection is closed after {@value #SILENCE_MILLIS} ms without a byte.
 *   <li>A server that allows more streams: Jetty would look at its queue when the next call ends.
 *   <li>A connection that the client has left (the pool closes it with its last call, which says
 *       GOAWAY): Jetty waits for the server to close it, which it need not do. The socket is closed
 *       after another {@value #SILENCE_MILLIS} ms.
 *   <li>A server that has each PING and SETTINGS answered, and does not read the answers: Jetty
 *       keeps them, without a bound. The connection ends when there are too many (RFC 9113, 10.5).
 * </ul>
 *
 * <p>Whether the path is dead:
 *
 * <pre>{@code
 * HEARD ──a call times out, after silence──▶ ASKED   by PING; nothing new goes there, ever again
 *   ▲                                          ├──10 s of silence──▶ CLOSED
 *   └──────────────── any frame ───────────────┘
 * }</pre>
 */
final class Http2Session implements HTTP2Session.FrameListener {

  /** A call that times out sooner than this after the last byte is no sign of anything. */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long SILENCE_MILLIS = 10_000;

  /** How many answers to PING and SETTINGS may wait until the server reads them. */
  private static final int MOST_ANSWERS = 10_000;

  /** An attribute of a stream that the server has refused. */
  private static final String REFUSED = "io.heddle.refused";

  private final BlockingJettyClient client;
  private final HTTP2Session session;

  // Written by the I/O thread that reads.
  private volatile long heardAt = System.nanoTime();
  private volatile int lastStream = Integer.MAX_VALUE; // that the server processes

  // Written by any thread.
  private volatile @Nullable Connection connection; // once it has had a request
  private volatile long askedAt = heardAt; // by PING

  /** Of those to PING and SETTINGS, how many wait to be written. */
  private final AtomicInteger answers = new AtomicInteger();

  Http2Session(BlockingJettyClient client, HTTP2Session session) {
    this.client = client;
    this.session = session;
  }

  boolean isOf(Session jettys) {
    return session.equals(jettys);
  }

  // ---- I/O threads --------------------------------------------------------------------------

  @Override
  public void onIncomingFrame(Session same, Frame frame) {
    heardAt = System.nanoTime();
    if (frame instanceof GoAwayFrame away) { // Jetty heeds it after this
      lastStream = Math.min(lastStream, away.getLastStreamId());
    } else if (frame instanceof ResetFrame reset
        && reset.getError() == ErrorCode.REFUSED_STREAM_ERROR.code) {
      HTTP2Stream stream = session.getStream(reset.getStreamId());
      if (stream != null) { // Jetty heeds it after this
        stream.setAttribute(REFUSED, true);
      }
    } else if (isPingOrSettings(frame, false) && answers.incrementAndGet() == MOST_ANSWERS + 1) {
      session.onConnectionFailure(
          ErrorCode.ENHANCE_YOUR_CALM_ERROR.code, "answers_to_ping_and_settings_are_not_read");
      session.disconnect(); // what is to be said would wait behind the answers
    }
  }

  private static boolean isPingOrSettings(Frame frame, boolean answer) {
    return (frame instanceof PingFrame ping && ping.isReply() == answer)
        || (frame instanceof SettingsFrame settings && settings.isReply() == answer);
  }

  @Override
  public void onOutgoingFrame(Session same, Frame frame) {
    if (frame instanceof HeadersFrame headers) {
      HTTP2Stream stream = session.getStream(headers.getStreamId());
      if (stream != null && stream.getId() > lastStream) {
        client.getExecutor().execute(() -> refuse(stream));
      }
      if (headers.getMetaData().getTrailersSupplier() instanceof SentHead.Mark mark) {
        mark.request().goesOut(new Sent(this, headers.getStreamId(), stream));
      }
    } else if (isPingOrSettings(frame, true)) {
      answers.decrementAndGet();
      Connection of = connection;
      if (of != null && frame instanceof SettingsFrame) { // which Jetty has heeded by now
        client.getExecutor().execute(() -> JettyPools.proceed(of));
      }
    } else if (frame instanceof ResetFrame reset
        && reset.getError() == ErrorCode.PROTOCOL_ERROR.code) {
      tellOfLength(session.getStream(reset.getStreamId()), reset.getError());
    } else if (frame instanceof GoAwayFrame away && !away.isGraceful() && waitsForServer()) {
      client.later(SILENCE_MILLIS, TimeUnit.MILLISECONDS, session::disconnect);
    }
  }

  /**
   * A stream on which the head of a request went out.
   *
   * @param stream null if it was gone by then: it has failed
   */
  private record Sent(Http2Session on, int id, @Nullable HTTP2Stream stream) implements SentHead {

    @Override
    public boolean hasFailed() {
      return stream == null || stream.isResetOrFailed();
    }

    @Override
    public boolean isRefused() {
      return stream != null && stream.getAttribute(REFUSED) != null;
    }

    @Override
    public boolean isBeyondLast() {
      return id > on.lastStream;
    }
  }

  /** Whether Jetty has said GOAWAY, after the end of all calls, and does nothing more. */
  private boolean waitsForServer() {
    CloseState state = session.getCloseState();
    return state == CloseState.LOCALLY_CLOSED || state == CloseState.REMOTELY_CLOSED;
  }

  /** If Jetty has not seen it. */
  private static void refuse(HTTP2Stream late) {
    if (!late.isClosed()) {
      int code = ErrorCode.REFUSED_STREAM_ERROR.code;
      late.process(new FailureFrame(code, null, new RetryableStreamException()), Callback.NOOP);
    }
  }

  private static void tellOfLength(@Nullable HTTP2Stream stream, int code) {
    Stream.Listener listener = stream == null ? null : stream.getListener();
    if (stream != null && listener != null) {
      Throwable why = new EOFException("the body is not as long as its Content-Length");
      listener.onFailure(stream, code, "content-length", why, Callback.NOOP);
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** A request has this connection, which is that of the session. */
  void serves(Connection used) {
    connection = used;
  }

  /** That which has had a request. */
  @Nullable Connection connection() {
    return connection;
  }

  /** A call over its connection has timed out: if nothing was heard of late, that is left. */
  void suspect() {
    Connection suspected = connection;
    long now = System.nanoTime();
    if (suspected == null || now - heardAt < QUIET_NANOS) {
      return;
    }
    JettyPools.leave(suspected);
    if (heardAt - askedAt >= 0) { // else it is asked already
      askedAt = now;
      session.ping(new PingFrame(now, false), Callback.NOOP);
      client.later(SILENCE_MILLIS, TimeUnit.MILLISECONDS, () -> closeIfSilent(now, suspected));
    }
  }

  private void closeIfSilent(long since, Connection suspected) {
    if (heardAt - since < 0) {
      suspected.close();
      session.disconnect();
    }
  }
}
