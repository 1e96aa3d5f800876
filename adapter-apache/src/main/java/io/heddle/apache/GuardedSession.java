package io.heddle.apache;

import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;
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
final class GuardedSession extends ForwardingSession {

  GuardedSession(SSLIOSession session) {
    super(session);
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

  /** What the engine does with an event. */
  interface Event {
    void run() throws IOException;
  }

  private record Guard(IOEventHandler handler) implements IOEventHandler {

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
}
