package io.heddle.apache;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A server of HTTP/2 frames, without TLS, for what a real server's library would not do: say
 * nothing at all, answer and leave the stream open, refuse what it took.
 */
final class Http2Peer implements AutoCloseable {

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int ACK = 1;

  /** What the server does. Runs on the connection's own thread. */
  interface Behaviour {
    /** The head of a request. */
    void request(Connection on, int stream, boolean end) throws IOException;

    /** A part of a request's body. */
    default void data(Connection on, int stream, boolean end) throws IOException {}

    /** A PING. */
    default void ping(Connection on, byte[] payload) throws IOException {
      on.pong(payload);
    }
  }

  /** A connection of a client. */
  final class Connection {
    final Socket socket;
    final List<Integer> resets = new CopyOnWriteArrayList<>();
    final AtomicInteger requests = new AtomicInteger();
    final AtomicInteger pings = new AtomicInteger();
    private final DataOutputStream out;
    private volatile boolean dead;
    private volatile boolean deaf;

    @Override
    public String toString() {
      return "%s, %s requests, resets %s, %s pings"
          .formatted(socket.isClosed() ? "closed" : "open", requests, resets, pings);
    }

    private Connection(Socket socket) throws IOException {
      this.socket = socket;
      this.out = new DataOutputStream(socket.getOutputStream());
    }

    /** Nothing reaches the client any more; what it sends vanishes. */
    void die() {
      dead = true;
    }

    /** What it says reaches the client again; what did not by then never does. */
    void revive() {
      dead = false;
    }

    /** As if it died; and what the client sends stays where it is, in full buffers. */
    void clog() {
      dead = true;
      deaf = true;
    }

    /** Lets the client send so many bytes more of this body. */
    void widen(int stream, int bytes) throws IOException {
      frame(WINDOW_UPDATE, 0, 0, ints(bytes));
      frame(WINDOW_UPDATE, 0, stream, ints(bytes));
    }

    /** A sign of life, which is part of no response. */
    void sign() throws IOException {
      frame(WINDOW_UPDATE, 0, 0, ints(1));
    }

    /** A response without a body. */
    void answer(int stream, int status) throws IOException {
      frame(HEADERS, END_HEADERS | END_STREAM, stream, head(status));
    }

    /** The head of a response, whose body follows. */
    void answerHead(int stream, int status) throws IOException {
      answerHead(stream, head(status), false);
    }

    /** A head as HPACK has it (RFC 7541). */
    void answerHead(int stream, byte[] block, boolean end) throws IOException {
      frame(HEADERS, END_HEADERS | (end ? END_STREAM : 0), stream, block);
    }

    void data(int stream, int bytes, boolean end) throws IOException {
      frame(DATA, end ? END_STREAM : 0, stream, new byte[bytes]);
    }

    void reset(int stream, int code) throws IOException {
      frame(RST_STREAM, 0, stream, ints(code));
    }

    /** The answer to a PING. */
    void pong(byte[] payload) throws IOException {
      frame(PING, ACK, 0, payload);
    }

    void goAway(int lastStream) throws IOException {
      goAway(lastStream, 0);
    }

    void goAway(int lastStream, int code) throws IOException {
      frame(GOAWAY, 0, 0, ints(lastStream, code));
    }

    /** Closes the connection in good order, in the middle of a frame of this stream. */
    synchronized void closeInFrame(int stream) throws IOException {
      out.write(new byte[] {0, 0, 100, DATA, 0});
      out.writeInt(stream);
      out.write(new byte[50]);
      socket.shutdownOutput();
    }

    private synchronized void frame(int type, int flags, int stream, byte[] payload)
        throws IOException {
      if (dead) {
        return;
      }
      ByteArrayOutputStream frame = new ByteArrayOutputStream();
      DataOutputStream to = new DataOutputStream(frame);
      to.writeByte(payload.length >> 16);
      to.writeShort(payload.length);
      to.writeByte(type);
      to.writeByte(flags);
      to.writeInt(stream);
      to.write(payload);
      out.write(frame.toByteArray());
    }

    private void serve() {
      try (socket) {
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        in.skipNBytes(24); // the preface, RFC 9113, 3.4
        ByteArrayOutputStream settings = new ByteArrayOutputStream();
        new DataOutputStream(settings).writeShort(3); // MAX_CONCURRENT_STREAMS
        new DataOutputStream(settings).writeInt(maxStreams);
        frame(SETTINGS, 0, 0, settings.toByteArray());
        for (; ; ) {
          read(in);
          while (deaf && !socket.isClosed()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
          }
        }
      } catch (IOException e) {
        return; // the client left
      }
    }

    private void read(DataInputStream in) throws IOException {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      byte[] payload = in.readNBytes(length);
      boolean end = (flags & END_STREAM) != 0;
      switch (type) {
        case HEADERS -> {
          requests.incrementAndGet();
          behaviour.request(this, stream, end);
        }
        case DATA -> {
          if (length > 0) {
            frame(WINDOW_UPDATE, 0, 0, ints(length));
          }
          behaviour.data(this, stream, end);
        }
        case RST_STREAM ->
            resets.add(new DataInputStream(new ByteArrayInputStream(payload)).readInt());
        case SETTINGS -> {
          if ((flags & ACK) == 0) {
            frame(SETTINGS, ACK, 0, new byte[0]);
          }
        }
        case PING -> {
          pings.incrementAndGet();
          behaviour.ping(this, payload);
        }
        default -> {} // of no interest
      }
    }
  }

  final List<Connection> connections = new CopyOnWriteArrayList<>();
  private final ServerSocket listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
  private final int maxStreams;
  private final Behaviour behaviour;

  Http2Peer(int maxStreams, Behaviour behaviour) throws IOException {
    this.maxStreams = maxStreams;
    this.behaviour = behaviour;
    Thread.ofPlatform().daemon().start(this::accept);
  }

  private void accept() {
    try {
      for (; ; ) {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        Connection connection = new Connection(socket);
        connections.add(connection);
        Thread.ofPlatform().daemon().start(connection::serve);
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/");
  }

  int requests() {
    return connections.stream().mapToInt(each -> each.requests.get()).sum();
  }

  List<Integer> resets() {
    return connections.stream().flatMap(each -> each.resets.stream()).toList();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Connection each : connections) {
      each.socket.close();
    }
  }

  /** HPACK without a table or Huffman coding: :status as a literal (RFC 7541, 6.2.2). */
  private static byte[] head(int status) {
    return ("\u0008\u0003" + status).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] ints(int... values) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int each : values) {
      new DataOutputStream(bytes).writeInt(each);
    }
    return bytes.toByteArray();
  }
}
