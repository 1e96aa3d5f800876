package io.heddle.ahc;

import static org.asynchttpclient.netty.channel.Http2ConnectionState.HTTP2_STATE_KEY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.CancellationException;
import org.asynchttpclient.AsyncCompletionHandlerBase;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.Http2ConnectionState;
import org.junit.jupiter.api.Test;

/** What comes of those who wait for a stream in AHC's own queue. */
class Http2OpeningsTest {

  private static final int WAITERS = 5_000;

  private static NettyResponseFuture<?> ended() {
    Request request = Dsl.get("http://127.0.0.1/").build();
    AsyncCompletionHandlerBase handler = new AsyncCompletionHandlerBase();
    NettyResponseFuture<?> future =
        new NettyResponseFuture<>(request, handler, null, 0, (uri, host, proxy) -> uri, null, null);
    future.abort(new CancellationException("before it had a stream"));
    return future;
  }

  /** Each leaves its place to the next; one within the other they overflowed the stack. */
  @Test
  void thousandsWhoHaveEndedByTheTimeThatTheyGetTheirPlace() {
    EmbeddedChannel connection = new EmbeddedChannel();
    Http2ConnectionState engines = new Http2ConnectionState();
    engines.updateMaxConcurrentStreams(1);
    assertTrue(engines.tryAcquireStream());
    connection.attr(HTTP2_STATE_KEY).set(engines);
    Http2Openings.watch(connection);
    Http2ConnectionState openings = connection.attr(HTTP2_STATE_KEY).get();
    for (int i = 0; i < WAITERS; i++) {
      assertTrue(openings.offerPendingOpener(ended(), () -> fail("a stream for nobody")));
    }
    openings.releaseStream();
    connection.runPendingTasks();
    assertEquals(0, engines.getActiveStreams(), "places taken");
  }
}
