package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.io.EofException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connection of HTTP/2 ends as a request is on its way to be written: Jetty drops its head. On a
 * new connection a call was seen to fail with that, though nothing of it was sent. Here it is the
 * test that tells of it, once.
 */
@Timeout(60)
class DroppedHeadTest {

  private final BlockingJettyClient client =
      new BlockingJettyClient(JettyClient.transport(Wire.H2C));
  private final AtomicInteger drops = new AtomicInteger(1);
  private FaultServer server;

  @BeforeEach
  void start() throws Exception {
    server = FaultServer.start(Wire.H2C);
    client.start();
  }

  @AfterEach
  void stop() throws Exception {
    client.stop();
    server.close();
  }

  private Request post() {
    Request post =
        client
            .newRequest(server.uri(Script.ok()))
            .method(HttpMethod.POST)
            .timeout(20, TimeUnit.SECONDS);
    for (HTTP2Client each : client.getContainedBeans(HTTP2Client.class)) {
      each.addEventListener(
          new HTTP2Session.FrameListener() {
            @Override
            public void onIncomingFrame(Session session, Frame frame) { // before Jetty heeds it
              if (frame instanceof HeadersFrame && drops.getAndDecrement() > 0) {
                JettyExchange.unheeded(post.abort(dropped()));
              }
            }
          });
    }
    return post;
  }

  static EofException dropped() {
    EofException dropped = new EofException("dropped");
    dropped.setStackTrace(
        new StackTraceElement[] {
          new StackTraceElement("org.eclipse.jetty.http2.internal.HTTP2Flusher", "process", null, 1)
        });
    return dropped;
  }

  @Test
  void aRequestThatIsAHeadAloneGoesAgain() throws Exception {
    assertEquals(200, post().send().getStatus());
  }

  /** Its head was dropped: Jetty tells the same if it is the body. */
  @Test
  void oneWhoseHeadHasNotGoneOutGoesAgain() throws Exception {
    client
        .getRequestListeners()
        .addHeadersListener(
            request -> {
              if (drops.getAndDecrement() > 0) {
                JettyExchange.unheeded(request.abort(dropped()));
              }
            });
    Request post =
        client
            .POST(server.uri(Script.ok()))
            .timeout(20, TimeUnit.SECONDS)
            .body(new BytesRequestContent(new byte[5]));
    assertEquals(200, post.send().getStatus());
    assertEquals(-1, drops.get());
  }

  @Test
  void oneWithABodyMayHaveBeenSent() {
    Request post = post().body(new BytesRequestContent(new byte[5]));
    ExecutionException thrown = assertThrows(ExecutionException.class, post::send);
    assertInstanceOf(EofException.class, thrown.getCause());
  }
}
