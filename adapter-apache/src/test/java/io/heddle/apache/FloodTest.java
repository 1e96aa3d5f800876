package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http2.H2ConnectionException;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server that sends without an end, and faster than it is read, held the I/O thread: calls to
 * other servers on that thread did not go on. One that has each of its frames answered, and does
 * not read the answers, had them all kept.
 */
@Timeout(60)
class FloodTest {

  private static final byte[] INTERIM =
      "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
          .repeat(500)
          .getBytes(StandardCharsets.US_ASCII);

  private static final int PRIORITY = 2;
  private static final int SETTINGS = 4;
  private static final int PING = 6;

  private static byte[] frames(int type, int stream, int length) {
    ByteBuffer frames = ByteBuffer.allocate(1000 * (9 + length));
    while (frames.hasRemaining()) {
      frames.putInt(length << 8 | type).put((byte) 0).putInt(stream).put(new byte[length]);
    }
    return frames.array();
  }

  private static BlockingConnectionManagerBuilder managers(boolean http2) {
    return BlockingConnectionManager.builder()
        .setIoThreadCount(1)
        .setDefaultSocketConfig(SocketConfig.custom().setSndBufSize(8 * 1024).build())
        .setVersionPolicy(http2 ? HttpVersionPolicy.FORCE_HTTP_2 : HttpVersionPolicy.FORCE_HTTP_1);
  }

  private static CloseableHttpClient client(BlockingConnectionManager manager) {
    return BlockingHttpClients.custom()
        .setConnectionManager(manager)
        .disableAutomaticRetries()
        .setDefaultRequestConfig(
            RequestConfig.custom().setResponseTimeout(20, TimeUnit.SECONDS).build())
        .build();
  }

  private static int get(CloseableHttpClient client, URI uri) throws IOException {
    return client.execute(new HttpGet(uri), response -> response.getCode());
  }

  /** Reads a request's head, and no more; then sends this again and again. */
  private static final class Flood implements AutoCloseable {
    final CountDownLatch pieces = new CountDownLatch(100);
    final ServerSocket listener = new ServerSocket();
    final byte[] piece;
    final long most;
    final Thread thread;
    volatile boolean left;

    Flood(byte[] piece, long most) throws IOException {
      this.piece = piece;
      this.most = most;
      listener.setReceiveBufferSize(4 * 1024); // an answer that is not read is not taken
      listener.bind(null);
      thread = Thread.ofPlatform().daemon().start(this::serve);
    }

    URI uri() {
      return URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/");
    }

    private void serve() {
      try (Socket socket = listener.accept()) {
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        if (in.read() == 'P') { // RI, the preface of HTTP/2: then a request
          out.write(new byte[] {0, 0, 0, SETTINGS, 0, 0, 0, 0, 0});
          in.skipNBytes(23);
          for (int type = -1; type != 1; ) {
            int length = in.read() << 16 | in.read() << 8 | in.read();
            type = in.read();
            in.skipNBytes(5 + length);
          }
        } else {
          for (int last = 0; last != 0x0d0a0d0a; ) { // two ends of line
            last = last << 8 | in.read();
          }
        }
        for (long i = 0; i < most; i++) {
          out.write(piece);
          pieces.countDown();
        }
        Thread.sleep(TimeUnit.SECONDS.toMillis(40));
      } catch (IOException e) {
        left = true; // the client has
      } catch (InterruptedException e) {
        return; // the test is over
      }
    }

    @Override
    public void close() throws IOException {
      thread.interrupt();
      listener.close();
    }
  }

  @Test
  void interimResponsesHoldUpNobodyElse() throws Exception {
    assertHoldsUpNobody(false, INTERIM);
  }

  @Test
  void framesHoldUpNobodyElse() throws Exception {
    assertHoldsUpNobody(true, frames(PRIORITY, 1, 5));
  }

  private static void assertHoldsUpNobody(boolean http2, byte[] piece) throws Exception {
    BlockingConnectionManager manager = managers(http2).build();
    try (FaultServer good = FaultServer.start(http2 ? Wire.H2C : Wire.HTTP_1_1);
        Flood flood = new Flood(piece, Long.MAX_VALUE);
        CloseableHttpClient client = client(manager)) {
      FutureTask<Integer> harmed = new FutureTask<>(() -> get(client, flood.uri()));
      Thread caller = Thread.ofVirtual().start(harmed);
      flood.pieces.await();
      for (int i = 0; i < 100; i++) {
        assertEquals(200, get(client, good.uri(Script.ok().body(100))));
      }
      assertFalse(flood.left || harmed.isDone(), "the flood has ended");
      caller.interrupt();
      caller.join();
    } finally {
      manager.close(CloseMode.IMMEDIATE);
    }
  }

  @Test
  void whoDoesNotReadTheAnswersToItsSettingsAndPingsIsLeft() throws Exception {
    for (byte[] piece : List.of(frames(SETTINGS, 0, 0), frames(PING, 0, 8))) {
      BlockingConnectionManager manager = managers(true).build();
      try (Flood flood = new Flood(piece, 300);
          CloseableHttpClient client = client(manager)) {
        FutureTask<Integer> call = new FutureTask<>(() -> get(client, flood.uri()));
        Thread.ofVirtual().start(call);
        H2ConnectionException told =
            assertInstanceOf(
                H2ConnectionException.class,
                assertThrows(ExecutionException.class, call::get).getCause());
        assertEquals(H2Error.ENHANCE_YOUR_CALM.getCode(), told.getCode());
      } finally {
        manager.close(CloseMode.IMMEDIATE);
      }
    }
  }
}
