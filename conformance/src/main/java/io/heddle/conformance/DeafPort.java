package io.heddle.conformance;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A port at which connecting never ends: somebody listens, does not accept, and the queue of those
 * who wait to be accepted is full, so that the kernel drops what comes.
 */
public final class DeafPort implements AutoCloseable {

  /** Whoever is not connected by then is not let in. */
  private static final Duration CONNECTED = Bounds.patient(Duration.ofMillis(150));

  private final ServerSocket listener;
  private final List<SocketChannel> queue = new ArrayList<>();

  /** Opens a port, and fills its queue. */
  public DeafPort() throws IOException {
    listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    boolean full = false;
    while (!full) {
      if (queue.size() > 50) {
        throw new IllegalStateException("this system's queue of connections does not fill up");
      }
      SocketChannel next = SocketChannel.open();
      queue.add(next);
      next.configureBlocking(false);
      boolean connected = next.connect(new InetSocketAddress(listener.getInetAddress(), port()));
      full = !connected && !Bounds.holds(CONNECTED, () -> isConnected(next));
    }
  }

  /** On the loopback address. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Lets in who waits, and who comes from now on. Closing the returned server closes the port. */
  public RawServer open(RawServer.Peer peer) {
    return new RawServer(listener, peer);
  }

  @Override
  public void close() throws IOException {
    for (SocketChannel each : queue) {
      each.close();
    }
    listener.close();
  }

  private static boolean isConnected(SocketChannel channel) {
    try {
      return channel.finishConnect();
    } catch (IOException e) {
      return false;
    }
  }
}
