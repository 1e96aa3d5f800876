package io.heddle.apache;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.message.BasicHeader;
import org.apache.hc.core5.http2.hpack.HPackDecoder;
import org.apache.hc.core5.http2.hpack.HPackEncoder;
import org.apache.hc.core5.util.ByteArrayBuffer;

/**
 * A server of HTTP/2 over TCP, with prior knowledge (RFC 9113), that says frame by frame what a
 * test wants, be it right or wrong. What it is told to do runs on its connection's one thread.
 */
final class FramePeer implements AutoCloseable {

  /** What the server does about what comes. */
  interface Play {
    /** A request has begun. */
    void head(Stream stream, boolean end) throws IOException;

    /** Bytes of its body came. */
    default void data(Stream stream, int bytes, boolean end) throws IOException {}

    /** The stream may send more. */
    default void window(Stream stream) throws IOException {}

    /** The client has answered a ping, and so has seen what was sent before it. */
    default void pong() {}
  }

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int ACK = 1;
  private static final int MAX_FRAME = 16 * 1024;

  private final Play play;
  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final List<Integer> resets = new CopyOnWriteArrayList<>();
  private final List<Header> lastHead = new CopyOnWriteArrayList<>();
  private volatile int accepted;

  FramePeer(Play play) throws IOException {
    this.play = play;
    Thread.ofPlatform().daemon().start(this::accept);
  }

  String uri(String path) {
    return "http://127.0.0.1:" + listening.getLocalPort() + path;
  }

  /** The codes of the RST_STREAM frames that came, in order (RFC 9113, 7). */
  List<Integer> resets() {
    return resets;
  }

  /** What the last request said in this field; empty if nothing. */
  List<String> lastHead(String name) {
    return lastHead.stream().filter(h -> h.getName().equals(name)).map(Header::getValue).toList();
  }

  int accepted() {
    return accepted;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket each : sockets) {
      each.close();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread accepts
  private void accept() {
    try {
      while (true) {
        Socket socket = listening.accept();
        sockets.add(socket);
        accepted++;
        Thread.ofPlatform().daemon().start(() -> new Connection(socket).serve());
      }
    } catch (IOException closed) {
      return;
    }
  }

  /** One stream, that is one request and its response. */
  static final class Stream {
    private final Connection connection;
    private final int id;
    private final String path;
    private long window;

    private Stream(Connection connection, int id, String path, long window) {
      this.connection = connection;
      this.id = id;
      this.path = path;
      this.window = window;
    }

    String path() {
      return path;
    }

    /** Sends a head, with these names and values in turn. */
    void head(int status, boolean end, String... fields) throws IOException {
      connection.head(id, status, end, fields);
    }

    /** Sends so many bytes, or as many as the client's window allows; returns how many. */
    int data(int bytes, boolean end) throws IOException {
      int n = (int) Math.min(Math.min(bytes, MAX_FRAME), window);
      if (n > 0 || end) {
        window -= n;
        connection.frame(DATA, end ? END_STREAM : 0, id, new byte[n]);
      }
      return n;
    }

    void ping() throws IOException {
      connection.frame(PING, 0, 0, new byte[8]);
    }

    /** Lets the client send so many bytes more, on this stream and on the connection. */
    void grant(int bytes) throws IOException {
      connection.frame(WINDOW_UPDATE, 0, id, number(bytes));
      connection.frame(WINDOW_UPDATE, 0, 0, number(bytes));
    }
  }

  private static byte[] number(int value) {
    return ByteBuffer.allocate(4).putInt(value).array();
  }

  private final class Connection {
    private final Socket socket;
    private final HPackDecoder decoder = new HPackDecoder(4096, StandardCharsets.US_ASCII);
    private final HPackEncoder encoder = new HPackEncoder(4096, StandardCharsets.US_ASCII);
    private final Map<Integer, Stream> streams = new HashMap<>();
    private DataOutputStream out = new DataOutputStream(DataOutputStream.nullOutputStream());
    private long initialWindow = 65_535;

    Connection(Socket socket) {
      this.socket = socket;
    }

    void serve() {
      try (socket) {
        socket.setTcpNoDelay(true);
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        DataInputStream in =
            new DataInputStream(new BufferedInputStream(socket.getInputStream(), 64 * 1024));
        in.readFully(new byte[24]); // the preface
        frame(SETTINGS, 0, 0, new byte[0]);
        while (true) {
          int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
          int type = in.readUnsignedByte();
          int flags = in.readUnsignedByte();
          int stream = in.readInt() & Integer.MAX_VALUE;
          byte[] payload = in.readNBytes(length);
          take(type, flags, stream, payload);
        }
      } catch (IOException ended) {
        return;
      } catch (HttpException e) {
        throw new UncheckedIOException(new IOException(e));
      }
    }

    private void take(int type, int flags, int id, byte[] bytes) throws IOException, HttpException {
      ByteBuffer payload = ByteBuffer.wrap(bytes);
      boolean end = (flags & END_STREAM) != 0;
      Stream stream = streams.get(id);
      switch (type) {
        case HEADERS -> {
          List<Header> head = decoder.decodeHeaders(payload);
          lastHead.clear();
          lastHead.addAll(head);
          String path = lastHead(":path").get(0);
          stream = new Stream(this, id, path, initialWindow);
          streams.put(id, stream);
          play.head(stream, end);
        }
        case DATA -> {
          if (stream != null) {
            play.data(stream, payload.remaining(), end);
          }
        }
        case RST_STREAM -> {
          streams.remove(id);
          resets.add(payload.getInt());
        }
        case SETTINGS -> {
          if (flags != ACK) {
            while (payload.hasRemaining()) {
              int name = payload.getShort();
              int value = payload.getInt();
              initialWindow = name == 4 ? value : initialWindow;
            }
            frame(SETTINGS, ACK, 0, new byte[0]);
          }
        }
        case PING -> {
          if (flags == ACK) {
            play.pong();
          } else {
            frame(PING, ACK, 0, bytes);
          }
        }
        case WINDOW_UPDATE -> {
          if (stream != null) {
            stream.window += payload.getInt();
            play.window(stream);
          }
        }
        default -> {}
      }
    }

    void head(int id, int status, boolean end, String... fields) throws IOException {
      List<Header> head = new ArrayList<>();
      head.add(new BasicHeader(":status", String.valueOf(status)));
      for (int i = 0; i < fields.length; i += 2) {
        head.add(new BasicHeader(fields[i], fields[i + 1]));
      }
      ByteArrayBuffer block = new ByteArrayBuffer(64);
      encoder.encodeHeaders(block, head, false);
      frame(HEADERS, END_HEADERS | (end ? END_STREAM : 0), id, block.toByteArray());
    }

    void frame(int type, int flags, int id, byte[] payload) throws IOException {
      out.writeByte(payload.length >> 16);
      out.writeShort(payload.length);
      out.writeByte(type);
      out.writeByte(flags);
      out.writeInt(id);
      out.write(payload);
      out.flush();
    }
  }
}
