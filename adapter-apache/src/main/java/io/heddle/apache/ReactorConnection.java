package io.heddle.apache;

import io.heddle.core.Exchange;
import io.heddle.core.Waiter;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.CancelledKeyException;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLSession;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpVersion;
import org.apache.hc.core5.http.ProtocolVersion;
import org.apache.hc.core5.http.nio.command.RequestExecutionCommand;
import org.apache.hc.core5.http.nio.command.StaleCheckCommand;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.nio.command.PingCommand;
import org.apache.hc.core5.http2.nio.support.BasicPingHandler;
import org.apache.hc.core5.http2.ssl.ApplicationProtocol;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.io.ModalCloseable;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.EventMask;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.apache.hc.core5.reactor.ssl.TlsDetails;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the I/O reactor: what the pool keeps and what a lease gives out.
 *
 * <pre>{@code
 * CONNECTING ──started──▶ OPEN ──(upgrade: CONNECTING again, over TLS)──▶ OPEN
 *     │                    │
 *     └──failed, closed────┴──▶ CLOSED
 * }</pre>
 *
 * <p>OPEN comes, and {@code ready} completes, when a request can be sent: over HTTP/2 that is when
 * the server's SETTINGS have come.
 */
final class ReactorConnection implements ModalCloseable {

  /** What an endpoint has whose connection is yet to be made, or is gone. */
  static final ReactorConnection NONE =
      new ReactorConnection(HttpVersionPolicy.NEGOTIATE, new Exchange<>(), new Exchange<>());

  /** How long a peer may be silent that was asked whether it is there. */
  static final Duration PATIENCE = Duration.ofSeconds(1);

  private final HttpVersionPolicy versionPolicy;

  /** One for all requests: nobody but the engine looks at it. */
  private final HttpCoreContext engineContext = new EngineContext();

  /** Does not keep the last request, and with it its entity, while the connection idles. */
  private static final class EngineContext extends HttpCoreContext {
    @Override
    public void setRequest(HttpRequest request) {}

    @Override
    public void setResponse(HttpResponse response) {}
  }

  /** A step of its making. If it does not succeed there will be no connection. */
  static class Step<T> implements FutureCallback<T> {
    final ReactorConnection of;

    Step(ReactorConnection of) {
      this.of = of;
    }

    /** The next step begins by itself, unless a subclass has it begin. */
    @Override
    public void completed(T done) {}

    @Override
    public final void failed(Exception cause) {
      of.failed(cause);
    }

    @Override
    public final void cancelled() {
      failed(new ConnectionClosedException(CLOSED_EARLY));
    }
  }

  private static final String CLOSED_EARLY = "connection closed while it was being set up";

  private final Exchange<ReactorConnection> bound;
  private volatile Exchange<ReactorConnection> ready;
  private volatile @Nullable ProtocolIOSession ioSession;
  private volatile @Nullable ReactorSession session;
  private volatile @Nullable LeaseDetails details;
  private volatile boolean closed;
  private volatile boolean goingAway;
  private volatile boolean leftPool;
  private volatile @Nullable Exception closedFor;
  private volatile @Nullable Runnable onLimitChange;

  /**
   * A connection that is about to be made.
   *
   * @param bound completes with this connection once TCP is connected
   * @param ready completes with this connection once it is open
   */
  ReactorConnection(
      HttpVersionPolicy versionPolicy,
      Exchange<ReactorConnection> bound,
      Exchange<ReactorConnection> ready) {
    this.versionPolicy = versionPolicy;
    this.bound = bound;
    this.ready = ready;
  }

  // ---- I/O thread ---------------------------------------------------------------------------

  HttpVersionPolicy versionPolicy() {
    return versionPolicy;
  }

  /** The TCP connection is there; wakes the caller that connects. */
  void bind(ProtocolIOSession ioSession) {
    this.ioSession = ioSession;
    if (closed) { // given up while it was being made
      ioSession.close(CloseMode.IMMEDIATE);
    }
    bound.complete(this);
  }

  /** A protocol has begun; wakes the caller that connects. */
  void started(ReactorSession session) {
    this.session = session;
    ready.complete(this);
  }

  /** It will not begin, or it broke; wakes the caller that connects. */
  void failed(Exception cause) {
    bound.fail(cause);
    ready.fail(cause);
  }

  void disconnected() {
    closed = true;
    failed(new ConnectionClosedException(CLOSED_EARLY));
    limitChanged();
  }

  /** The server takes no further requests here; those under way go on. */
  void goingAway() {
    goingAway = true;
    limitChanged();
  }

  /** The server allows more streams, or fewer, or none any more. */
  void limitChanged() {
    Runnable listener = onLimitChange;
    if (listener != null) {
      listener.run();
    }
  }

  // ---- caller -------------------------------------------------------------------------------

  /** What to do when {@link #streamLimit} or {@link #isOpen} changes; runs on the I/O thread. */
  void onLimitChange(Runnable listener) {
    onLimitChange = listener;
  }

  /** Whether TCP is connected, or was. */
  boolean isBound() {
    return ioSession != null;
  }

  /** How many exchanges may be under way at a time: 1 on HTTP/1.1. */
  int streamLimit() {
    ReactorSession on = session;
    return on == null ? 0 : on.limit();
  }

  boolean isMultiplexed() {
    return session instanceof Http2Session;
  }

  /** The engine's details, with a lease's timeout; the same instance for the same timeout. */
  @Nullable EndpointDetails detailsWith(Timeout timeout) {
    LeaseDetails known = details;
    if (known != null && timeout.equals(known.getSocketTimeout())) {
      return known;
    }
    EndpointDetails ofEngine = endpointDetails();
    if (ofEngine == null) {
      return null;
    }
    LeaseDetails made = new LeaseDetails(ofEngine, timeout);
    details = made;
    return made;
  }

  /** Lets the exchange begin; never waits. */
  void submit(ApacheExchange exchange) throws ConnectionClosedException {
    ProtocolIOSession io = ioSession;
    ReactorSession on = session;
    if (io == null || on == null) {
      throw new ConnectionClosedException("not connected");
    }
    if (!exchange.beginOn(on)) {
      throw new ConnectionClosedException("given up before the start");
    }
    Command request =
        new RequestExecutionCommand(
            exchange, null, isMultiplexed() ? exchange.streamHandle() : null, engineContext);
    if (!(on instanceof Http1Session http1 && http1.send(request))) {
      enqueue(io, request);
    }
  }

  /** Whether a caller may send, as far as the socket has room. */
  boolean letsCallerSend() {
    return session instanceof Http1Session http1 && http1.letsCallerSend();
  }

  /** In the order of asking. A session that is closing cancels what is asked of it. */
  static void enqueue(IOSession io, Command command) {
    try {
      io.enqueue(command, Command.Priority.NORMAL);
    } catch (CancelledKeyException closing) {
      command.cancel();
    }
  }

  /** Has the I/O thread look at this connection. */
  void wakeUp() {
    ProtocolIOSession io = ioSession;
    if (io != null) {
      ReactorSession.unlessClosing(() -> io.setEvent(EventMask.WRITE));
    }
  }

  /** How many bytes it has sent so far. */
  long sentBytes() {
    EndpointDetails details = endpointDetails();
    return details == null ? 0 : details.getSentBytesCount();
  }

  /** Whether the engine waits for room in the socket. */
  boolean hasOutput() {
    ProtocolIOSession io = ioSession;
    return io != null && io.isOpen() && (io.getEventMask() & EventMask.WRITE) != 0;
  }

  /** Enqueues a PING; over HTTP/2 only. */
  void ping(PingCommand ping) {
    ProtocolIOSession io = ioSession;
    if (io != null) {
      enqueue(io, ping);
    }
  }

  /**
   * Does something once the server does not count an exchange that was given up: at once over
   * HTTP/1.1, where the server has no limit, and where no other begins here: that waits for another
   * sign of the server.
   *
   * @param then runs on any thread, and must not wait
   */
  void afterReset(ApacheExchange exchange, Runnable then) {
    if (session instanceof Http2Session http2 && isUsable()) {
      http2.afterReset(exchange, then);
    } else {
      then.run();
    }
  }

  /** Asks the I/O thread, or over HTTP/2 the server, whether the connection still lives. */
  void checkAlive(Exchange<Boolean> answer) {
    ProtocolIOSession io = ioSession;
    if (io == null) {
      answer.complete(false);
    } else if (isMultiplexed()) {
      enqueue(io, new PingCommand(new BasicPingHandler(alive -> answer.complete(alive))));
    } else {
      enqueue(io, new StaleCheckCommand(alive -> answer.complete(Boolean.TRUE.equals(alive))));
    }
  }

  /** Goes on over TLS; {@code ready} completes when the protocol that ALPN chose has begun. */
  void upgrade(
      Exchange<ReactorConnection> ready,
      BiConsumer<ProtocolIOSession, FutureCallback<TransportSecurityLayer>> startTls)
      throws IOException {
    ProtocolIOSession io = ioSession;
    if (io == null || !(session instanceof Http1Session clear)) {
      throw new ConnectionClosedException("not connected");
    }
    if (io.getTlsDetails() != null) {
      throw new IOException("TLS within TLS: Apache's engine cannot tunnel through an HTTPS proxy");
    }
    this.ready = ready;
    clear.beginTls();
    FutureCallback<TransportSecurityLayer> done =
        new Step<TransportSecurityLayer>(this) {
          @Override
          public void completed(TransportSecurityLayer secured) {
            TlsDetails tls = io.getTlsDetails();
            if (clear.hasUnread()) { // or it would be read as if TLS had brought it
              failed(new ClientProtocolException("plain text came where TLS was to begin"));
            } else if (tls != null
                && ApplicationProtocol.HTTP_2.id.equals(tls.getApplicationProtocol())) {
              // Tells `started` when the server's SETTINGS are here.
              io.switchProtocol(ApplicationProtocol.HTTP_2.id, null);
            } else if (clear.isIdle()) {
              io.switchProtocol(ApplicationProtocol.HTTP_1_1.id, null); // tells `started`
            } else { // the response to a request that was answered with 101 is still to come
              started(clear);
            }
          }
        };
    try {
      startTls.accept(io, done);
    } catch (CancelledKeyException closed) { // by the peer, a moment ago
      failed(new ConnectionClosedException("connection closed before TLS began"));
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** Whether an exchange may begin here: it is open, and not under suspicion. */
  boolean isUsable() {
    return isOpen() && !isSuspected();
  }

  /** Whether the peer has been silent for so long that it was asked whether it is there. */
  boolean isSuspected() {
    return session instanceof Http2Session http2 && http2.path.isAsked();
  }

  boolean isOpen() {
    ReactorSession on = session;
    ProtocolIOSession io = ioSession;
    return on != null && io != null && !closed && !goingAway && io.isOpen() && on.protocol.isOpen();
  }

  @Override
  public void close() {
    close(CloseMode.GRACEFUL);
  }

  /**
   * Closes it. A channel of the JDK's waits for a write or a read that is under way, and does so in
   * a monitor. Before JDK 24 that holds the caller's carrier: so it waits before, for the session's
   * lock, under which the engine writes, and {@link PlainSession} reads. Over TLS the engine reads
   * without that: there a read that is under way, which does not block, holds the carrier still.
   * From JDK 24 on nobody closes under the lock: who waits in a monitor lets its carrier go, and
   * the I/O thread would wait for the lock until the caller has another.
   */
  @Override
  public void close(CloseMode closeMode) {
    closed = true;
    IOSession io = ioSession;
    if (io == null) {
      return;
    }
    Lock inUse = Waiter.MONITORS_HOLD_CARRIERS ? io.getLock() : null;
    if (inUse != null) {
      inUse.lock();
    }
    try {
      if (closeMode == CloseMode.GRACEFUL && session instanceof Http2Session http2) {
        http2.writeOutBeforeClose(); // the engine takes it for sent, and so do we
      }
      io.close(closeMode);
    } finally {
      if (inUse != null) {
        inUse.unlock();
      }
    }
  }

  /** The pool has no more to do with it: what is under way goes on when the pool lets go of it. */
  void leavePool() {
    leftPool = true;
  }

  /** The pool lets go of it. */
  void disposeOf(CloseMode closeMode) {
    if (!leftPool) {
      close(closeMode);
    }
  }

  /** Closes at once, and tells all whose exchanges are under way why. */
  void closeFor(Exception why) {
    closedFor = why;
    close(CloseMode.IMMEDIATE);
  }

  /** Why this side closed the connection, if it is not for the caller that did so. */
  @Nullable Exception closedFor() {
    return closedFor;
  }

  private @Nullable EndpointDetails endpointDetails() {
    ReactorSession on = session;
    return on == null ? null : on.protocol.getEndpointDetails();
  }

  @Nullable SocketAddress localAddress() {
    IOSession io = ioSession;
    return io == null ? null : io.getLocalAddress();
  }

  @Nullable SocketAddress remoteAddress() {
    IOSession io = ioSession;
    return io == null ? null : io.getRemoteAddress();
  }

  ProtocolVersion protocolVersion() {
    return isMultiplexed() ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1;
  }

  @Nullable SSLSession sslSession() {
    ProtocolIOSession io = ioSession;
    TlsDetails tls = io == null ? null : io.getTlsDetails();
    return tls == null ? null : tls.getSSLSession();
  }

  @Override
  public String toString() {
    IOSession io = ioSession;
    String id = io == null ? "unconnected" : io.getId();
    return id + "[" + protocolVersion() + (isOpen() ? ", open" : ", closed") + "]";
  }
}
