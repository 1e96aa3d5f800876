package io.heddle.okhttp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Passes bytes on to a server, and can stop taking any from its clients: then, as buffers are kept
 * small, a client's write to its socket stalls.
 */
final class PausingProxy implements AutoCloseable {

  private static final int BUFFER = 4096;

  private final ServerSocket listener = new ServerSocket();
  private final int target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition resumed = lock.newCondition();
  private final Set<Socket> dead = ConcurrentHashMap.newKeySet();
  private boolean paused; // guarded by lock

  PausingProxy(int target) throws IOException {
    this.target = target;
    listener.setReceiveBufferSize(BUFFER);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  void pause(boolean pause) {
    lock.lock();
    try {
      paused = pause;
      resumed.signalAll(); // wakes the threads in awaitResumed
    } finally {
      lock.unlock();
    }
  }

  /** From now on all that is sent over the connections that there are is lost. */
  void die() {
    dead.addAll(sockets);
  }

  private static void start(Runnable work) {
    Thread.ofPlatform().daemon().name("pausing-proxy").start(work);
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        server.setTcpNoDelay(true);
        client.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        start(() -> pass(client, server, true));
        start(() -> pass(server, client, false));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void pass(Socket from, Socket to, boolean pausing) {
    byte[] buffer = new byte[BUFFER];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      while (true) {
        if (pausing) {
          awaitResumed();
        }
        int n = in.read(buffer);
        if (n < 0) {
          return;
        }
        if (!dead.contains(from)) {
          out.write(buffer, 0, n);
        }
      }
    } catch (IOException e) {
      // one of them is closed, and so is the other
    }
  }

  private void awaitResumed() {
    lock.lock();
    try {
      while (paused) {
        resumed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    pause(false);
    listener.close();
    for (Socket each : sockets) {
      each.close();
    }
  }
}
