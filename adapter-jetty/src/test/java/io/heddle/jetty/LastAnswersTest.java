package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.RawServer;
import io.heddle.conformance.Wire;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.io.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connection of HTTP/2 is closed, by a write that fails, when whole responses have been read that
 * are not yet with their calls: Jetty forgot them. Here it is the test that closes it.
 */
@Timeout(60)
class LastAnswersTest {

  private static final int CALLS = 4;

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

  private static void serve(Socket socket) throws IOException {
    socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS
    DataInputStream in = new DataInputStream(socket.getInputStream());
    in.readFully(new byte[24]); // the preface
    for (int heads = 0; heads < CALLS; ) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      heads += in.readUnsignedByte() == 1 ? 1 : 0;
      in.readFully(new byte[5 + length]);
    }
    ByteBuffer answers = ByteBuffer.allocate(CALLS * (10 + 10) + 17); // in one piece
    for (int i = 0; i < CALLS; i++) {
      answers.put(new byte[] {0, 0, 1, 1, 4}).putInt(1 + 2 * i).put((byte) 0x88); // 200
      answers.put(new byte[] {0, 0, 1, 0, 1}).putInt(1 + 2 * i).put((byte) 'x'); // DATA, the last
    }
    answers.put(new byte[] {0, 0, 8, 6, 1, 0, 0, 0, 0}).putLong(0); // the answer to a PING
    socket.getOutputStream().write(answers.array());
    RawServer.readToEnd(in);
  }

  /** Closes the connection once the answers are read, and has it know before they go on. */
  private static final class Closes implements HTTP2Session.FrameListener {
    private final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public void onIncomingFrame(Session session, Frame frame) {
      if (frame instanceof PingFrame && session instanceof HTTP2Session http2) {
        http2
            .getEndPoint()
            .getConnection()
            .addEventListener(
                new Connection.Listener() {
                  @Override
                  public void onClosed(Connection connection) {
                    closed.countDown();
                  }
                });
        http2.getEndPoint().close(new IOException("Broken pipe"));
        try {
          boolean unused = closed.await(200, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  @Test
  void allCallsAreAnswered() throws Exception {
    for (HTTP2Client each : client.getContainedBeans(HTTP2Client.class)) {
      each.addEventListener(new Closes());
    }
    try (RawServer server = RawServer.start(LastAnswersTest::serve)) {
      List<FutureTask<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        calls.add(
            new FutureTask<>(
                () ->
                    client
                        .newRequest(server.uri())
                        .timeout(30, TimeUnit.SECONDS)
                        .send()
                        .getContent()
                        .length));
      }
      calls.forEach(each -> Thread.ofVirtual().start(each));
      for (FutureTask<Integer> each : calls) {
        assertEquals(1, each.get());
      }
    }
  }
}
