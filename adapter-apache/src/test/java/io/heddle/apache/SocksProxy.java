package io.heddle.apache;

import io.heddle.conformance.RawServer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A SOCKS 5 proxy (RFC 1928) for IPv4, which may want a user and a password (RFC 1929). */
final class SocksProxy implements AutoCloseable {

  private static final int VERSION = 5;
  private static final int NOBODY_IN_PARTICULAR = 0;
  private static final int USER_AND_PASSWORD = 2;
  private static final int NONE_OF_THESE = 0xff;
  private static final int IPV4 = 1;

  private final RawServer clients = RawServer.start(this::serve);
  private final Set<Socket> servers = ConcurrentHashMap.newKeySet();
  private final @Nullable String user;
  private final List<String> seen = new CopyOnWriteArrayList<>();

  /**
   * Starts to listen.
   *
   * @param user whom it lets through, as {@code name:password}; null for everybody
   */
  SocksProxy(@Nullable String user) throws IOException {
    this.user = user;
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), clients.uri().getPort());
  }

  /** Who came: each as {@code name:password}, empty if nobody in particular. */
  List<String> seen() {
    return seen;
  }

  @Override
  public void close() throws IOException {
    clients.close();
    for (Socket each : servers) {
      each.close();
    }
  }

  private void serve(Socket client) throws IOException {
    DataInputStream in = new DataInputStream(client.getInputStream());
    OutputStream out = client.getOutputStream();
    if (!letsThrough(in, out)) {
      return;
    }
    in.readFully(new byte[3]); // version, CONNECT, reserved
    if (in.readByte() != IPV4) {
      return;
    }
    byte[] address = in.readNBytes(4);
    try (Socket server = new Socket(Proxy.NO_PROXY)) { // whatever the system properties say
      servers.add(server);
      server.connect(
          new InetSocketAddress(InetAddress.getByAddress(address), in.readUnsignedShort()));
      out.write(new byte[] {VERSION, 0, 0, IPV4, 0, 0, 0, 0, 0, 0});
      Thread.ofPlatform().daemon().start(() -> bringBack(server, client));
      in.transferTo(server.getOutputStream());
    }
  }

  private static void bringBack(Socket server, Socket client) {
    try (client) {
      server.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException ended) {
      return;
    }
  }

  private boolean letsThrough(DataInputStream in, OutputStream out) throws IOException {
    in.readByte();
    byte[] offered = in.readNBytes(in.readUnsignedByte());
    int wanted = user == null ? NOBODY_IN_PARTICULAR : USER_AND_PASSWORD;
    boolean isOffered = new String(offered, StandardCharsets.ISO_8859_1).indexOf(wanted) >= 0;
    out.write(new byte[] {VERSION, (byte) (isOffered ? wanted : NONE_OF_THESE)});
    if (!isOffered || user == null) {
      seen.add("");
      return isOffered;
    }
    in.readByte();
    String came = text(in) + ":" + text(in);
    seen.add(came);
    out.write(new byte[] {1, (byte) (came.equals(user) ? 0 : 1)});
    return came.equals(user);
  }

  private static String text(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readUnsignedByte()), StandardCharsets.ISO_8859_1);
  }
}
