package io.heddle.conformance;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A server that answers each request with one {@link Hostility}, and heeds nothing after it. */
final class HostileServer implements AutoCloseable {

  private static final int PREFACE_BYTES = 24;
  private static final int HEADERS = 1;

  private final Wire wire;
  private final Hostility hostility;
  private final ServerSocket listener;
  private final RawServer server;

  HostileServer(Wire wire, Hostility hostility) throws IOException {
    this.wire = wire;
    this.hostility = hostility;
    InetAddress here = InetAddress.getLoopbackAddress();
    this.listener =
        wire.isTls()
            ? Certificates.RIGHT
                .sslContext()
                .getServerSocketFactory()
                .createServerSocket(0, 50, here)
            : new ServerSocket(0, 50, here);
    this.server = new RawServer(listener, this::serve);
  }

  URI uri() {
    return URI.create(wire.scheme() + "://127.0.0.1:" + listener.getLocalPort() + "/");
  }

  private void serve(Socket socket) throws IOException {
    if (socket instanceof SSLSocket tls) {
      SSLParameters parameters = tls.getSSLParameters();
      String protocol = wire.isMultiplexed() ? "h2" : "http/1.1";
      parameters.setApplicationProtocols(new String[] {protocol});
      tls.setSSLParameters(parameters);
    }
    InputStream in = new BufferedInputStream(socket.getInputStream());
    OutputStream out = socket.getOutputStream();
    int stream = 0;
    if (wire.isMultiplexed()) {
      out.write(HostileBytes.frame(HostileBytes.SETTINGS, 0, 0));
      out.flush();
      stream = awaitHeaders(new DataInputStream(in));
    } else {
      RawServer.readHead(in);
    }
    hostility.play(out, stream);
    RawServer.readToEnd(in);
  }

  /** Returns the stream that they open. */
  private static int awaitHeaders(DataInputStream in) throws IOException {
    in.skipNBytes(PREFACE_BYTES);
    int stream = 0;
    for (int type = -1; type != HEADERS; ) {
      int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
      type = in.readUnsignedByte();
      in.skipNBytes(1); // flags
      stream = in.readInt();
      in.skipNBytes(length);
    }
    return stream;
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
