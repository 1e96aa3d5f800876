package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.LeakCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.EntityTemplate;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.IOCallback;
import org.apache.hc.core5.util.TimeValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * HTTP/2: a response that is complete before its request is. The server does not reset the stream,
 * and allows few: one that stays open is missing to the next calls.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class EarlyCompleteResponseTest {

  private static final int MAX_STREAMS = 3;

  private final BlockingConnectionManager manager =
      BlockingConnectionManager.builder()
          .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2)
          .setMaxConnPerRoute(1)
          .build();

  private final CloseableHttpClient client =
      BlockingHttpClients.custom()
          .setConnectionManager(manager)
          .setDefaultRequestConfig(
              RequestConfig.custom()
                  .setResponseTimeout(org.apache.hc.core5.util.Timeout.ofSeconds(5))
                  .build())
          .build();

  private static Http2Peer peer(int status) throws IOException {
    return new Http2Peer(MAX_STREAMS, (on, stream, end) -> on.answer(stream, end ? 200 : status));
  }

  private static HttpPost upload(Http2Peer peer, IOCallback<OutputStream> source) {
    HttpPost post = new HttpPost(peer.uri());
    post.setEntity(new EntityTemplate(-1, ContentType.APPLICATION_OCTET_STREAM, null, source));
    return post;
  }

  /** Writes until it is told that nothing more is wanted, or so often. */
  private static void pieces(OutputStream to, int times) throws IOException {
    for (int i = 0; i < times; i++) {
      to.write(new byte[1024]);
      to.flush();
      try {
        TimeValue.ofMilliseconds(2).sleep();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  private void assertThatTheConnectionServesOn(Http2Peer peer) throws Exception {
    for (int i = 0; i < MAX_STREAMS + 1; i++) {
      assertEquals(
          200, (int) client.execute(new HttpGet(peer.uri()), response -> response.getCode()));
    }
    assertEquals(1, peer.connections.size());
    assertEquals(0, manager.leases());
  }

  private static void assertThatEachWasCancelled(Http2Peer peer, int uploads)
      throws InterruptedException {
    Threads.await("the streams are reset", () -> peer.resets().size() == uploads);
    assertEquals(Collections.nCopies(uploads, H2Error.CANCEL.getCode()), peer.resets());
  }

  @Test
  void aRefusedUploadIsReset() throws Exception {
    try (Http2Peer peer = peer(413);
        client) {
      for (int i = 0; i < 2 * MAX_STREAMS; i++) {
        int status =
            client.execute(
                upload(peer, to -> pieces(to, 10_000)),
                response -> {
                  EntityUtils.consume(response.getEntity());
                  return response.getCode();
                });
        assertEquals(413, status);
      }
      assertThatTheConnectionServesOn(peer);
      assertThatEachWasCancelled(peer, 2 * MAX_STREAMS);
    }
  }

  /** The engine waits for 100 Continue, and gets an answer in its place. */
  @Test
  void anUploadThatIsNotContinuedIsReset() throws Exception {
    try (Http2Peer peer = peer(417);
        client) {
      for (int i = 0; i < 2 * MAX_STREAMS; i++) {
        HttpPost post = upload(peer, to -> pieces(to, 10_000));
        post.setConfig(RequestConfig.custom().setExpectContinueEnabled(true).build());
        assertEquals(417, (int) client.execute(post, response -> response.getCode()));
      }
      assertThatTheConnectionServesOn(peer);
      assertThatEachWasCancelled(peer, 2 * MAX_STREAMS);
    }
  }

  @Test
  void anUploadWhoseSourceFailsAfterTheAnswerIsReset() throws Exception {
    try (Http2Peer peer = peer(200);
        client) {
      for (int i = 0; i < 2 * MAX_STREAMS; i++) {
        HttpPost post =
            upload(
                peer,
                to -> {
                  pieces(to, 20);
                  throw new IOException("the source failed");
                });
        IOException thrown =
            assertThrows(IOException.class, () -> client.execute(post, response -> 0));
        assertEquals("the source failed", thrown.getMessage());
      }
      assertThatTheConnectionServesOn(peer);
      assertThatEachWasCancelled(peer, 2 * MAX_STREAMS);
    }
  }

  @Test
  void anUploadThatIsInterruptedAfterTheAnswerIsReset() throws Exception {
    CompletableFuture<Thread> writing = new CompletableFuture<>();
    try (Http2Peer peer = peer(200);
        client) {
      HttpPost post =
          upload(
              peer,
              to -> {
                pieces(to, 20);
                writing.complete(Thread.currentThread());
                pieces(to, 10_000);
              });
      CompletableFuture<Throwable> thrown = new CompletableFuture<>();
      Thread.ofVirtual()
          .start(
              () ->
                  thrown.complete(
                      assertThrows(IOException.class, () -> client.execute(post, response -> 0))));
      writing.get(20, TimeUnit.SECONDS).interrupt();
      thrown.get(20, TimeUnit.SECONDS);
      Threads.await("nothing is leased", () -> manager.leases() == 0);
      assertThatTheConnectionServesOn(peer);
      assertThatEachWasCancelled(peer, 1);
    }
  }

  /** A server may take an upload though it has answered before: it is sent to its end. */
  @Test
  void anUploadThatIsAcceptedEarlyIsSentToItsEnd() throws Exception {
    CompletableFuture<Void> complete = new CompletableFuture<>();
    Http2Peer.Behaviour accepts =
        new Http2Peer.Behaviour() {
          @Override
          public void request(Http2Peer.Connection on, int stream, boolean end) throws IOException {
            on.answer(stream, 200);
          }

          @Override
          public void data(Http2Peer.Connection on, int stream, boolean end) {
            if (end) {
              complete.complete(null);
            }
          }
        };
    try (Http2Peer peer = new Http2Peer(MAX_STREAMS, accepts);
        client) {
      int status =
          client.execute(upload(peer, to -> pieces(to, 20)), response -> response.getCode());
      assertEquals(200, status);
      complete.get(20, TimeUnit.SECONDS);
      assertThatTheConnectionServesOn(peer);
      assertEquals(0, peer.resets().size());
    }
  }
}
