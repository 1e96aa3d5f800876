package io.heddle.apache;

import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.EventMask;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.apache.hc.core5.reactor.ProtocolUpgradeHandler;
import org.apache.hc.core5.reactor.ssl.SSLBufferMode;
import org.apache.hc.core5.reactor.ssl.SSLSessionInitializer;
import org.apache.hc.core5.reactor.ssl.SSLSessionVerifier;
import org.apache.hc.core5.reactor.ssl.TlsDetails;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A session that writes once what an event makes the engine say. The engine writes each frame for
 * itself: of a hundred callers that begin together, each request would be a write to the socket of
 * its own, and over TLS a record of its own.
 *
 * <pre>{@code
 * DIRECT ──an event begins──▶ GATHERING ──it ends──▶ DIRECT
 *                               ▲    └──it ends, the socket is full──▶ FULL   takes nothing
 *                               └────────────an event begins─────────────┘     between events
 * }</pre>
 *
 * <p>The engine may be told that a frame is written which is not, as long as the event lasts or the
 * socket is full. So it closes the session only after that is written, and the reactor is asked for
 * room as long as something is left.
 *
 * <p>The engine writes on its I/O thread, and on callers, under the session's lock.
 */
final class GatheredOutput extends ForwardingSession implements ProtocolIOSession {

  /** More than a hundred requests without a body; what is as long goes to the socket uncopied. */
  private static final int BYTES = 8 * 1024;

  private final ProtocolIOSession protocolSession;

  // Guarded by the session's lock.
  private final ByteBuffer gathered = ByteBuffer.allocate(BYTES);
  private boolean gathering;
  private boolean wrote; // since the event began
  private boolean lost;
  private boolean mayPutOff; // a graceful close, until the event ends
  private boolean putOff;

  GatheredOutput(ProtocolIOSession session) {
    super(session);
    this.protocolSession = session;
  }

  /**
   * Runs an event, and then writes what it was made to say, also if it fails.
   *
   * @param closesAgain whether an engine that closes in this event does so again in the next
   * @throws IOException that of the event, or that of writing
   */
  void gather(boolean closesAgain, GuardedSession.Event event) throws IOException {
    begin(closesAgain);
    try {
      event.run();
    } catch (IOException | RuntimeException | Error e) {
      try {
        end();
      } catch (IOException alsoBroken) {
        e.addSuppressed(alsoBroken);
      }
      throw e;
    }
    end();
  }

  private void begin(boolean closesAgain) {
    getLock().lock();
    try {
      gathering = true;
      mayPutOff = closesAgain;
      wrote = false;
      lost = false;
    } finally {
      getLock().unlock();
    }
  }

  private void end() throws IOException {
    getLock().lock();
    try {
      gathering = false;
      mayPutOff = false;
      if (session.isOpen()) {
        writeOut();
      } else { // whoever waits is told by its end
        lost |= gathered.position() > 0;
        gathered.clear();
      }
      if (putOff || gathered.position() > 0) {
        session.setEvent(EventMask.WRITE); // the engine may have nothing to write any more
      }
    } finally {
      getLock().unlock();
    }
  }

  /** Whether the last event has ended without a byte written of what it said, and none will be. */
  boolean hasLostAll() {
    getLock().lock();
    try {
      return lost && !wrote;
    } finally {
      getLock().unlock();
    }
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    getLock().lock();
    try {
      int bytes = src.remaining();
      if (gathering && bytes > gathered.remaining()) {
        writeOut();
      }
      boolean empty = gathered.position() == 0;
      if (empty && (!gathering || bytes >= gathered.capacity())) {
        return writeNow(src);
      }
      if (!gathering || bytes > gathered.remaining()) {
        return 0; // the socket is full
      }
      gathered.put(src);
      return bytes;
    } finally {
      getLock().unlock();
    }
  }

  private void writeOut() throws IOException {
    if (gathered.position() > 0) {
      gathered.flip();
      try {
        writeNow(gathered);
      } finally {
        gathered.compact();
      }
    }
  }

  private int writeNow(ByteBuffer src) throws IOException {
    try {
      int bytes = session.write(src);
      wrote |= bytes > 0;
      return bytes;
    } catch (IOException | RuntimeException e) {
      lost = true;
      throw e;
    }
  }

  @Override
  public void close() {
    close(CloseMode.GRACEFUL);
  }

  /**
   * Closes it, gracefully after what was gathered is written. If the socket is full, an engine that
   * would have waited for room does it again with the next event.
   */
  @Override
  public void close(CloseMode closeMode) {
    if (closeMode == CloseMode.IMMEDIATE || !isPutOff()) {
      session.close(closeMode);
    }
  }

  /** Somebody is about to close the session gracefully; any thread. */
  void writeOutBeforeClose() {
    getLock().lock();
    try {
      writeOut();
    } catch (IOException broken) {
      gathered.clear(); // there is nothing to be graceful about
    } finally {
      getLock().unlock();
    }
  }

  private boolean isPutOff() {
    getLock().lock();
    try {
      writeOutBeforeClose();
      putOff = mayPutOff && gathered.position() > 0;
      return putOff; // then `end` asks for room
    } finally {
      getLock().unlock();
    }
  }

  // ---- as before ------------------------------------------------------------------------------

  @Override
  public NamedEndpoint getInitialEndpoint() {
    return protocolSession.getInitialEndpoint();
  }

  @Override
  public @Nullable TlsDetails getTlsDetails() {
    return protocolSession.getTlsDetails();
  }

  @Override
  public void startTls(
      SSLContext sslContext,
      NamedEndpoint endpoint,
      SSLBufferMode sslBufferMode,
      SSLSessionInitializer initializer,
      SSLSessionVerifier verifier,
      Timeout handshakeTimeout) {
    protocolSession.startTls(
        sslContext, endpoint, sslBufferMode, initializer, verifier, handshakeTimeout);
  }

  @Override
  public void startTls(
      SSLContext sslContext,
      NamedEndpoint endpoint,
      SSLBufferMode sslBufferMode,
      SSLSessionInitializer initializer,
      SSLSessionVerifier verifier,
      Timeout handshakeTimeout,
      FutureCallback<TransportSecurityLayer> callback) {
    protocolSession.startTls(
        sslContext, endpoint, sslBufferMode, initializer, verifier, handshakeTimeout, callback);
  }

  @Override
  public void switchProtocol(String protocolId, FutureCallback<ProtocolIOSession> callback) {
    protocolSession.switchProtocol(protocolId, callback);
  }

  @Override
  public void registerProtocol(String protocolId, ProtocolUpgradeHandler upgradeHandler) {
    protocolSession.registerProtocol(protocolId, upgradeHandler);
  }
}
