package io.heddle.okhttp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** Sockets that take little before a write stalls. */
final class SmallBuffers extends SocketFactory {

  @Override
  public Socket createSocket() throws IOException {
    Socket socket = new Socket();
    socket.setSendBufferSize(4096);
    return socket;
  }

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
