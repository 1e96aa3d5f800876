package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Over HTTP/1.1 OkHttp writes a body of unknown length in {@code synchronized}, where a virtual
 * thread before JDK 24 holds its carrier while it waits. In a soak all carriers were held so, by
 * callers that waited for the lock of okio's timers, whose next owner was a virtual thread without
 * one: no virtual thread of the JVM went on any more.
 */
@Timeout(60)
class ChunkedUploadTest {

  private static final int UPLOADS = 4 * Runtime.getRuntime().availableProcessors();

  @Test
  void thatStandsHoldsNoCarrier() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        PausingProxy proxy = new PausingProxy(server.port())) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              new OkHttpClient.Builder().socketFactory(new SmallBuffers()).build());
      proxy.pause(true);
      List<StalledWriteTest.Large> bodies = new ArrayList<>();
      List<Caller> callers = new ArrayList<>();
      for (int i = 0; i < UPLOADS; i++) {
        StalledWriteTest.Large body = new StalledWriteTest.Large();
        bodies.add(body);
        String url =
            server.uri(Script.ok()).toString().replace(":" + server.port(), ":" + proxy.port());
        Request request = new Request.Builder().url(url).post(body).build();
        callers.add(
            new Caller(
                () -> {
                  try (Response response = client.newCall(request).execute()) {
                    return response.code();
                  }
                }));
      }
      for (StalledWriteTest.Large each : bodies) {
        assertTrue(each.begun.await(10, TimeUnit.SECONDS), "a call finds no carrier");
      }
      assertEquals("free", new Caller(() -> "free").result());
      proxy.pause(false);
      for (Caller each : callers) {
        assertEquals(200, each.result());
      }
    }
  }
}
