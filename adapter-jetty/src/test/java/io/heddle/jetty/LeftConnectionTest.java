package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.RawServer;
import io.heddle.conformance.Wire;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connection of HTTP/2 that took no further calls kept its place in Jetty's pool as long as a
 * call was under way on it. Where such had all places, other calls waited for these; and until
 * their timeouts, where these could not go on before one of those was over: a call within a call.
 */
@Timeout(60)
class LeftConnectionTest {

  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};

  /**
   * Of streams after that of the last long one: who has sent a request meanwhile sends it again.
   */
  private static final byte[] GOAWAY = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0};

  private static final byte[] HEAD = {0, 0, 1, 1, 4, 0, 0, 0, 0, (byte) 0x88}; // 200
  private static final byte[] DATA = {0, 0, 2, 0, 0, 0, 0, 0, 0, 'a', 'b'};
  private static final byte[] LAST_DATA = {0, 0, 2, 0, 1, 0, 0, 0, 0, 'c', 'd'};
  private static final byte[] WHOLE = {0, 0, 1, 1, 5, 0, 0, 0, 0, (byte) 0x88}; // 200, empty

  private static final int LONG_ONES = 2;

  private final BlockingJettyClient client =
      new BlockingJettyClient(JettyClient.transport(Wire.H2C));
  private final AtomicInteger connections = new AtomicInteger();
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final CountDownLatch left = new CountDownLatch(1);

  /** What the server does once it has begun its first answer. */
  private interface Then {
    void run(Socket socket) throws IOException;
  }

  @BeforeEach
  void start() throws Exception {
    client.setMaxConnectionsPerDestination(1);
    client.setQueueTimeout(Duration.ofSeconds(10));
    client.start();
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
  }

  private RawServer server(Then then) throws IOException {
    return RawServer.start(
        socket -> {
          boolean first = connections.incrementAndGet() == 1;
          socket.getOutputStream().write(SETTINGS);
          DataInputStream in = new DataInputStream(socket.getInputStream());
          in.readFully(new byte[24]); // the preface
          for (; ; ) {
            int stream = readHead(in);
            if (first && stream == LONG_ONES * 2 - 1) {
              for (int each = 1; each <= stream; each += 2) {
                write(socket, HEAD, each);
                write(socket, DATA, each);
              }
              then.run(socket);
              goOn.await();
              for (int each = 1; each <= stream; each += 2) {
                write(socket, LAST_DATA, each);
              }
              RawServer.readToEnd(in);
              left.countDown();
              return;
            }
            if (!first) {
              write(socket, WHOLE, stream);
            }
          }
        });
  }

  private static void write(Socket socket, byte[] frame, int stream) throws IOException {
    byte[] sent = frame.clone();
    sent[8] = (byte) stream;
    socket.getOutputStream().write(sent);
  }

  /** Reads up to the next request, which has no body, and tells its stream. */
  private static int readHead(DataInputStream in) throws IOException {
    for (; ; ) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      in.readByte();
      int stream = in.readInt();
      in.readFully(new byte[length]);
      if (type == 1) {
        return stream;
      }
    }
  }

  /** The calls that have the first connection, and the beginning of their responses. */
  private List<BlockingResponseListener> longOnes(RawServer server) throws Exception {
    List<BlockingResponseListener> longOnes = new ArrayList<>();
    for (int i = 0; i < LONG_ONES; i++) {
      BlockingResponseListener each = new BlockingResponseListener();
      longOnes.add(each);
      client.newRequest(server.uri()).send(each);
    }
    for (BlockingResponseListener each : longOnes) {
      assertEquals(200, each.get(20, TimeUnit.SECONDS).getStatus());
    }
    return longOnes;
  }

  @Test
  void whereTheServerHasSaidGoAwayLongResponsesHaveNoPlace() throws Exception {
    try (RawServer server = server(socket -> socket.getOutputStream().write(GOAWAY))) {
      List<BlockingResponseListener> longOnes = longOnes(server);
      for (int i = 0; i < 3; i++) {
        assertEquals(200, client.GET(server.uri()).getStatus(), "a call within a call");
      }
      assertEquals(2, connections.get(), "connections");
      assertEquals(LONG_ONES, client.inFlight());
      goOn.countDown();
      for (BlockingResponseListener each : longOnes) {
        assertEquals(4, each.getInputStream().readAllBytes().length);
      }
      left.await(); // with its last response
      assertEquals(0, client.inFlight());
    }
  }

  @Test
  void aClosedConnectionWhoseCallersDoNotLookHasNoPlace() throws Exception {
    try (RawServer server = server(Socket::shutdownOutput)) {
      List<BlockingResponseListener> broken = longOnes(server);
      for (int i = 0; i < 3; i++) {
        assertEquals(200, client.GET(server.uri()).getStatus(), "a call within a call");
      }
      assertEquals(2, connections.get(), "connections");
      for (BlockingResponseListener each : broken) {
        InputStream body = each.getInputStream();
        assertThrows(IOException.class, body::readAllBytes);
      }
      goOn.countDown();
    }
  }
}
