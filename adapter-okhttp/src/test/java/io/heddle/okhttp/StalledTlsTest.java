package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An HTTP/2 connection over TLS to a server that takes no more bytes, and the last call on it. To
 * close a TLS socket the JDK waits for whoever writes to it: OkHttp's own client fails these tests.
 */
@Timeout(60)
class StalledTlsTest {

  private static final Duration PROMPT = Duration.ofMillis(2500);

  private FaultServer server;
  private PausingProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server = FaultServer.start(Wire.H2_TLS);
    proxy = new PausingProxy(server.port());
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    server.close();
  }

  /** Each connection is closed by the last call on it; the buffers of its socket are small. */
  private OkHttpClient client(Duration callTimeout) {
    OkHttpClient.Builder settings =
        new OkHttpClient.Builder()
            .protocols(KitClient.protocols(Wire.H2_TLS))
            .connectionPool(new ConnectionPool(0, 1, TimeUnit.MINUTES))
            .callTimeout(callTimeout)
            .addNetworkInterceptor(
                chain -> {
                  chain.connection().socket().setSendBufferSize(4096);
                  proxy.pause(true); // the connection is there
                  return chain.proceed(chain.request());
                });
    KitClient.trust(settings, FaultServer.certificate());
    OkHttpClient stock = settings.build();
    return Boolean.getBoolean("heddle.okhttp.stock") ? stock : BlockingOkHttpClient.wrap(stock);
  }

  /** Starts a call that stands in a write to the socket. */
  private Caller startStalledUpload(OkHttpClient client) throws InterruptedException {
    StalledWriteTest.Large body = new StalledWriteTest.Large();
    String uri =
        server.uri(Script.ok()).toString().replace(":" + server.port(), ":" + proxy.port());
    Request request = new Request.Builder().url(uri).post(body).build();
    Caller caller = new Caller(() -> client.newCall(request).execute().code());
    assertTrue(body.begun.await(10, TimeUnit.SECONDS));
    Thread.sleep(300); // for the buffers to fill
    return caller;
  }

  private static void assertPrompt(Caller upload, long start) throws Exception {
    Throwable failure = upload.failure();
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    assertTrue(millis < PROMPT.toMillis(), "the call ended after " + millis + " ms");
    assertEquals(InterruptedIOException.class, failure.getClass());
  }

  @Test
  void aDeadlineEndsTheCall() throws Exception {
    long start = System.nanoTime();
    assertPrompt(startStalledUpload(client(Duration.ofSeconds(1))), start);
  }

  @Test
  void anInterruptEndsTheCall() throws Exception {
    Caller upload = startStalledUpload(client(Duration.ZERO));
    long start = System.nanoTime();
    upload.thread().interrupt();
    assertPrompt(upload, start);
  }
}
