package io.heddle.conformance;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that says what a test writes, byte by byte: for what {@link FaultServer} has no {@link
 * Script}. It has a platform thread for each connection, so that it needs no carrier; there are
 * few.
 */
public final class RawServer implements AutoCloseable {

  private static final int WAITING = 100; // to be accepted

  /** What the server does with a connection, which is closed afterwards. */
  @FunctionalInterface
  public interface Peer {

    /**
     * Reads and writes.
     *
     * @throws IOException if the client has left, or the server is closed: nobody is told
     */
    void serve(Socket socket) throws IOException, InterruptedException;
  }

  private final ServerSocket listener;
  private final Peer peer;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();

  /** Takes over a socket that listens, and serves each connection to it. */
  RawServer(ServerSocket listener, Peer peer) {
    this.listener = listener;
    this.peer = peer;
    start(this::accept);
  }

  /** Starts one, on a free port of the loopback address. */
  public static RawServer start(Peer peer) throws IOException {
    return new RawServer(new ServerSocket(0, WAITING, InetAddress.getLoopbackAddress()), peer);
  }

  /** Starts one that answers the first request of each connection, and waits for the client. */
  public static RawServer answering(String answer) throws IOException {
    return start(
        socket -> {
          readHead(socket.getInputStream());
          write(socket, answer);
          readToEnd(socket.getInputStream());
        });
  }

  /** Its root, by {@code http}. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/");
  }

  /** How many connections it has accepted. */
  public int accepted() {
    return accepted.get();
  }

  /**
   * Reads a request's head, and nothing behind it.
   *
   * @throws EOFException if the client leaves before
   */
  public static void readHead(InputStream in) throws IOException {
    for (int last = 0; last != 0x0d0a0d0a; ) { // two ends of line
      int next = in.read();
      if (next < 0) {
        throw new EOFException("no whole head");
      }
      last = last << 8 | next;
    }
  }

  /** Drops what comes, until the client leaves. */
  public static void readToEnd(InputStream in) throws IOException {
    byte[] dropped = new byte[8 * 1024];
    while (in.read(dropped) >= 0) {}
  }

  /** Writes ASCII. */
  public static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void start(Runnable work) {
    Thread.ofPlatform().daemon().name(FaultServer.THREADS + " raw").start(work);
  }

  private void accept() {
    try {
      for (; ; ) {
        Socket socket = listener.accept();
        open.add(socket);
        accepted.incrementAndGet();
        start(() -> serve(socket));
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      peer.serve(socket);
    } catch (IOException | InterruptedException e) {
      return; // the client has left, or the server is closed
    } finally {
      open.remove(socket);
    }
  }

  /** Ends all connections. */
  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket each : open) {
      each.close();
    }
  }
}
