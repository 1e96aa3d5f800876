package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrowsExactly;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import io.heddle.core.RequestBodyPipe;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.RequestBuilder;
import org.asynchttpclient.request.body.Body.BodyState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The read timeout does not count while the writer of a body is waited for, and only then. It ended
 * the call of a source that was slow, as long as its bytes waited to go out together; and it never
 * came once the writer had ended, though the server had not taken all.
 */
@Timeout(60)
class AwaitedWriterTest {

  @Test
  void untilItSignalsOrEnds() throws Exception {
    try (BlockingAhcClient client = new BlockingAhcClient()) {
      Request post = Dsl.post("http://127.0.0.1/").setBody(new WrittenBody(out -> {})).build();
      WholeExchange exchange =
          new WholeExchange(
              client, post, client.lanes().enter(post, Deadline.none(), turn -> {}, CallEvent.OFF));
      BodyAttempt attempt = Objects.requireNonNull(exchange.requestBody()).attempt();
      RequestBodyPipe pipe = attempt.pipe();
      ByteBuf out = Unpooled.buffer(10);
      assertFalse(exchange.isWaitingForCaller(), "the engine has not asked");
      assertEquals(BodyState.SUSPEND, attempt.transferTo(out));
      assertTrue(exchange.isWaitingForCaller());
      pipe.write(new byte[10], 0, 10, Deadline.none());
      assertTrue(exchange.isWaitingForCaller(), "the engine has not heard of it");
      pipe.flush();
      assertFalse(exchange.isWaitingForCaller());
      assertEquals(BodyState.CONTINUE, attempt.transferTo(out));
      assertTrue(exchange.isWaitingForCaller());
      pipe.finish();
      assertFalse(exchange.isWaitingForCaller(), "the server has to take the rest");
      exchange.abort();
    }
  }

  /**
   * The server has answered, and takes no more of the body: its writer goes, and its reader waits.
   */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "H2C"})
  void serverThatGoesOnWithoutAWriter(Wire wire) throws Exception {
    try (FaultServer server = FaultServer.start(wire);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setHttp2CleartextEnabled(wire == Wire.H2C)
                    .setReadTimeout(Duration.ofSeconds(1))
                    .setRequestTimeout(Duration.ofSeconds(10))
                    .build())) {
      URI uri = server.uri(Script.answer(413).body(100).around().take(1_000_000));
      WrittenBody upload =
          new WrittenBody(
              out -> {
                out.write(new byte[1_000]);
                out.flush();
                while (server.seen(uri).isEmpty()) {
                  LockSupport.parkNanos(1_000_000); // so that the engine has waited for more
                }
                out.write(new byte[20_000_000]);
              });
      Request post = new RequestBuilder("POST").setUrl(uri.toString()).setBody(upload).build();
      try (StreamingResponse response = client.stream(post)) {
        assertEquals(413, response.getStatusCode());
        server.seen(uri).get(0).readOn(); // too late: the writer has gone
        assertThrowsExactly(
            SocketTimeoutException.class, () -> response.getBodyAsStream().readAllBytes());
      }
    }
  }
}
