package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.RequestBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A caller that reads late leaves nothing behind: no deaf connection, no task on a clock. */
@Timeout(60)
class LateReaderTest {

  private static DefaultAsyncHttpClientConfig.Builder config() {
    return Dsl.config().setHttp2Enabled(false).setRequestTimeout(Duration.ofSeconds(30));
  }

  /** The last bytes fill what may wait; the connection, back in its pool, hears of its end. */
  @Test
  void connectionHearsTheEndAfterABodyThatFilledTheWindow() throws Exception {
    CompletableFuture<Channel> connection = new CompletableFuture<>();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingAhcClient client =
            new BlockingAhcClient(
                config().setHttpAdditionalChannelInitializer(connection::complete).build())) {
      URI uri = server.uri(Script.ok().body(AhcResponseBody.WINDOW));
      try (StreamingResponse response = client.stream(Dsl.get(uri.toString()).build())) {
        InputStream body = response.getBodyAsStream();
        while (client.inFlight() > 0) { // until all of it is here
          Thread.sleep(5);
        }
        assertEquals(AhcResponseBody.WINDOW, body.readAllBytes().length);
      }
      while (client.getClientStats().getTotalIdleConnectionCount() == 0) {
        Thread.sleep(5);
      }
      assertTrue(connection.get().config().isAutoRead()); // without it some transports are deaf
      server.closeConnections();
      long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      while (client.getClientStats().getTotalIdleConnectionCount() > 0) {
        assertTrue(System.nanoTime() < end, "the pool still has the connection that ended");
        Thread.sleep(5);
      }
    }
  }

  /** The read timeout does not count while the caller is waited for: by one task, not by many. */
  @Test
  void noTaskIsLeftBehind() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1);
        BlockingAhcClient client = new BlockingAhcClient(config().setIoThreadsCount(1).build())) {
      URI down = server.uri(Script.ok().body(32 << 20));
      try (StreamingResponse response = client.stream(Dsl.get(down.toString()).build())) {
        assertEquals(32 << 20, response.getBodyAsStream().readAllBytes().length);
      }
      WrittenBody pieces =
          new WrittenBody(
              out -> {
                for (int i = 0; i < 500; i++) {
                  out.write(new byte[100]);
                  out.flush();
                }
              });
      URI up = server.uri(Script.ok());
      client.execute(new RequestBuilder("POST").setUrl(up.toString()).setBody(pieces).build());
      EventLoop loop = client.engine().client().getEventLoopGroup().next();
      assertEquals(List.of(), scheduled(loop).stream().limit(3).toList());
    }
  }

  private static List<Object> scheduled(EventLoop loop) throws Exception {
    Field tasks = AbstractScheduledEventExecutor.class.getDeclaredField("scheduledTaskQueue");
    tasks.setAccessible(true);
    CompletableFuture<List<Object>> found = new CompletableFuture<>();
    loop.execute(
        () -> {
          try {
            Collection<?> queue = (Collection<?>) tasks.get(loop);
            found.complete(queue == null ? List.of() : List.copyOf(queue));
          } catch (ReflectiveOperationException e) {
            found.completeExceptionally(e);
          }
        });
    return found.get();
  }
}
