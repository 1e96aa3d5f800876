package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.RawServer;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.util.List;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A worker that learns late that the read of a body was interrupted. The caller has closed the body
 * by then: listeners were told of a call that ended well.
 */
@Timeout(60)
class LateWorkerTest {

  /** Longer than a caller waits for the worker of what it has given up. */
  private static final int LATE_MILLIS = 500;

  private static final List<String> OUTCOMES =
      List.of("responseBodyEnd", "responseFailed", "callEnd", "callFailed");

  private static final class LateSocket extends Socket {
    @Override
    public InputStream getInputStream() throws IOException {
      return new FilterInputStream(super.getInputStream()) {
        @Override
        public int read(byte[] b, int off, int len) throws IOException {
          try {
            return super.read(b, off, len);
          } catch (IOException e) {
            pause();
            throw e;
          }
        }
      };
    }

    private static void pause() {
      try {
        Thread.sleep(LATE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static final class LateSockets extends TestSockets {
    @Override
    public Socket createSocket() {
      return new LateSocket();
    }
  }

  private static RawServer server() throws IOException {
    return RawServer.start(
        socket -> {
          RawServer.readHead(socket.getInputStream());
          RawServer.write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nabc");
          RawServer.readToEnd(socket.getInputStream());
        });
  }

  @Test
  void anInterruptedReadIsToldAsAFailure() throws Exception {
    Events heard = new Events();
    OkHttpClient client =
        BlockingOkHttpClient.wrap(
            new OkHttpClient.Builder()
                .socketFactory(new LateSockets())
                .eventListener(heard)
                .build());
    try (RawServer server = server()) {
      Request get = new Request.Builder().url(server.uri().toString()).build();
      Caller caller =
          new Caller(
              Thread.ofPlatform(), // a worker reads for it
              () -> {
                try (Response response = client.newCall(get).execute()) {
                  InputStream in = response.body().byteStream();
                  assertEquals(3, in.readNBytes(3).length);
                  Thread.currentThread().interrupt();
                  assertThrows(InterruptedIOException.class, in::read);
                }
                return true;
              });
      caller.result();
      ExecuteTest.await(() -> heard.last().startsWith("call"));
      assertEquals(
          List.of("responseFailed", "callFailed"),
          heard.withoutRepeats().stream().filter(OUTCOMES::contains).toList());
    }
  }
}
