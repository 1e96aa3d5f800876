package io.heddle.okhttp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.function.Supplier;
import javax.net.SocketFactory;
import okhttp3.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's sockets, for connections of HTTP/2. One factory for all clients, since those whose
 * factories are equal share pools.
 */
final class OkHttpSockets extends SocketFactory {

  private static final OkHttpSockets FOR_TLS = new OkHttpSockets(UnlingeringSocket::new);
  private static final OkHttpSockets PLAIN = new OkHttpSockets(GatedSocket::new);

  private final Supplier<Socket> made;

  private OkHttpSockets(Supplier<Socket> made) {
    this.made = made;
  }

  /**
   * What a client's connections are made with.
   *
   * @return the client's own, if it needs no other, or its sockets are not the JDK's
   */
  static SocketFactory of(SocketFactory own, List<Protocol> protocols) {
    if (!own.equals(getDefault())) {
      return own;
    }
    if (protocols.contains(Protocol.H2_PRIOR_KNOWLEDGE)) {
      return WorkerThreads.areVirtual() ? own : PLAIN;
    }
    return protocols.contains(Protocol.HTTP_2) ? FOR_TLS : own;
  }

  /** The user's, which {@link #of} was given. */
  static SocketFactory own(SocketFactory sockets) {
    return sockets instanceof OkHttpSockets ? getDefault() : sockets;
  }

  @Override
  public Socket createSocket() {
    return made.get();
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

  /**
   * Below TLS. Whoever closes a TLS socket says so to the peer, and waits for that until a write
   * that is under way is over, which is never if the peer has stopped to read: the last caller of a
   * connection that takes no more calls would outlive its deadline. The JDK waits no longer than
   * the socket lingers, and what lingers for no time is closed at once.
   */
  private static final class UnlingeringSocket extends Socket {
    @Override
    public int getSoLinger() throws SocketException {
      return Math.max(0, super.getSoLinger()); // -1, not set, is to TLS for as long as it takes
    }
  }

  /**
   * Without TLS no event tells that the preface comes next, but OkHttp sets the socket's time limit
   * to none just before: see {@link PrefaceGate}.
   */
  private static final class GatedSocket extends Socket {
    @Override
    public void setSoTimeout(int millis) throws SocketException {
      super.setSoTimeout(millis);
      if (millis == 0 && isConnected()) {
        PrefaceGate.enter();
      }
    }
  }
}
