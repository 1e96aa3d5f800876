package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.function.BooleanSupplier;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nothing of a slow upload was sent before 256 KiB of it were there. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class SlowUploadTest {

  private interface Source {
    void writeTo(OutputStream out, BooleanSupplier arrived)
        throws IOException, InterruptedException;
  }

  /** Sends a body from this source, which is told whether the server has any of it. */
  private static void upload(Wire wire, boolean known, int length, Source source) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        CloseableHttpClient client =
            BlockingHttpClients.custom()
                .setConnectionManager(
                    BlockingConnectionManager.builder()
                        .setVersionPolicy(
                            wire.isMultiplexed()
                                ? HttpVersionPolicy.FORCE_HTTP_2
                                : HttpVersionPolicy.NEGOTIATE)
                        .build())
                .build()) {
      URI uri = server.uri(Script.ok());
      HttpPost request = new HttpPost(uri);
      request.setEntity(
          new EntityTemplate(
              known ? length : -1,
              ContentType.APPLICATION_OCTET_STREAM,
              null,
              out -> {
                try {
                  source.writeTo(
                      out,
                      () ->
                          server.seen(uri).stream().anyMatch(request1 -> request1.bodyBytes() > 0));
                } catch (InterruptedException e) {
                  throw new IOException(e);
                }
              }));
      client.execute(request, response -> null);
      assertEquals(length, server.seen(uri).get(0).bodyBytes());
    }
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1,true", "HTTP_1_1,false", "H2C,true", "H2C,false"})
  void someKibibytesGoOutWhileMoreAreAwaited(Wire wire, boolean known) throws Exception {
    upload(
        wire,
        known,
        20_000,
        (out, arrived) -> {
          out.write(new byte[16_000]);
          Threads.await("some of it arrives while the source waits", arrived);
          out.write(new byte[4_000]);
        });
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1,true", "HTTP_1_1,false", "H2C,true", "H2C,false"})
  void aFewBytesGoOutAfterAShortWhile(Wire wire, boolean known) throws Exception {
    upload(
        wire,
        known,
        30,
        (out, arrived) -> {
          out.write(new byte[10]);
          Thread.sleep(50); // what "a short while" is about
          out.write(new byte[10]);
          Threads.await("some of it arrives while the source waits", arrived);
          out.write(new byte[10]);
        });
  }
}
