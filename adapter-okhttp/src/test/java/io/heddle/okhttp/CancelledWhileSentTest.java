package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * OkHttp looks for the answer to a request that it could not send for a cancel. Over HTTP/2 it may
 * be there already, and OkHttp then waits for the end of the request for ever.
 */
@Timeout(60)
class CancelledWhileSentTest {

  /** Sockets of which one write does not return, although it is done. */
  private static final class HeldSockets extends TestSockets {
    private final AtomicBoolean holdsNext = new AtomicBoolean();
    private final CountDownLatch mayReturn = new CountDownLatch(1);
    private volatile boolean held;
    private volatile boolean heard; // since then

    @Override
    public Socket createSocket() {
      return new Socket() {
        @Override
        public OutputStream getOutputStream() throws IOException {
          return new FilterOutputStream(super.getOutputStream()) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
              boolean holds = holdsNext.getAndSet(false);
              if (holds) {
                held = true;
              }
              out.write(bytes, offset, length);
              if (holds) {
                ExecuteTest.awaitUninterruptibly(mayReturn);
              }
            }
          };
        }

        @Override
        public InputStream getInputStream() throws IOException {
          return new FilterInputStream(super.getInputStream()) {
            private boolean read;

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
              heard = read; // and has heeded it, before it reads on
              int n = in.read(bytes, offset, length);
              read = held;
              return n;
            }
          };
        }
      };
    }
  }

  @Test
  void itsConnectionComesBack() throws Exception {
    HeldSockets sockets = new HeldSockets();
    try (FaultServer server = FaultServer.start(Wire.H2C)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              new OkHttpClient.Builder()
                  .protocols(KitClient.protocols(Wire.H2C))
                  .writeTimeout(Duration.ZERO)
                  .socketFactory(sockets)
                  .build());
      assertEquals(10, AbandonedCallsTest.whole(client, server.uri(Script.ok().body(10))));
      URI uri = server.uri(Script.ok().body(10));
      Call call = client.newCall(new Request.Builder().url(uri.toString()).build());
      CompletableFuture<Object> outcome = new CompletableFuture<>();
      sockets.holdsNext.set(true);
      call.enqueue(
          new Callback() {
            @Override
            public void onResponse(Call call, Response response) {
              response.close();
              outcome.complete(response);
            }

            @Override
            public void onFailure(Call call, IOException e) {
              outcome.complete(e);
            }
          });
      ExecuteTest.await(() -> sockets.heard);
      call.cancel();
      sockets.mayReturn.countDown();
      Object brought = outcome.get(10, TimeUnit.SECONDS);
      AbandonedCallsTest.awaitIdle(client);
      assertInstanceOf(IOException.class, brought);
      client.dispatcher().executorService().shutdown();
    }
  }
}
