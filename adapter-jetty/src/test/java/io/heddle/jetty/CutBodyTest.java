package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.RawServer;
import io.heddle.conformance.Wire;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.FailureFrame;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A stream of HTTP/2 fails, with its connection, when the last of a body has come and is not yet
 * read: Jetty drops what is there but for its end, and a body without a Content-Length was taken
 * for whole. Here it is the test that has the stream fail.
 */
@Timeout(60)
class CutBodyTest {

  private static void serve(Socket socket) throws IOException {
    socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS
    DataInputStream in = new DataInputStream(socket.getInputStream());
    JettyInternalsTest.readUntilHead(in);
    ByteBuffer answer = ByteBuffer.allocate(10 + 10 + 17); // in one piece
    answer.put(new byte[] {0, 0, 1, 1, 4}).putInt(1).put((byte) 0x88); // 200
    answer.put(new byte[] {0, 0, 1, 0, 1}).putInt(1).put((byte) 'x'); // DATA, the last
    answer.put(new byte[] {0, 0, 8, 6, 1, 0, 0, 0, 0}).putLong(0); // the answer to a PING
    socket.getOutputStream().write(answer.array());
    RawServer.readToEnd(in);
  }

  /** Has the stream fail once the answer is there. */
  private static final class Fails implements HTTP2Session.FrameListener {
    @Override
    public void onIncomingFrame(Session session, Frame frame) {
      if (frame instanceof PingFrame && session.getStream(1) instanceof HTTP2Stream stream) {
        stream.process(new FailureFrame(0, null, new ClosedChannelException()), Callback.NOOP);
      }
    }
  }

  private interface Call {
    void make(Request request) throws Exception;
  }

  private static Throwable failure(Call call) throws Exception {
    HttpClient client = new BlockingJettyClient(JettyClient.transport(Wire.H2C));
    client.start();
    for (HTTP2Client each : client.getContainedBeans(HTTP2Client.class)) {
      each.addEventListener(new Fails());
    }
    try (RawServer server = RawServer.start(CutBodyTest::serve)) {
      Request post = client.POST(server.uri()).timeout(30, TimeUnit.SECONDS);
      return assertThrows(Exception.class, () -> call.make(post));
    } finally {
      client.stop();
    }
  }

  @Test
  void isNotWholeForSend() throws Exception {
    Throwable failure = failure(Request::send);
    assertInstanceOf(ExecutionException.class, failure);
    assertInstanceOf(IOException.class, failure.getCause());
  }

  @Test
  void isNotWholeForAStream() throws Exception {
    Throwable failure =
        failure(
            request -> {
              try (BlockingResponseListener listener = new BlockingResponseListener()) {
                request.send(listener);
                assertEquals(200, listener.get(30, TimeUnit.SECONDS).getStatus());
                byte[] unused = listener.getInputStream().readAllBytes();
              }
            });
    assertInstanceOf(EOFException.class, failure);
  }
}
