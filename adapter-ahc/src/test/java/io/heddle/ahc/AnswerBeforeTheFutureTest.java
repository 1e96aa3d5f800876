package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A thread that starts a request over HTTP/2 loses its processor just when it has handed it to the
 * event loop. The answer was there before the future was, and a stream without gate and without
 * memory of its redirect: "HTTP/2 stream channel closed unexpectedly".
 */
@Timeout(60)
class AnswerBeforeTheFutureTest {

  private static final long LOST_NANOS = 100_000_000;

  /** Event loops of which each caller is slow to come back; of the kind that AHC takes. */
  @SuppressWarnings("deprecation")
  static final class SlowToReturn extends NioEventLoopGroup {
    volatile boolean slow;
    volatile @Nullable Thread victim; // gets no processor any more
    final AtomicInteger stepsLeft = new AtomicInteger();
    final CountDownLatch goOn = new CountDownLatch(1);

    SlowToReturn() {
      super(1, new DefaultThreadFactory("slow-to-return"));
    }

    @Override
    protected IoEventLoop newChild(
        Executor executor, IoHandlerFactory ioHandlerFactory, Object... args) {
      return new SingleThreadIoEventLoop(this, executor, ioHandlerFactory) {
        @Override
        public void execute(Runnable task) {
          super.execute(task);
          if (inEventLoop()) {
            return;
          }
          if (Thread.currentThread().equals(victim) && stepsLeft.decrementAndGet() == 0) {
            await(goOn);
          }
          if (slow) {
            LockSupport.parkNanos(LOST_NANOS);
          }
        }
      };
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @FunctionalInterface
  private interface Check {
    void run(BlockingAhcClient client, FaultServer server) throws Exception;
  }

  private final SlowToReturn loops = new SlowToReturn();

  private void withSlowCaller(Check check) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setEventLoopGroup(loops)
                    .setHttp2CleartextEnabled(true)
                    .setFollowRedirect(true)
                    .build())) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      loops.slow = true;
      check.run(client, server);
    } finally {
      loops.slow = false;
      loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @Test
  void redirectOfPost() throws Exception {
    withSlowCaller(
        (client, server) -> {
          for (int status : new int[] {307, 308}) {
            URI target = server.uri(Script.ok().body(100));
            URI uri = server.uri(Script.answer(status).header("Location", target.toString()));
            Request post = Dsl.post(uri.toString()).setBody(new byte[100_000]).build();
            Response response = client.execute(post);
            assertEquals(200, response.getStatusCode());
            assertEquals(100, response.getResponseBodyAsBytes().length);
            assertEquals(100_000, server.seen(target).get(0).bodyBytes());
          }
        });
  }

  /** Its gate was the connection's then, and a body that nobody reads stopped all others. */
  @Test
  void unreadBodyHarmsNoSibling() throws Exception {
    withSlowCaller(
        (client, server) -> {
          Request large = Dsl.get(server.uri(Script.ok().body(5_000_000)).toString()).build();
          try (StreamingResponse unread = client.stream(large)) {
            assertEquals(200, unread.getStatusCode());
            Request other = Dsl.get(server.uri(Script.ok()).toString()).build();
            assertEquals(200, client.execute(other, Duration.ofSeconds(10)).getStatusCode());
          }
        });
  }

  /** The connection was not read until that thread had run again. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void oneThatDoesNotComeBackStopsNoSibling(int step) throws Exception {
    withSlowCaller(
        (client, server) -> {
          Request request = Dsl.get(server.uri(Script.ok()).toString()).build();
          FutureTask<Integer> call =
              new FutureTask<>(() -> client.execute(request).getStatusCode());
          Thread victim = Thread.ofVirtual().unstarted(call);
          loops.victim = victim;
          loops.stepsLeft.set(step);
          victim.start();
          while (!call.isDone() && loops.stepsLeft.get() > 0) { // there may be one step only
            Thread.sleep(1);
          }
          Request other = Dsl.get(server.uri(Script.ok()).toString()).build();
          for (int i = 0; i < 3; i++) {
            assertEquals(200, client.execute(other, Duration.ofSeconds(10)).getStatusCode());
          }
          loops.goOn.countDown();
          assertEquals(200, call.get());
        });
  }

  /** The redirect wants the body anew before anybody has begun to write it: it is written once. */
  @Test
  void redirectBeforeTheBodyIsWritten() throws Exception {
    withSlowCaller(
        (client, server) -> {
          URI target = server.uri(Script.ok());
          URI uri = server.uri(Script.answer(307).header("Location", target.toString()).early());
          InputStream once =
              new FilterInputStream(new ByteArrayInputStream(new byte[100_000])) {
                @Override
                public boolean markSupported() {
                  return false;
                }
              };
          Request post = Dsl.post(uri.toString()).setBody(once).build();
          assertEquals(200, client.execute(post).getStatusCode());
          assertEquals(100_000, server.seen(target).get(0).bodyBytes());
        });
  }
}
