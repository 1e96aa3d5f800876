package io.heddle.apache;

import io.heddle.conformance.FaultServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ServerSocketFactory;
import org.apache.hc.core5.http.HttpHost;
import org.jspecify.annotations.Nullable;

/**
 * A proxy: opens tunnels (RFC 9110, 9.3.6), and passes on what is asked of it in absolute form.
 * Says 407 to who has no credentials, where it wants some. Every name is that of this machine.
 */
final class ConnectProxy implements AutoCloseable {

  private final String scheme;
  private final ServerSocket listening;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final List<String> requestLines = new CopyOnWriteArrayList<>();
  private final @Nullable String authorization;
  private volatile String afterConnect = "";
  private volatile boolean hangsUp;

  /**
   * Starts to listen.
   *
   * @param authorization what Proxy-Authorization must say; null for nothing
   */
  ConnectProxy(@Nullable String authorization) throws IOException {
    this("http", ServerSocketFactory.getDefault(), authorization);
  }

  private ConnectProxy(String scheme, ServerSocketFactory sockets, @Nullable String authorization)
      throws IOException {
    this.scheme = scheme;
    this.listening = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.authorization = authorization;
    start(this::accept);
  }

  /** One that is itself reached over TLS. */
  static ConnectProxy overTls() throws IOException {
    return new ConnectProxy("https", FaultServer.sslContext().getServerSocketFactory(), null);
  }

  HttpHost host() {
    return new HttpHost(scheme, "127.0.0.1", listening.getLocalPort());
  }

  /** Has it say this, too, when it has opened a tunnel. */
  ConnectProxy saysAfterConnect(String text) {
    afterConnect = text;
    return this;
  }

  /** Has it close each tunnel that it has opened. */
  ConnectProxy hangsUp() {
    hangsUp = true;
    return this;
  }

  /** The first line of each request, in order. */
  List<String> requestLines() {
    return requestLines;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket each : sockets) {
      each.close();
    }
  }

  private void start(Work work) {
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                work.run();
              } catch (IOException ended) {
                return;
              }
            });
  }

  private interface Work {
    void run() throws IOException;
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listening.accept();
      sockets.add(client);
      start(() -> serve(client));
    }
  }

  private void serve(Socket client) throws IOException {
    try (client) {
      while (true) {
        List<String> head = readHead(client.getInputStream());
        if (head.isEmpty()) {
          return;
        }
        requestLines.add(head.get(0));
        if (authorization != null && !head.contains("Proxy-Authorization: " + authorization)) {
          say(
              client,
              String.join(
                  "\r\n",
                  "HTTP/1.1 407 Proxy Authentication Required",
                  "Proxy-Authenticate: Basic realm=\"proxy\"",
                  "Content-Length: 0",
                  "",
                  ""));
          continue;
        }
        String[] words = head.get(0).split(" ", -1);
        if (words[0].equals("CONNECT")) {
          URI target = URI.create("tunnel://" + words[1]);
          try (Socket server = open(target)) {
            say(client, "HTTP/1.1 200 Connection established\r\n\r\n" + afterConnect);
            if (hangsUp) {
              return;
            }
            start(() -> pass(server, server.getInputStream(), client));
            pass(client, client.getInputStream(), server);
          }
        } else {
          URI target = URI.create(words[1]);
          try (Socket server = open(target)) {
            start(() -> pass(server, server.getInputStream(), client));
            pass(client, new SequenceInputStream(again(head), client.getInputStream()), server);
          }
        }
        return;
      }
    }
  }

  private Socket open(URI target) throws IOException {
    Socket server = new Socket(InetAddress.getLoopbackAddress(), target.getPort());
    sockets.add(server);
    return server;
  }

  private static InputStream again(List<String> head) {
    return new ByteArrayInputStream(
        (String.join("\r\n", head) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
  }

  private static void say(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    client.getOutputStream().flush();
  }

  private static void pass(Socket from, InputStream in, Socket to) throws IOException {
    try (from;
        to) {
      OutputStream out = to.getOutputStream();
      in.transferTo(out);
    }
  }

  /** Byte by byte, so that nothing of what follows is taken. */
  private static List<String> readHead(InputStream in) throws IOException {
    StringBuilder text = new StringBuilder();
    while (!text.toString().endsWith("\r\n\r\n")) {
      int b = in.read();
      if (b < 0) {
        return List.of();
      }
      text.append((char) b);
    }
    return text.toString().lines().filter(line -> !line.isEmpty()).toList();
  }
}
