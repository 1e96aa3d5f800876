package io.heddle.apache;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.concurrent.locks.Lock;
import javax.net.ssl.SSLException;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.IOEventHandler;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.ssl.SSLIOSession;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A TLS session whose callbacks of the user's, a {@code TrustManager} or a {@code
 * HostnameVerifier}, may throw anything. The reactor survives exceptions; an {@link Error}, say a
 * {@link NoClassDefFoundError}, would end its thread, and with it all connections that this thread
 * serves. Here it becomes an {@link SSLException} and ends its own connection.
 */
final class GuardedSession implements IOSession {

  private final IOSession session;

  private GuardedSession(IOSession session) {
    this.session = session;
  }

  /** Guards a session of TLS; on others no code of the user's runs. */
  static IOSession guarded(IOSession session) {
    return session instanceof SSLIOSession ? new GuardedSession(session) : session;
  }

  /** What an {@link Error} of the user's code is told as. */
  static SSLException asFailure(Error e) {
    return new SSLException("a callback of TLS failed: " + e, e);
  }

  @Override
  public @Nullable IOEventHandler getHandler() {
    IOEventHandler handler = session.getHandler();
    return handler == null ? null : new Guard(handler);
  }

  private record Guard(IOEventHandler handler) implements IOEventHandler {

    private interface Event {
      void run() throws IOException;
    }

    private static void guard(Event event) throws IOException {
      try {
        event.run();
      } catch (Error e) {
        throw asFailure(e);
      }
    }

    @Override
    public void connected(IOSession session) throws IOException {
      guard(() -> handler.connected(session));
    }

    @Override
    public void inputReady(IOSession session, @Nullable ByteBuffer src) throws IOException {
      guard(() -> handler.inputReady(session, src));
    }

    @Override
    public void outputReady(IOSession session) throws IOException {
      guard(() -> handler.outputReady(session));
    }

    @Override
    public void timeout(IOSession session, Timeout timeout) throws IOException {
      handler.timeout(session, timeout);
    }

    @Override
    public void exception(IOSession session, Exception cause) {
      handler.exception(session, cause);
    }

    @Override
    public void disconnected(IOSession session) {
      handler.disconnected(session);
    }
  }

  // ---- as it is -----------------------------------------------------------------------------

  @Override
  public void upgrade(IOEventHandler handler) {
    session.upgrade(handler);
  }

  @Override
  public Lock getLock() {
    return session.getLock();
  }

  @Override
  public void enqueue(Command command, Command.Priority priority) {
    session.enqueue(command, priority);
  }

  @Override
  public boolean hasCommands() {
    return session.hasCommands();
  }

  @Override
  public @Nullable Command poll() {
    return session.poll();
  }

  @Override
  public ByteChannel channel() {
    return session.channel();
  }

  @Override
  public SocketAddress getRemoteAddress() {
    return session.getRemoteAddress();
  }

  @Override
  public SocketAddress getLocalAddress() {
    return session.getLocalAddress();
  }

  @Override
  public int getEventMask() {
    return session.getEventMask();
  }

  @Override
  public void setEventMask(int ops) {
    session.setEventMask(ops);
  }

  @Override
  public void setEvent(int op) {
    session.setEvent(op);
  }

  @Override
  public void clearEvent(int op) {
    session.clearEvent(op);
  }

  @Override
  public void close() {
    session.close();
  }

  @Override
  public void close(CloseMode closeMode) {
    session.close(closeMode);
  }

  @Override
  public Status getStatus() {
    return session.getStatus();
  }

  @Override
  public Timeout getSocketTimeout() {
    return session.getSocketTimeout();
  }

  @Override
  public void setSocketTimeout(Timeout timeout) {
    session.setSocketTimeout(timeout);
  }

  @Override
  public long getLastReadTime() {
    return session.getLastReadTime();
  }

  @Override
  public long getLastWriteTime() {
    return session.getLastWriteTime();
  }

  @Override
  public long getLastEventTime() {
    return session.getLastEventTime();
  }

  @Override
  public void updateReadTime() {
    session.updateReadTime();
  }

  @Override
  public void updateWriteTime() {
    session.updateWriteTime();
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return session.read(dst);
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    return session.write(src);
  }

  @Override
  public boolean isOpen() {
    return session.isOpen();
  }

  @Override
  public String getId() {
    return session.getId();
  }

  @Override
  public String toString() {
    return session.toString();
  }
}
