package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.ahc.AnswerBeforeTheFutureTest.SlowToReturn;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.asynchttpclient.AsyncCompletionHandlerBase;
import org.asynchttpclient.AsyncHandler;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.asynchttpclient.netty.channel.Http2ConnectionState;
import org.asynchttpclient.netty.request.NettyRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server that closes its connections of HTTP/2 loses no request that it has not looked at. Some
 * failed: "HTTP/2 stream channel closed unexpectedly".
 */
@Timeout(90)
class LeavingServerTest {

  private final BlockingQueue<Channel> connections = new LinkedBlockingQueue<>();

  /**
   * GOAWAY and the end are there before the thread that started the request has come back with the
   * future: the stream has nothing of ours yet that could hear of it.
   */
  @Test
  void goAwayBeforeTheFuture() throws Exception {
    SlowToReturn loops = new SlowToReturn();
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client(Dsl.config().setEventLoopGroup(loops))) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      Channel connection = connections.take();
      AtomicInteger sent = new AtomicInteger();
      AsyncHandler<Response> handler =
          new AsyncCompletionHandlerBase() {
            @Override
            public void onRequestSend(NettyRequest request) {
              if (sent.incrementAndGet() == 1) {
                connection.eventLoop().execute(() -> goAway(connection)); // once the head is out
              }
            }
          };
      loops.slow = true;
      Request post = Dsl.post(server.uri(Script.ok()).toString()).setBody(new byte[100]).build();
      assertEquals(200, client.executeRequest(post, handler).get().getStatusCode());
      assertEquals(2, sent.get());
    } finally {
      loops.slow = false;
      loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private static void goAway(Channel connection) {
    byte[] frame = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0}; // the last stream is 3
    connection.pipeline().fireChannelRead(Unpooled.wrappedBuffer(frame));
    connection.pipeline().firstContext().close();
  }

  /** Several callers meet a connection that the server closed while nobody used it. */
  @Test
  void idleConnectionThatHasEnded() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client(Dsl.config())) {
      URI uri = server.uri(Script.ok());
      client.execute(Dsl.get(uri.toString()).build());
      Channel connection = connections.take();
      HeldLoop loop = new HeldLoop(connection.eventLoop(), () -> {});
      server.closeConnections(); // which the client does not hear of yet
      List<FutureTask<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        Request get = Dsl.get(uri.toString()).build();
        calls.add(
            new FutureTask<>(() -> client.execute(get, Duration.ofSeconds(30)).getStatusCode()));
      }
      calls.forEach(each -> Thread.ofVirtual().start(each));
      loop.awaitTasks(calls.size());
      loop.goOn();
      for (FutureTask<Integer> each : calls) {
        assertEquals(200, each.get());
      }
    }
  }

  /** Nobody closed it, as the last stream still counted when AHC did. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void connectionThatGetsNoMoreCallsIsClosed(boolean redundant) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client(Dsl.config())) {
      URI uri = server.uri(Script.ok().fault(Fault.STALL));
      FutureTask<Integer> call =
          new FutureTask<>(() -> client.execute(Dsl.get(uri.toString()).build()).getStatusCode());
      Thread.ofVirtual().start(call);
      while (server.seen(uri).isEmpty()) {
        Thread.sleep(5);
      }
      Channel connection = connections.take();
      if (redundant) { // another was there first
        connection.attr(Http2ConnectionState.HTTP2_STATE_KEY).get().markRedundant();
      } else {
        byte[] frame = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0}; // this one goes on
        connection
            .eventLoop()
            .submit(() -> connection.pipeline().fireChannelRead(Unpooled.wrappedBuffer(frame)))
            .sync();
      }
      server.seen(uri).get(0).release();
      assertEquals(200, call.get());
      assertTrue(connection.closeFuture().await(30, TimeUnit.SECONDS), "closed");
    }
  }

  private BlockingAhcClient client(DefaultAsyncHttpClientConfig.Builder config) {
    return new BlockingAhcClient(
        config
            .setHttp2CleartextEnabled(true)
            .setHttpAdditionalChannelInitializer(connections::add)
            .setRequestTimeout(Duration.ofSeconds(60))
            .build());
  }
}
