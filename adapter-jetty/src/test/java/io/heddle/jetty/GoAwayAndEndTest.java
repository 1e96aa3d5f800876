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
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.RetryableRequestException;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.RetryableStreamException;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server of HTTP/2 that says with GOAWAY what it has processed, and closes, as nginx does: Jetty
 * aborts a request for both, and may for the second before it has done with the first. Some calls
 * that the server had not processed were seen to fail with the end of the connection; here it is
 * the test that brings that.
 */
@Timeout(60)
class GoAwayAndEndTest {

  /** Connections that the server ends in a row. */
  private static final int UNLUCKY = 5;

  private static final byte SETTINGS = 4;
  private static final byte GOAWAY = 7;
  private static final byte RST_STREAM = 3;
  private static final byte HEADERS = 1;
  private static final byte DATA = 0;
  private static final byte END_STREAM = 1;
  private static final byte END_HEADERS = 4;
  private static final byte[] REFUSED_STREAM = {0, 0, 0, 7};
  private static final byte[] STATUS_200 = {(byte) 0x88}; // of HPACK's static table

  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger connections = new AtomicInteger();
  private final BlockingJettyClient client =
      new BlockingJettyClient(JettyClient.transport(Wire.H2C));
  private @Nullable RawServer server;

  /** What the server says that it has processed, on the connections that it ends. */
  private volatile int lastStream;

  /** Whether it refuses the first request of a connection, and takes the next. */
  private volatile boolean refuses;

  /** How Jetty tells that it has not. */
  private volatile RuntimeException refusal = new RetryableRequestException("refused");

  private Request toServer() throws Exception {
    RawServer started = RawServer.start(this::serve);
    server = started;
    client.start();
    return client
        .POST(started.uri())
        .timeout(30, TimeUnit.SECONDS)
        .body(new BytesRequestContent(new byte[5]));
  }

  private Request post() throws Exception {
    Request post = toServer();
    for (HTTP2Client each : client.getContainedBeans(HTTP2Client.class)) {
      each.addEventListener(
          new HTTP2Session.FrameListener() {
            @Override
            public void onIncomingFrame(Session session, Frame frame) { // before Jetty heeds it
              if (frame instanceof GoAwayFrame) {
                if (lastStream == 0) {
                  JettyExchange.unheeded(post.abort(refusal));
                }
                JettyExchange.unheeded(post.abort(endOfConnection()));
              }
            }
          });
    }
    return post;
  }

  /**
   * Once Heddle knows of such a frame, and before Jetty heeds it, a write finds the stream ended.
   */
  private void dropsAt(Request post, Class<? extends Frame> at) {
    for (HTTP2Client each : client.getContainedBeans(HTTP2Client.class)) {
      each.addEventListener(
          new HTTP2Session.LifeCycleListener() {
            @Override
            public void onOpen(Session session) { // after Heddle
              boolean unused =
                  ((HTTP2Session) session)
                      .addEventListener(
                          new HTTP2Session.FrameListener() {
                            @Override
                            public void onIncomingFrame(Session same, Frame frame) {
                              if (at.isInstance(frame)) {
                                JettyExchange.unheeded(post.abort(DroppedHeadTest.dropped()));
                              }
                            }
                          });
            }
          });
    }
  }

  /** As Jetty tells it. */
  static IOException endOfConnection() {
    IOException end = new ClosedChannelException();
    String jetty = HTTP2Session.class.getName();
    end.setStackTrace(
        new StackTraceElement[] {new StackTraceElement(jetty, "onShutdown", null, -1)});
    return end;
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
    if (server != null) {
      server.close();
    }
  }

  private void serve(Socket socket) throws IOException {
    connections.incrementAndGet();
    socket.setTcpNoDelay(true);
    DataInputStream in = new DataInputStream(socket.getInputStream());
    in.readNBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".length());
    write(socket, SETTINGS, 0, 0, new byte[0]);
    int stream = readRequest(in);
    if (refuses) {
      write(socket, RST_STREAM, 0, stream, REFUSED_STREAM);
      int next = readRequest(in);
      write(socket, HEADERS, END_STREAM | END_HEADERS, next, STATUS_200);
    } else if (requests.incrementAndGet() <= UNLUCKY) {
      byte[] last = {0, 0, 0, (byte) lastStream, 0, 0, 0, 0};
      write(socket, GOAWAY, 0, 0, last);
      socket.shutdownOutput();
    } else {
      write(socket, HEADERS, END_STREAM | END_HEADERS, stream, STATUS_200);
    }
    RawServer.readToEnd(in); // else it would be reset
  }

  /** Reads a request to its end, and tells its stream. */
  private static int readRequest(DataInputStream in) throws IOException {
    for (; ; ) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      if (in.readNBytes(length).length < length) {
        throw new EOFException();
      }
      if (type == DATA && (flags & END_STREAM) != 0) {
        return stream;
      }
    }
  }

  private static void write(Socket socket, byte type, int flags, int stream, byte[] payload)
      throws IOException {
    byte[] frame = new byte[9 + payload.length];
    frame[2] = (byte) payload.length;
    frame[3] = type;
    frame[4] = (byte) flags;
    frame[8] = (byte) stream;
    System.arraycopy(payload, 0, frame, 9, payload.length);
    socket.getOutputStream().write(frame);
  }

  @Test
  void whatWasNotProcessedGoesAgain() throws Exception {
    assertEquals(200, post().send().getStatus());
    assertEquals(UNLUCKY + 1, requests.get());
  }

  @Test
  void whatWasNotProcessedGoesAgainForAStream() throws Exception {
    try (BlockingResponseListener listener = new BlockingResponseListener()) {
      post().send(listener);
      assertEquals(200, listener.get(30, TimeUnit.SECONDS).getStatus());
    }
    assertEquals(UNLUCKY + 1, requests.get());
  }

  /** As it was seen to end a body that was being sent. */
  @Test
  void whatWasRefusedAsAStreamGoesAgain() throws Exception {
    refusal = new RetryableStreamException();
    assertEquals(200, post().send().getStatus());
    assertEquals(UNLUCKY + 1, requests.get());
  }

  /** The thread that is about to write its body tells first. */
  @Test
  void whatWasNotProcessedGoesAgainThoughItsBodyIsDropped() throws Exception {
    Request post = toServer();
    dropsAt(post, GoAwayFrame.class);
    assertEquals(200, post.send().getStatus());
    assertEquals(UNLUCKY + 1, requests.get());
  }

  /** On the same connection, which goes on. */
  @Test
  void whatWasRefusedGoesAgainThoughItsBodyIsDropped() throws Exception {
    refuses = true;
    Request post = toServer();
    dropsAt(post, ResetFrame.class);
    assertEquals(200, post.send().getStatus());
    assertEquals(1, connections.get());
  }

  @Test
  void aPostThatMayHaveBeenProcessedIsSentOnce() throws Exception {
    lastStream = Byte.MAX_VALUE;
    Request post = post();
    ExecutionException failure = assertThrows(ExecutionException.class, post::send);
    assertInstanceOf(ClosedChannelException.class, failure.getCause());
    assertEquals(1, requests.get());
  }
}
