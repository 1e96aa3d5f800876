package io.heddle.jetty;

import java.io.EOFException;
import java.net.SocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.RetryableStreamException;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.FailureFrame;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Sees the frames of HTTP/2, and the ends of its connections, for what Jetty does not tell. This
 * class is used only where Jetty's HTTP/2 is there.
 *
 * <ul>
 *   <li>A response whose DATA does not match its Content-Length (RFC 9113, 8.1.1): Jetty resets the
 *       stream with PROTOCOL_ERROR, which it does for nothing else, and leaves its reader waiting.
 *   <li>A request that goes out after the GOAWAY that says it will not be processed (RFC 9113,
 *       6.8): Jetty fails the streams that are there when GOAWAY comes, but not one that it has a
 *       number for and is just about to open; its caller would wait until the server closes.
 *   <li>A connection that is closed while frames that came are on their way to their calls, as when
 *       a write fails: Jetty stops what brings them there, and what comes after, the failure too,
 *       waits behind them for ever. So the connection is not told before all calls on it have
 *       ended; nobody waits more than {@value #PATIENCE_MILLIS} ms for what will not come.
 *   <li>Whose head has gone out, and on which stream: a request of which nothing was written can go
 *       again, and of a stream that has failed Jetty may take what is left of the response for all.
 *   <li>A path that is dead: after a timeout nothing new goes there, and it is asked by PING. Who
 *       is there already may have a slow server, a network that mends, or a machine that is too
 *       busy: their connection is closed after {@value #SILENCE_MILLIS} ms without a byte.
 *   <li>A server that allows more streams: Jetty would look at its queue when the next call ends.
 *   <li>A server that has each PING and SETTINGS answered, and does not read the answers: Jetty
 *       keeps them, without a bound. The connection ends when there are too many (RFC 9113, 10.5).
 * </ul>
 */
final class Http2Watch implements HTTP2Session.FrameListener, HTTP2Session.LifeCycleListener {

  private static final long PATIENCE_MILLIS = 1_000;

  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long SILENCE_MILLIS = 10_000;

  /** How many answers to PING and SETTINGS may wait until the server reads them. */
  private static final int MOST_ANSWERS = 10_000;

  private final BlockingJettyClient client;

  /** When the last frame of a session came, by its local address, which is the connection's too. */
  private final Map<SocketAddress, Heard> sessions = new ConcurrentHashMap<>();

  /** The same, by the connection that has had a request. */
  private final Map<Connection, Heard> used = new ConcurrentHashMap<>();

  /** What is done last with sockets that are closed, while calls have yet to read. */
  private final Set<Runnable> rests = ConcurrentHashMap.newKeySet();

  private static final class Heard {
    private final HTTP2Session session;
    private volatile long at = System.nanoTime();
    private volatile long askedAt = at; // by PING
    private volatile int lastStream = Integer.MAX_VALUE; // that the server processes
    private volatile @Nullable Connection connection; // once it has had a request

    /** Of those to PING and SETTINGS, how many wait to be written. */
    private final AtomicInteger answers = new AtomicInteger();

    Heard(HTTP2Session session) {
      this.session = session;
    }
  }

  private Http2Watch(BlockingJettyClient client) {
    this.client = client;
  }

  /** Watches all sessions that this client will have; null if it does not speak HTTP/2. */
  static @Nullable Http2Watch over(BlockingJettyClient client) {
    Http2Watch watch = null;
    for (HTTP2Client each : client.getContainedBeans(HTTP2Client.class)) {
      watch = watch == null ? new Http2Watch(client) : watch;
      each.addEventListener(watch);
    }
    return watch;
  }

  // ---- I/O threads --------------------------------------------------------------------------

  @Override
  public void onOpen(Session session) {
    SocketAddress local = session.getLocalSocketAddress();
    if (local != null && session instanceof HTTP2Session http2) {
      Heard heard = new Heard(http2);
      sessions.put(local, heard);
      ReadingEndPoint socket = ReadingEndPoint.under(http2.getEndPoint());
      if (socket != null) {
        socket.lastly(rest -> endWaits(heard, rest));
      } else {
        http2.getEndPoint().getConnection().addEventListener(new End(heard));
      }
    }
  }

  /** The end of a connection over what is no socket of ours. */
  private final class End implements org.eclipse.jetty.io.Connection.Listener {
    private final Heard heard;

    End(Heard heard) {
      this.heard = heard;
    }

    @Override
    public void onClosed(org.eclipse.jetty.io.Connection closed) {
      endWaits(heard, () -> heard.connection = null);
    }
  }

  /** A socket is closed: until nobody is left who has yet to read what had come, the rest waits. */
  private void endWaits(Heard heard, Runnable rest) {
    rests.add(rest);
    if (client.isRunning()) {
      later(
          PATIENCE_MILLIS,
          () -> {
            Connection of = heard.connection;
            if (of != null && client.endWaits(of) && rests.remove(rest)) {
              endWaits(heard, rest);
            } else {
              finish(rest);
            }
          },
          () -> finish(rest));
    } else {
      finish(rest);
    }
  }

  /** Does this now, if it is not done. */
  private void finish(Runnable rest) {
    if (rests.remove(rest)) {
      rest.run();
    }
  }

  /** The client is being stopped, and its scheduler will be: what waits does so no longer. */
  void stop() {
    rests.forEach(this::finish);
  }

  @Override
  public void onClose(Session session) {
    sessions.values().removeIf(each -> each.session.equals(session));
    used.values().removeIf(each -> each.session.equals(session));
  }

  @Override
  public void onIncomingFrame(Session session, Frame frame) {
    SocketAddress local = session.getLocalSocketAddress();
    Heard heard = local == null ? null : sessions.get(local);
    if (heard != null) {
      heard.at = System.nanoTime();
      if (frame instanceof GoAwayFrame away) { // Jetty heeds it after this
        heard.lastStream = Math.min(heard.lastStream, away.getLastStreamId());
      } else if (isToBeAnswered(frame) && heard.answers.incrementAndGet() == MOST_ANSWERS + 1) {
        heard.session.onConnectionFailure(
            ErrorCode.ENHANCE_YOUR_CALM_ERROR.code, "answers_to_ping_and_settings_are_not_read");
        heard.session.disconnect(); // what is to be said would wait behind the answers
      }
    }
  }

  private static boolean isToBeAnswered(Frame frame) {
    return (frame instanceof PingFrame ping && !ping.isReply())
        || (frame instanceof SettingsFrame settings && !settings.isReply());
  }

  private static boolean isAnswer(Frame frame) {
    return (frame instanceof PingFrame ping && ping.isReply())
        || (frame instanceof SettingsFrame settings && settings.isReply());
  }

  @Override
  public void onOutgoingFrame(Session session, Frame frame) {
    if (frame instanceof HeadersFrame headers) {
      refuseIfLate(session, headers.getStreamId());
      if (headers.getMetaData().getTrailersSupplier() instanceof JettyRequest.Head head) {
        head.request().goesOut(failed(session.getStream(headers.getStreamId())));
      }
    }
    if (isAnswer(frame)) {
      SocketAddress local = session.getLocalSocketAddress();
      Heard heard = local == null ? null : sessions.get(local);
      if (heard != null) {
        heard.answers.decrementAndGet();
        Connection of = heard.connection;
        if (of != null && frame instanceof SettingsFrame) { // which Jetty has heeded by now
          client.getExecutor().execute(() -> JettyPools.proceed(of));
        }
      }
    }
    if (frame instanceof ResetFrame reset
        && reset.getError() == ErrorCode.PROTOCOL_ERROR.code
        && session.getStream(reset.getStreamId()) instanceof HTTP2Stream stream) {
      Stream.Listener listener = stream.getListener();
      if (listener != null) {
        listener.onFailure(
            stream,
            reset.getError(),
            "content-length",
            new EOFException("the body is not as long as its Content-Length"),
            Callback.NOOP);
      }
    }
  }

  /** Whether a stream has failed; one that is gone by now has. */
  private static BooleanSupplier failed(@Nullable Stream stream) {
    return stream instanceof HTTP2Stream http2 ? http2::isResetOrFailed : () -> true;
  }

  private void refuseIfLate(Session session, int stream) {
    SocketAddress local = session.getLocalSocketAddress();
    Heard heard = local == null ? null : sessions.get(local);
    if (heard != null
        && stream > heard.lastStream
        && session.getStream(stream) instanceof HTTP2Stream late) {
      client.getExecutor().execute(() -> refuse(late));
    }
  }

  private static void refuse(HTTP2Stream late) {
    if (!late.isClosed()) { // if Jetty has not seen it
      int code = ErrorCode.REFUSED_STREAM_ERROR.code;
      late.process(new FailureFrame(code, null, new RetryableStreamException()), Callback.NOOP);
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** A request has this connection. */
  void serves(Connection connection) {
    if (!used.containsKey(connection)) {
      SocketAddress local = connection.getLocalSocketAddress();
      Heard heard = local == null ? null : sessions.get(local);
      if (heard != null) {
        heard.connection = connection;
        used.put(connection, heard);
      }
    }
  }

  /** A call over this connection has timed out: if nothing was heard of late, it is left. */
  void suspect(Connection connection) {
    Heard heard = used.get(connection);
    long now = System.nanoTime();
    if (heard == null || now - heard.at < QUIET_NANOS) {
      return;
    }
    JettyPools.leave(connection);
    if (heard.at - heard.askedAt >= 0) { // else it is asked already
      heard.askedAt = now;
      heard.session.ping(new PingFrame(now, false), Callback.NOOP);
      later(SILENCE_MILLIS, () -> closeIfSilent(heard, now, connection), () -> {});
    }
  }

  /** After so many ms; the other if there is no thread for that. */
  private void later(long millis, Runnable work, Runnable otherwise) {
    try {
      Scheduler.Task unused =
          client
              .getScheduler()
              .schedule(
                  () -> {
                    try {
                      client.getExecutor().execute(work);
                    } catch (RejectedExecutionException e) {
                      otherwise.run();
                    }
                  },
                  millis,
                  TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      otherwise.run();
    }
  }

  private static void closeIfSilent(Heard heard, long since, Connection connection) {
    if (heard.at - since < 0) {
      connection.close();
      heard.session.disconnect();
    }
  }
}
