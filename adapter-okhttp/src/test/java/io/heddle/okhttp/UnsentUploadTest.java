package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.RawServer;
import io.heddle.conformance.Wire;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.internal.connection.RealConnection;
import okhttp3.internal.http2.ConnectionShutdownException;
import okio.BufferedSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server of HTTP/2 that leaves its first connections as soon as they are open: OkHttp gives up
 * where such a connection has had no success. A soak has seen that fail an upload that can be sent
 * once, of which nothing had been sent.
 */
@Timeout(60)
class UnsentUploadTest {

  private static final int LEFT = 3;

  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
  private static final byte[] GOAWAY = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  private static final byte[] WHOLE = {0, 0, 1, 1, 5, 0, 0, 0, 3, (byte) 0x88}; // 200, empty

  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicInteger received = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();

  private void write(BufferedSink sink) throws IOException {
    asked.incrementAndGet();
    sink.write(new byte[1000]);
  }

  private RawServer server() throws IOException {
    return RawServer.start(
        socket -> {
          DataInputStream in = new DataInputStream(socket.getInputStream());
          OutputStream out = socket.getOutputStream();
          out.write(SETTINGS);
          in.readFully(new byte[24]); // the preface
          if (connections.incrementAndGet() <= LEFT) {
            out.write(GOAWAY);
            RawServer.readToEnd(in);
            return;
          }
          receive(in);
          out.write(WHOLE);
          RawServer.readToEnd(in);
        });
  }

  /** Reads up to the end of a request. */
  private void receive(DataInputStream in) throws IOException {
    boolean ended = false;
    while (!ended) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      ended = (in.readUnsignedByte() & 1) != 0 && type <= 1;
      in.readInt();
      in.readFully(new byte[length]);
      received.addAndGet(type == 0 ? length : 0);
    }
  }

  /** Waits, on a connection that the server leaves, until OkHttp has seen that. */
  private Response awaitGoAway(Interceptor.Chain chain) throws IOException {
    if (attempts.incrementAndGet() <= LEFT) {
      RealConnection connection = (RealConnection) Objects.requireNonNull(chain.connection());
      while (connection.isHealthy(false)) {
        LockSupport.parkNanos(1_000_000);
      }
    }
    return chain.proceed(chain.request());
  }

  private OkHttpClient client(boolean retries) {
    return BlockingOkHttpClient.wrap(
        new OkHttpClient.Builder()
            .protocols(KitClient.protocols(Wire.H2C))
            .retryOnConnectionFailure(retries)
            .addNetworkInterceptor(this::awaitGoAway)
            .build());
  }

  private int post(OkHttpClient client, RawServer server) throws IOException {
    Request post =
        new Request.Builder()
            .url(server.uri().toString())
            .post(new KitClient.OneShot(-1, this::write))
            .build();
    try (Response response = client.newCall(post).execute()) {
      return response.code();
    }
  }

  @Test
  void goesAgain() throws Exception {
    try (RawServer server = server()) {
      OkHttpClient client = client(true);
      assertEquals(200, new Caller(() -> post(client, server)).result());
      assertEquals(LEFT + 1, connections.get());
      assertEquals(1, asked.get());
      assertEquals(1000, received.get());
      client.connectionPool().evictAll();
    }
  }

  @Test
  void failsWhereTheClientMayNotRetry() throws Exception {
    try (RawServer server = server()) {
      OkHttpClient client = client(false);
      assertThrows(ConnectionShutdownException.class, () -> post(client, server));
      assertEquals(0, asked.get());
      client.connectionPool().evictAll();
    }
  }
}
