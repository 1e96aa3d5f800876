package io.heddle.jetty;

import java.net.SocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;

/**
 * The sessions of HTTP/2 that a client has, and how each ends. This class is used only where
 * Jetty's HTTP/2 is there.
 *
 * <p>A connection may be closed, as when a write fails, while frames that came are on their way to
 * their calls: Jetty stops what brings them there, and what comes after, the failure too, waits
 * behind them for ever. So the connection is not told before all calls on it have ended; nobody
 * waits more than {@value #PATIENCE_MILLIS} ms for what will not come.
 */
final class Http2Watch implements HTTP2Session.LifeCycleListener {

  private static final long PATIENCE_MILLIS = 1_000;

  private final BlockingJettyClient client;

  /** By the local address, which is the connection's too. */
  private final Map<SocketAddress, Http2Session> sessions = new ConcurrentHashMap<>();

  /** Those that have had a request. */
  private final Map<Connection, Http2Session> used = new ConcurrentHashMap<>();

  /** What is done last with sockets that are closed, while calls have yet to read. */
  private final Set<Runnable> rests = ConcurrentHashMap.newKeySet();

  /** Watches all sessions that this client will have. */
  Http2Watch(BlockingJettyClient client) {
    this.client = client;
    client.getContainedBeans(HTTP2Client.class).forEach(each -> each.addEventListener(this));
  }

  // ---- I/O threads --------------------------------------------------------------------------

  @Override
  public void onOpen(Session session) {
    SocketAddress local = session.getLocalSocketAddress();
    if (local != null && session instanceof HTTP2Session http2) {
      Http2Session made = new Http2Session(client, http2);
      sessions.put(local, made);
      boolean unused = http2.addEventListener(made);
      ReadingEndPoint socket = ReadingEndPoint.under(http2.getEndPoint());
      if (socket != null) {
        socket.lastly(rest -> endWaits(made, rest));
      } else {
        http2.getEndPoint().getConnection().addEventListener(new End(made));
      }
    }
  }

  @Override
  public void onClose(Session session) {
    sessions.values().removeIf(each -> each.isOf(session));
    used.values().removeIf(each -> each.isOf(session));
  }

  /** The end of a connection over what is no socket of ours. */
  private final class End implements org.eclipse.jetty.io.Connection.Listener {
    private final Http2Session session;

    End(Http2Session session) {
      this.session = session;
    }

    @Override
    public void onClosed(org.eclipse.jetty.io.Connection closed) {
      endWaits(session, () -> sessions.values().remove(session));
    }
  }

  /** A socket is closed: until nobody is left who has yet to read what had come, the rest waits. */
  private void endWaits(Http2Session session, Runnable rest) {
    rests.add(rest);
    if (!client.isRunning()) {
      finish(rest);
      return;
    }
    client.later(
        PATIENCE_MILLIS,
        TimeUnit.MILLISECONDS,
        () -> {
          Connection of = session.connection();
          if (of != null && anyLingersOn(of) && rests.remove(rest)) {
            endWaits(session, rest);
          } else {
            finish(rest);
          }
        });
  }

  /** Whether there are calls on it that do not wait now; those that do are told. */
  private boolean anyLingersOn(Connection connection) {
    return client.live().stream().filter(each -> each.lingersOn(connection)).count() > 0;
  }

  /** Does this now, if it is not done. */
  private void finish(Runnable rest) {
    if (rests.remove(rest)) {
      rest.run();
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** The client is being stopped, and its scheduler will be: what waits does so no longer. */
  void stop() {
    rests.forEach(this::finish);
  }

  /** A request has this connection. */
  void serves(Connection connection) {
    SocketAddress local = used.containsKey(connection) ? null : connection.getLocalSocketAddress();
    Http2Session session = local == null ? null : sessions.get(local);
    if (session != null) {
      session.serves(connection);
      used.put(connection, session);
      if (!sessions.containsKey(local)) { // whoever closes it sees it there, or is seen here
        used.remove(connection);
      }
    }
  }

  /** A call over this connection has timed out. */
  void suspect(Connection connection) {
    Http2Session session = used.get(connection);
    if (session != null) {
      session.suspect();
    }
  }
}
