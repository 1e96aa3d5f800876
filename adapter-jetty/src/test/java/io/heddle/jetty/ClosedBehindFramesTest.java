package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.RawServer;
import io.heddle.conformance.Wire;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connection of HTTP/2 is closed, by a write that fails, as the heads of responses have just been
 * read: calls waited until their timeouts. Here it is the test that closes it, between the heads
 * and their way to the calls.
 */
@Timeout(60)
class ClosedBehindFramesTest {

  private static final int CALLS = 4;

  private static void serve(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS
    DataInputStream in = new DataInputStream(socket.getInputStream());
    in.readFully(new byte[24]); // the preface
    for (int heads = 0; heads < CALLS; ) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      heads += in.readUnsignedByte() == 1 ? 1 : 0;
      in.readFully(new byte[5 + length]);
    }
    ByteBuffer answers = ByteBuffer.allocate(CALLS * 10 + 17 + 17); // in one piece
    answers.put(new byte[] {0, 0, 8, 7, 0, 0, 0, 0, 0}); // GOAWAY
    answers.putInt(Integer.MAX_VALUE).putInt(0); // after these; NO_ERROR
    for (int i = 0; i < CALLS; i++) { // a head, of which a body is to follow
      answers.put(new byte[] {0, 0, 1, 1, 4}).putInt(1 + 2 * i).put((byte) 0x88); // 200
    }
    answers.put(new byte[] {0, 0, 8, 6, 1, 0, 0, 0, 0}).putLong(0); // the answer to a PING
    socket.getOutputStream().write(answers.array());
    RawServer.readToEnd(in);
  }

  /** Closes the connection once the heads are read. */
  private static final class Closes implements HTTP2Session.FrameListener {
    @Override
    public void onIncomingFrame(Session session, Frame frame) {
      if (frame instanceof PingFrame && session instanceof HTTP2Session http2) {
        http2.getEndPoint().close(new IOException("Broken pipe"));
      }
    }
  }

  @Test
  void allCallsAreTold() throws Exception {
    HttpClient client = new BlockingJettyClient(JettyClient.transport(Wire.H2C));
    client.setMaxConnectionsPerDestination(1);
    client.start();
    for (HTTP2Client each : client.getContainedBeans(HTTP2Client.class)) {
      each.addEventListener(new Closes());
    }
    try (RawServer server = RawServer.start(ClosedBehindFramesTest::serve)) {
      List<FutureTask<Exception>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        calls.add(
            new FutureTask<>(
                () ->
                    assertThrows(
                        Exception.class,
                        () -> client.POST(server.uri()).timeout(30, TimeUnit.SECONDS).send())));
      }
      calls.forEach(each -> Thread.ofVirtual().start(each));
      for (FutureTask<Exception> each : calls) {
        Exception failure = assertInstanceOf(ExecutionException.class, each.get());
        assertInstanceOf(IOException.class, failure.getCause());
      }
    } finally {
      client.stop();
    }
  }
}
