package io.heddle.okhttp;

import java.io.IOException;
import java.net.Socket;

/** Sockets that take little before a write stalls. */
final class SmallBuffers extends TestSockets {

  @Override
  public Socket createSocket() throws IOException {
    Socket socket = new Socket();
    socket.setSendBufferSize(4096);
    return socket;
  }
}
