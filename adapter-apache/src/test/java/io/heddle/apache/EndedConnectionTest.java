package io.heddle.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.LeakCheck;
import io.heddle.core.Exchange;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.ClientProtocolException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.H2StreamResetException;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * However a connection's end shows, callers are told of an end of the connection, in the library's
 * own words. They saw bare IOExceptions, which no retry strategy knows, and errors of the protocol
 * that the server had not made.
 */
@Timeout(60)
@ExtendWith({WarmUp.class, LeakCheck.class})
class EndedConnectionTest {

  private final BlockingConnectionManager manager =
      BlockingConnectionManager.builder().setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_2).build();
  private final CloseableHttpClient client =
      BlockingHttpClients.custom().setConnectionManager(manager).disableAutomaticRetries().build();

  @AfterEach
  void close() {
    manager.close(CloseMode.IMMEDIATE);
  }

  private static HttpPost post(Http2Peer peer) {
    HttpPost post = new HttpPost(peer.uri());
    post.setEntity(
        new InputStreamEntity(
            new ByteArrayInputStream(new byte[1000]), 1000, ContentType.DEFAULT_BINARY));
    return post;
  }

  // ---- TLS tells of it with a ClosedChannelException ------------------------------------------

  private final ClosedChannelException closed = new ClosedChannelException();

  @Test
  void aClosedChannelInBodyIsAClosedConnection() {
    IOException told = ApacheFailures.inBody(closed);
    assertSame(ConnectionClosedException.class, told.getClass());
    assertSame(closed, told.getCause());
  }

  @Test
  void aClosedChannelBeforeTheHeadIsNoResponse() {
    NoHttpResponseException told =
        assertThrows(
            NoHttpResponseException.class, () -> ApacheFailures.throwBeforeHead(closed, "peer"));
    assertSame(closed, told.getCause());
  }

  // ---- the socket, when it is written to, with a bare IOException -----------------------------

  @Test
  void aResetWhileTlsBeginsIsOfTheSocket() {
    IOException reset = new IOException("Connection reset by peer");
    IOException told = ApacheFailures.whileConnecting(reset);
    assertSame(SocketException.class, told.getClass());
    assertEquals(reset.getMessage(), told.getMessage());
    assertSame(reset, told.getCause());
  }

  // ---- a server that says what is no HTTP, while it is being written to ----------------------

  @Test
  void whatIsNoHttpIsNoResponseInBodyToo() {
    ParseException garbage = new ParseException("Invalid protocol version");
    ApacheFailures.NoStatusLine found = new ApacheFailures.NoStatusLine(garbage);
    IOException told = ApacheFailures.inBody(found);
    assertSame(NoHttpResponseException.class, told.getClass());
    assertSame(found, told.getCause());
    assertSame(garbage, found.getCause());
  }

  @Test
  void aDefectOfAHeadIsAProtocolErrorInBodyToo() {
    ParseException defect = new ParseException("Invalid header");
    IOException told = ApacheFailures.inBody(defect);
    assertSame(ClientProtocolException.class, told.getClass());
    assertSame(defect, told.getCause());
  }

  // ---- HTTP/2, in the middle of a frame, with a corrupt frame ---------------------------------

  @Test
  void theMiddleOfAFrameBeforeTheHeadIsNoResponse() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, (on, stream, end) -> on.closeInFrame(stream))) {
      assertThrows(
          NoHttpResponseException.class,
          () -> client.execute(new HttpGet(peer.uri()), response -> response.getCode()));
    }
  }

  @Test
  void theMiddleOfAFrameInBodyIsAClosedConnection() throws Exception {
    Http2Peer.Behaviour cuts =
        (on, stream, end) -> {
          on.answerHead(stream, 200);
          on.closeInFrame(stream);
        };
    try (Http2Peer peer = new Http2Peer(100, cuts);
        ClassicHttpResponse response = client.executeOpen(null, new HttpGet(peer.uri()), null)) {
      assertThrows(
          ConnectionClosedException.class, () -> response.getEntity().getContent().readAllBytes());
    }
  }

  /**
   * After a GOAWAY with an error the engine drops its streams, and takes the next frame of one of
   * them for an error of the server's: a request that still waited for a stream was told that.
   */
  @Test
  void whoWaitsForAStreamHearsOfTheServersError() throws Exception {
    try (Http2Peer peer = new Http2Peer(100, (on, stream, end) -> on.answerHead(stream, 200));
        ClassicHttpResponse first = client.executeOpen(null, new HttpGet(peer.uri()), null)) {
      CountDownLatch held = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      hold(peer, held, goOn);
      held.await();
      Http2Peer.Connection on = peer.connections.get(0);
      on.goAway(1, H2Error.INTERNAL_ERROR.getCode());
      on.data(1, 100, false);
      CompletableFuture<IOException> thrown = new CompletableFuture<>();
      Thread caller =
          Thread.ofVirtual()
              .start(
                  () ->
                      thrown.complete(
                          assertThrows(
                              IOException.class, () -> client.execute(post(peer), response -> 0))));
      Threads.awaitParked("the request waits", caller);
      goOn.countDown();
      IOException told = thrown.get(20, TimeUnit.SECONDS);
      assertEquals(
          H2Error.INTERNAL_ERROR.getCode(),
          assertInstanceOf(H2StreamResetException.class, told).getCode());
      assertEquals(1, peer.requests());
      assertThrows(
          H2StreamResetException.class, () -> first.getEntity().getContent().readAllBytes());
    }
  }

  /** Keeps the I/O thread of the connection from its work, within the frame that it reads. */
  private void hold(Http2Peer peer, CountDownLatch held, CountDownLatch goOn) throws Exception {
    Exchange<Boolean> check =
        new Exchange<>(
            late -> {
              held.countDown();
              try {
                goOn.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    check.cancel();
    ApacheClient.withConnection(manager, peer.uri(), connection -> connection.checkAlive(check));
  }
}
