package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.RawServer;
import io.heddle.conformance.Wire;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A call times out over a connection of HTTP/2 from which nothing comes. No call goes there any
 * more; but those that are on it are not ended by a silence of a second or two, as it may be the
 * network's, or a machine's that is too busy. They were.
 */
@Timeout(120)
class SilentPathTest {

  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
  private static final byte[] HEAD = {0, 0, 1, 1, 4, 0, 0, 0, 1, (byte) 0x88}; // 200
  private static final byte[] LAST_DATA = {0, 0, 2, 0, 1, 0, 0, 0, 1, 'a', 'b'};

  private final BlockingJettyClient client =
      new BlockingJettyClient(JettyClient.transport(Wire.H2C));

  @BeforeEach
  void start() throws Exception {
    client.setMaxConnectionsPerDestination(1);
    client.start();
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
  }

  /** Begins its first answer, and says nothing for a while once the client has asked for more. */
  private static void serve(Socket socket, long silenceMillis)
      throws IOException, InterruptedException {
    socket.getOutputStream().write(SETTINGS);
    DataInputStream in = new DataInputStream(socket.getInputStream());
    in.readFully(new byte[24]); // the preface
    readHead(in);
    socket.getOutputStream().write(HEAD);
    readHead(in);
    Thread.sleep(silenceMillis); // that is what the server does
    socket.getOutputStream().write(LAST_DATA);
    RawServer.readToEnd(in);
  }

  private static void readHead(DataInputStream in) throws IOException {
    for (int type = 0; type != 1; ) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      type = in.readUnsignedByte();
      in.readFully(new byte[5 + length]);
    }
  }

  private void assertTimesOut(RawServer server) {
    assertThrows(
        TimeoutException.class,
        () -> client.newRequest(server.uri()).timeout(300, TimeUnit.MILLISECONDS).send());
  }

  @Test
  void aCallThatIsThereOutlivesSomeSecondsOfSilence() throws Exception {
    try (RawServer server = RawServer.start(socket -> serve(socket, 3_000));
        BlockingResponseListener there = new BlockingResponseListener()) {
      client.newRequest(server.uri()).send(there);
      assertEquals(200, there.get(30, TimeUnit.SECONDS).getStatus());
      assertTimesOut(server);
      assertEquals(2, there.getInputStream().readAllBytes().length);
    }
  }

  @Test
  void aCallThatIsThereEndsIfTheSilenceDoesNot() throws Exception {
    try (RawServer server = RawServer.start(socket -> serve(socket, Integer.MAX_VALUE));
        BlockingResponseListener there = new BlockingResponseListener()) {
      client.newRequest(server.uri()).send(there);
      assertEquals(200, there.get(30, TimeUnit.SECONDS).getStatus());
      assertTimesOut(server);
      assertThrows(IOException.class, () -> there.getInputStream().readAllBytes());
    }
  }
}
