package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.LeakCheck;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.io.HttpResponseInformationCallback;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Interim responses gathered without bound while the caller wrote. */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class InterimResponsesTest {

  private static final int MANY = 2_000;

  private final AtomicInteger told = new AtomicInteger();
  private final CountDownLatch allThere = new CountDownLatch(1);

  private final class Counting extends HttpRequestExecutor {
    @Override
    public ClassicHttpResponse execute(
        ClassicHttpRequest request,
        HttpClientConnection connection,
        HttpResponseInformationCallback callback,
        HttpContext context)
        throws IOException, HttpException {
      return super.execute(
          request, connection, (interim, c, context1) -> told.incrementAndGet(), context);
    }
  }

  /** Says 103 before there is a body to read, and answers when it is there. */
  private final class Hints implements FramePeer.Play {
    @Override
    public void head(FramePeer.Stream stream, boolean end) throws IOException {
      for (int i = 0; i < MANY; i++) {
        stream.head(103, false, "link", "</style.css>; rel=preload; as=style");
      }
      stream.ping();
    }

    @Override
    public void pong() {
      allThere.countDown();
    }

    @Override
    public void data(FramePeer.Stream stream, int bytes, boolean end) throws IOException {
      if (end) {
        stream.head(200, true);
      }
    }
  }

  @Test
  void someAreToldAndTheAnswerArrives() throws Exception {
    try (FramePeer server = new FramePeer(new Hints());
        CloseableHttpClient client =
            BlockingHttpClients.custom()
                .setRequestExecutor(new Counting())
                .setConnectionManager(
                    BlockingConnectionManager.builder()
                        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
                        .build())
                .build()) {
      HttpPost request = new HttpPost(server.uri("/"));
      request.setEntity(
          new EntityTemplate(
              -1,
              ContentType.TEXT_PLAIN,
              null,
              out -> {
                out.write(1);
                out.flush(); // the server has its say
                await(allThere);
                out.write(2);
              }));
      int status = client.execute(request, response -> response.getCode());
      assertEquals(200, status);
      assertEquals(32, told.get());
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
