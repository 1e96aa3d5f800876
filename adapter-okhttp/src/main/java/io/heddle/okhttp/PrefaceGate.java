package io.heddle.okhttp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.SocketFactory;
import okhttp3.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * Before JDK 24 takes the lock of okio's timers for a virtual thread that begins an HTTP/2
 * connection.
 *
 * <p>The whole JVM shares that lock, and OkHttp asks for it within the {@code synchronized} in
 * which the caller sends the connection's preface. Who waits there holds a carrier; once all
 * carriers are held so, and the lock's next owner is a virtual thread that has none, nobody goes on
 * any more. Who takes the lock before waits outside, where it holds no carrier.
 *
 * <pre>{@code
 * TCP connected ─▶ TLS handshake ─▶ enter ─▶ preface, SETTINGS ─▶ leave ─▶ in the pool
 * }</pre>
 *
 * <p>In between, some hundred bytes go to a socket that has room for them, so nobody waits for the
 * lock for long.
 */
final class PrefaceGate {

  private static final ReentrantLock TIMERS = OkHttpInternals.timersLock();

  private PrefaceGate() {}

  /** From here to {@link #leave} the thread has the lock, if it needs it. */
  static void enter() {
    if (WorkerThreads.holdsCarrier() && !TIMERS.isHeldByCurrentThread()) {
      TIMERS.lock();
    }
  }

  /** The thread has begun its connection, or failed to. */
  static void leave() {
    if (TIMERS.isHeldByCurrentThread()) {
      TIMERS.unlock();
    }
  }

  /**
   * Whether a worker waits for the lock, in a monitor of OkHttp's that the current thread may need:
   * that of a stream, from which OkHttp takes the exchange of a call that has failed.
   */
  static boolean isAwaitedBy(@Nullable Thread worker) {
    return WorkerThreads.holdsCarrier() && worker != null && TIMERS.hasQueuedThread(worker);
  }

  /**
   * Without TLS no event tells that the preface comes next, but OkHttp sets the socket's time limit
   * to none just before.
   *
   * @return the client's own, if the gate is not needed, or its sockets are not the JDK's
   */
  static SocketFactory sockets(SocketFactory own, List<Protocol> protocols) {
    return !WorkerThreads.areVirtual()
            && protocols.contains(Protocol.H2_PRIOR_KNOWLEDGE)
            && own.equals(SocketFactory.getDefault())
        ? Sockets.INSTANCE
        : own;
  }

  /** The user's, which {@link #sockets} was given. */
  static SocketFactory own(SocketFactory sockets) {
    return sockets == Sockets.INSTANCE ? SocketFactory.getDefault() : sockets;
  }

  /** As the JDK's own; one for all clients, since those whose factories are equal share pools. */
  private static final class Sockets extends SocketFactory {
    static final Sockets INSTANCE = new Sockets();

    @Override
    public Socket createSocket() {
      return new GatedSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return getDefault().createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
        throws IOException {
      return getDefault().createSocket(host, port, localHost, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      return getDefault().createSocket(host, port);
    }

    @Override
    public Socket createSocket(
        InetAddress address, int port, @Nullable InetAddress localAddress, int localPort)
        throws IOException {
      return getDefault().createSocket(address, port, localAddress, localPort);
    }
  }

  private static final class GatedSocket extends Socket {
    @Override
    public void setSoTimeout(int millis) throws SocketException {
      super.setSoTimeout(millis);
      if (millis == 0 && isConnected()) {
        enter();
      }
    }
  }
}
