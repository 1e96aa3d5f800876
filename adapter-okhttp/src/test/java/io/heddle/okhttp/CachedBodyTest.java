package io.heddle.okhttp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import okhttp3.Cache;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What OkHttp's cache has of a body whose reader was interrupted. A body that has arrived is served
 * to such a reader elsewhere; but a file of okio's takes nothing from it, and OkHttp kept what came
 * after: calls to come got a body of no bytes, and no failure.
 */
@Timeout(60)
class CachedBodyTest {

  private static final int BODY = 10_005;

  private static Response execute(OkHttpClient client, URI uri) throws IOException {
    return client.newCall(new Request.Builder().url(uri.toString()).build()).execute();
  }

  /** Reads as much, is interrupted, and reads on. */
  private static boolean readInterrupted(OkHttpClient client, URI uri, int before)
      throws IOException {
    try (Response response = execute(client, uri)) {
      response.body().source().skip(before);
      Thread.currentThread().interrupt();
      assertThrows(InterruptedIOException.class, () -> response.body().source().skip(BODY));
    }
    return Thread.interrupted();
  }

  @ParameterizedTest
  @EnumSource(
      value = Wire.class,
      names = {"HTTP_1_1", "H2C"})
  void hasNoHole(Wire wire, @TempDir Path directory) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        Cache cache = new Cache(directory.toFile(), 1 << 20)) {
      OkHttpClient client =
          BlockingOkHttpClient.wrap(
              new OkHttpClient.Builder().protocols(KitClient.protocols(wire)).cache(cache).build());
      for (Thread.Builder kind : List.of(Thread.ofVirtual(), Thread.ofPlatform())) {
        for (int before : List.of(0, 1)) {
          URI uri = server.uri(Script.ok().header("Cache-Control", "max-age=100").body(BODY));
          assertEquals(true, new Caller(kind, () -> readInterrupted(client, uri, before)).result());
          for (boolean isCached : List.of(false, true)) {
            try (Response response = execute(client, uri)) {
              assertEquals(isCached, response.cacheResponse() != null);
              assertEquals(BODY, response.body().bytes().length);
            }
          }
        }
      }
    }
  }
}
