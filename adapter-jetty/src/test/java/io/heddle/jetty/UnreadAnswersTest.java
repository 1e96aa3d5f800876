package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.Wire;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server that has each of its frames answered, and does not read the answers, had them all kept,
 * until the heap was full.
 */
@Timeout(60)
class UnreadAnswersTest {

  private static final int SETTINGS = 4;
  private static final int PING = 6;

  private static byte[] frames(int type, int length) {
    ByteBuffer frames = ByteBuffer.allocate(1000 * (9 + length));
    while (frames.hasRemaining()) {
      frames.putInt(length << 8 | type).put((byte) 0).putInt(0).put(new byte[length]);
    }
    return frames.array();
  }

  @Test
  void toSettingsAreBounded() throws Exception {
    assertBounded(frames(SETTINGS, 0));
  }

  @Test
  void toPingsAreBounded() throws Exception {
    assertBounded(frames(PING, 8));
  }

  /**
   * Again, if TCP stands still: a server that reads nothing may drop what tells it that the client
   * takes more, so that the flood does not come.
   */
  private static void assertBounded(byte[] flood) throws Exception {
    Exception told = endOf(flood);
    for (int i = 0; i < 2 && told instanceof TimeoutException; i++) {
      told = endOf(flood);
    }
    assertTrue(told.toString().contains("answers_to_ping"), told::toString);
  }

  private static Exception endOf(byte[] flood) throws Exception {
    BlockingJettyClient client = new BlockingJettyClient(JettyClient.transport(Wire.H2C));
    try (client;
        ServerSocket server = new ServerSocket()) {
      server.setReceiveBufferSize(64 * 1024); // an answer that is not read is not taken
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      client.start();
      for (HTTP2Client each : client.getContainedBeans(HTTP2Client.class)) {
        each.getClientConnector().setSendBufferSize(64 * 1024);
      }
      Thread serving = Thread.ofPlatform().daemon().start(() -> serve(server, flood));
      Exception told =
          assertThrows(
              Exception.class,
              () ->
                  client
                      .newRequest("http://127.0.0.1:" + server.getLocalPort() + "/")
                      .timeout(15, TimeUnit.SECONDS)
                      .send());
      serving.interrupt();
      return told;
    }
  }

  /** Reads a request's head, and no more. */
  private static void serve(ServerSocket server, byte[] flood) {
    try (Socket socket = server.accept()) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      OutputStream out = socket.getOutputStream();
      out.write(new byte[] {0, 0, 0, SETTINGS, 0, 0, 0, 0, 0});
      JettyInternalsTest.readUntilHead(in);
      for (int i = 0; i < 300; i++) {
        out.write(flood);
      }
      Thread.sleep(TimeUnit.SECONDS.toMillis(40));
    } catch (IOException | InterruptedException e) {
      return; // the client has left, or the test is over
    }
  }
}
