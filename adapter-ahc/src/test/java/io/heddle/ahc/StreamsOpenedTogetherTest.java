package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2FrameCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each request over HTTP/2 was written to the socket by itself, many at a time too. */
@Timeout(60)
class StreamsOpenedTogetherTest {

  private static final int CALLS = 20;

  private final BlockingQueue<Channel> connections = new LinkedBlockingQueue<>();

  /** How many streams are open when the connection is flushed. */
  private static final class Flushes extends ChannelOutboundHandlerAdapter {
    private final BlockingQueue<Integer> streams = new LinkedBlockingQueue<>();

    @Override
    public void flush(ChannelHandlerContext ctx) {
      streams.add(
          ctx.pipeline().get(Http2FrameCodec.class).connection().local().numActiveStreams());
      ctx.flush();
    }
  }

  @Test
  void leaveWithOneWrite() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setHttp2CleartextEnabled(true)
                    .setHttpAdditionalChannelInitializer(connections::add)
                    .build())) {
      Request request = Dsl.get(server.uri(Script.ok()).toString()).build();
      client.execute(request);
      Channel connection = connections.take();
      Flushes flushes = new Flushes();
      HeldLoop loop =
          new HeldLoop(
              connection.eventLoop(), () -> connection.pipeline().addFirst("flushes", flushes));
      List<FutureTask<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        FutureTask<Integer> call = new FutureTask<>(() -> client.execute(request).getStatusCode());
        calls.add(call);
        Thread.ofVirtual().start(call);
      }
      loop.awaitTasks(CALLS);
      loop.goOn();
      for (FutureTask<Integer> each : calls) {
        assertEquals(200, each.get());
      }
      assertEquals(CALLS, flushes.streams.take(), "streams that are open with the first flush");
    }
  }
}
