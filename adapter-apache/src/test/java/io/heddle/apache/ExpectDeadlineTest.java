package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.LeakCheck;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.time.Duration;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A request whose body waits for 100 Continue: the call's deadline counts, however much longer
 * Apache's executor has patience.
 */
@org.junit.jupiter.api.Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class ExpectDeadlineTest {

  private static final Timeout CALL = Timeout.ofSeconds(2);
  private static final Http1Config PATIENT =
      Http1Config.custom().setWaitForContinueTimeout(Timeout.ofSeconds(30)).build();

  @Test
  void endsTheWaitForContinue() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        CloseableHttpClient client =
            BlockingHttpClients.custom()
                .setRequestExecutor(new HttpRequestExecutor(PATIENT, null, null))
                .setDefaultRequestConfig(
                    RequestConfig.custom().setExpectContinueEnabled(true).build())
                .build()) {
      HttpGet get = new HttpGet(server.uri(Script.ok()));
      assertEquals(200, (int) client.execute(get, response -> response.getCode())); // connected

      URI silent = server.uri(Script.ok().expect(Script.Expect.IGNORE));
      HttpPost post = new HttpPost(silent);
      post.setEntity(new ByteArrayEntity(new byte[1_000], ContentType.DEFAULT_BINARY));
      HttpClientContext context = HttpClientContext.create();
      CallDeadline.set(context, CALL);
      long start = System.nanoTime();
      DeadlineExceededException thrown =
          assertThrows(
              DeadlineExceededException.class,
              () -> client.execute(post, context, response -> response.getCode()));
      long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
      assertTrue(seconds < 15, () -> "took " + seconds + " s");
      assertTrue(
          String.valueOf(thrown.getMessage()).contains("waiting for 100 Continue"),
          thrown::toString);
      assertEquals(0, server.seen(silent).getFirst().bodyBytes(), "bytes of the body");
    }
  }
}
