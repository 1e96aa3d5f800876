package io.heddle.ahc;

import static org.asynchttpclient.netty.channel.Http2ConnectionState.HTTP2_STATE_KEY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.URI;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.asynchttpclient.AsyncCompletionHandlerBase;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.Http2ConnectionState;
import org.asynchttpclient.netty.request.NettyRequestSender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What comes of those who have ended by the time that they get a stream. */
@Timeout(60)
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

  /** The engine opened its stream, could not write to it, and logged that as an error. */
  @Test
  void callThatIsGivenUpJustBeforeItsStreamOpens() throws Exception {
    BlockingQueue<Channel> connections = new LinkedBlockingQueue<>();
    Logged logged = new Logged();
    Logger sender = Logger.getLogger(NettyRequestSender.class.getName());
    sender.addHandler(logged);
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setHttp2CleartextEnabled(true)
                    .setHttpAdditionalChannelInitializer(connections::add)
                    .build())) {
      Request get = Dsl.get(server.uri(Script.ok()).toString()).build();
      client.execute(get);
      HeldLoop loop = new HeldLoop(connections.take().eventLoop(), () -> {});
      URI uri = server.uri(Script.ok());
      AhcCall call = client.newCall(Dsl.post(uri.toString()).setBody(new byte[100]).build());
      FutureTask<Response> caller = new FutureTask<>(call::execute);
      Thread.ofVirtual().start(caller);
      loop.awaitTasks(1);
      call.cancel();
      loop.goOn();
      assertThrows(ExecutionException.class, caller::get);
      client.execute(get);
      assertEquals(List.of(), server.seen(uri));
    } finally {
      sender.removeHandler(logged);
    }
    assertEquals(List.of(), List.copyOf(logged.errors));
  }

  private static final class Logged extends Handler {
    final Queue<String> errors = new ConcurrentLinkedQueue<>();

    @Override
    public void publish(LogRecord each) {
      if (each.getLevel().equals(Level.SEVERE)) {
        errors.add(each.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
