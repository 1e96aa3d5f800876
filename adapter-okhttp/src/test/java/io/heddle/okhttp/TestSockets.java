package io.heddle.okhttp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** Sockets as a test wants them. */
abstract class TestSockets extends SocketFactory {

  @Override
  public abstract Socket createSocket() throws IOException;

  @Override
  public Socket createSocket(String host, int port) {
    throw new AssertionError("OkHttp connects its sockets itself");
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
    throw new AssertionError("OkHttp connects its sockets itself");
  }

  @Override
  public Socket createSocket(InetAddress host, int port) {
    throw new AssertionError("OkHttp connects its sockets itself");
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
    throw new AssertionError("OkHttp connects its sockets itself");
  }
}
