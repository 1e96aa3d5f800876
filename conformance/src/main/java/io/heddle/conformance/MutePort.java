package io.heddle.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/** A port that accepts a connection, listens, and never says a word. */
final class MutePort implements AutoCloseable {

  private final ServerSocket listener;
  private final Thread ear;

  // Written by the ear.
  private volatile @Nullable Socket client;
  private volatile boolean spokenTo;
  private volatile boolean left;

  MutePort() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    ear = Thread.ofVirtual().name("mute-port").start(this::listen);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Whether a client has connected and sent something. */
  boolean isSpokenTo() {
    return spokenTo;
  }

  /** Whether the client that came has left. */
  boolean isLeft() {
    return left;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    Socket open = client;
    if (open != null) {
      open.close();
    }
    Bounds.await(Bounds.LONG, "the port's thread ends", () -> !ear.isAlive());
  }

  private void listen() {
    try (Socket accepted = listener.accept()) {
      client = accepted;
      InputStream in = accepted.getInputStream();
      byte[] dropped = new byte[8 * 1024];
      while (in.read(dropped) >= 0) {
        spokenTo = true;
      }
    } catch (IOException e) {
      // reset by the client, or closed by us
    }
    left = true;
  }
}
