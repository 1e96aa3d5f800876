package io.heddle.okhttp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * The user's sockets with TCP_NODELAY. OkHttp leaves Nagle's algorithm on, so the last piece of
 * what an HTTP/2 flow-control window allows waits for the server's delayed acknowledgement, some 40
 * ms for each 64 KiB of an upload.
 */
final class NoDelaySockets extends SocketFactory {

  private final SocketFactory sockets;

  NoDelaySockets(SocketFactory sockets) {
    this.sockets = sockets;
  }

  @Override
  public Socket createSocket() throws IOException {
    return withoutDelay(sockets.createSocket());
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return withoutDelay(sockets.createSocket(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return withoutDelay(sockets.createSocket(host, port, localHost, localPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return withoutDelay(sockets.createSocket(host, port));
  }

  @Override
  public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
      throws IOException {
    return withoutDelay(sockets.createSocket(address, port, localAddress, localPort));
  }

  private static Socket withoutDelay(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    return socket;
  }
}
