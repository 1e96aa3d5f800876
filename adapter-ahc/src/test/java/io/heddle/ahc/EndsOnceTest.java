package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.core.CallEvent;
import io.heddle.core.Deadline;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.asynchttpclient.AsyncCompletionHandler;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.NettyResponseStatus;
import org.asynchttpclient.netty.request.NettyRequest;
import org.asynchttpclient.netty.request.body.NettyBody;
import org.asynchttpclient.request.body.Body;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Several ends of one exchange, in each order, without a network: the test is the engine here, so
 * that it decides what comes first.
 */
@Timeout(60)
class EndsOnceTest {

  private static final Request GET = Dsl.get("http://127.0.0.1:1/").build();

  private final BlockingAhcClient client = new BlockingAhcClient(Dsl.config().build());

  @AfterEach
  void nothingIsLeft() {
    assertEquals(0, client.inFlight());
    client.close();
  }

  private AhcLanes.Permit permit() throws Exception {
    return client.lanes().enter(GET, Deadline.none(), turn -> {}, CallEvent.OFF);
  }

  // ---- a handler is told its end once ---------------------------------------------------------

  /** Remembers what it is told. */
  private static final class Told extends AsyncCompletionHandler<String> {
    final ConcurrentLinkedQueue<Object> ends = new ConcurrentLinkedQueue<>();

    @Override
    public String onCompleted(Response response) {
      ends.add("completed");
      return "completed";
    }

    @Override
    public void onThrowable(Throwable t) {
      ends.add(t);
    }
  }

  /** An exchange that has not been handed to the engine, with its future and its handler. */
  private final class Begun {
    final Told told = new Told();
    final HandlerExchange<String> exchange;
    final HandlerFuture<String> future;

    Begun(CompletableFuture<String> outcome) throws Exception {
      future = new HandlerFuture<>(client, GET, told, outcome);
      exchange = future.exchange(permit());
    }
  }

  @Test
  void endsThatFollowAnotherAreNotTold() throws Exception {
    IOException first = new IOException("first");
    IOException late = new IOException("late");
    List<Ending> endings =
        List.of(
            begun -> begun.exchange.onThrowable(first),
            begun -> begun.exchange.onCompleted(),
            begun -> begun.exchange.close(first),
            begun -> begun.future.abort(first),
            begun -> begun.future.cancel(true));
    for (Ending ending : endings) {
      Begun begun = new Begun(new CompletableFuture<>());
      ending.end(begun);
      assertEquals(1, begun.told.ends.size());
      begun.exchange.onThrowable(late);
      begun.exchange.onCompleted();
      begun.exchange.close(late);
      begun.future.abort(late);
      begun.future.cancel(true);
      assertEquals(1, begun.told.ends.size(), () -> "told " + begun.told.ends);
    }
  }

  @FunctionalInterface
  private interface Ending {
    void end(Begun begun) throws Exception;
  }

  /** It had ended, but the future did not say so yet: neither of the two told the handler. */
  @Test
  void cancelledWhileItFails() throws Exception {
    Runnable[] between = {() -> {}};
    CompletableFuture<String> outcome =
        new CompletableFuture<>() {
          @Override
          public boolean completeExceptionally(Throwable failure) {
            between[0].run();
            return super.completeExceptionally(failure);
          }
        };
    Begun begun = new Begun(outcome);
    between[0] = () -> assertTrue(begun.future.cancel(true));
    begun.exchange.onThrowable(new IOException("the connection ended"));
    assertEquals(1, begun.told.ends.size());
  }

  /** The future is cancelled, and the exchange fails before it hears of that. */
  @Test
  void failsWhileItIsCancelled() throws Exception {
    Runnable[] between = {() -> {}};
    CompletableFuture<String> outcome =
        new CompletableFuture<>() {
          @Override
          public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            between[0].run();
            return cancelled;
          }
        };
    Begun begun = new Begun(outcome);
    between[0] = () -> begun.exchange.onThrowable(new IOException("the connection ended"));
    assertTrue(begun.future.cancel(true));
    assertEquals(1, begun.told.ends.size());
  }

  @Test
  void handlerThatFailsInItsEnd() throws Exception {
    Told told = new Told();
    AsyncCompletionHandler<String> failing =
        new AsyncCompletionHandler<>() {
          @Override
          public String onCompleted(Response response) {
            throw new IllegalStateException("no");
          }

          @Override
          public void onThrowable(Throwable t) {
            told.onThrowable(t);
          }
        };
    CompletableFuture<String> outcome = new CompletableFuture<>();
    HandlerExchange<String> exchange =
        new HandlerFuture<>(client, GET, failing, outcome).exchange(permit());
    IllegalStateException thrown = assertThrows(IllegalStateException.class, exchange::onCompleted);
    exchange.onThrowable(thrown); // as the engine does then
    assertEquals(List.of(thrown), List.copyOf(told.ends));
    assertEquals(thrown, assertThrows(ExecutionException.class, outcome::get).getCause());
  }

  // ---- cancel() and the head of a streamed response -------------------------------------------

  /**
   * Both at the same moment: whoever is first, the exchange is over then. A body that was missed by
   * both would go on, and its place be lost. Nothing can be put between the two, so they are tried
   * often.
   */
  @Test
  void cancelledWhenTheHeadComes() throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(5); // on a busy machine, less often
    for (int i = 0; i < 30_000 && System.nanoTime() - until < 0; i++) {
      StreamExchange exchange = new StreamExchange(client, GET, permit(), Deadline.none());
      exchange.onStatusReceived(
          new NettyResponseStatus(
              GET.getUri(),
              new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK),
              null));
      DefaultHttpHeaders fields = new DefaultHttpHeaders();
      AtomicInteger ready = new AtomicInteger();
      Thread engine =
          Thread.ofVirtual()
              .start(
                  () -> {
                    meet(ready);
                    exchange.onHeadersReceived(fields);
                  });
      meet(ready);
      exchange.cancel();
      engine.join();
      assertTrue(exchange.isOver(), "the cancel was lost, in round " + i);
    }
  }

  private static void meet(AtomicInteger ready) {
    ready.incrementAndGet();
    while (ready.get() < 2) {
      Thread.onSpinWait(); // for microseconds: one that parks comes too late for the race
    }
  }

  // ---- a body is not written twice ------------------------------------------------------------

  /** What a test knows of a source: how often it was begun, and by how many at a time. */
  private static final class Written {
    final AtomicInteger begun = new AtomicInteger();
    final AtomicInteger writing = new AtomicInteger();
    final AtomicInteger most = new AtomicInteger();
    final CountDownLatch first = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);

    AhcRequestBody body(WritableBody.Again again, AhcExchange<?> exchange) {
      return body(-1, again, exchange);
    }

    AhcRequestBody body(long length, WritableBody.Again again, AhcExchange<?> exchange) {
      WritableBody source =
          new WritableBody(
              length,
              again,
              null,
              out -> {
                begun.incrementAndGet();
                most.accumulateAndGet(writing.incrementAndGet(), Math::max);
                try {
                  first.countDown();
                  goOn.await();
                  if (length != 0) {
                    out.write(1);
                  }
                } catch (InterruptedException e) {
                  throw new IOException(e);
                } finally {
                  writing.decrementAndGet();
                }
              });
      return new AhcRequestBody(source, exchange);
    }
  }

  /** The engine logs as an error what is thrown when it is about to send. */
  @Test
  void givenUpBeforeItIsSent() throws Exception {
    WholeExchange exchange = new WholeExchange(client, GET, permit());
    EmbeddedChannel connection = new EmbeddedChannel();
    exchange.onConnectionPooled(connection);
    assertTrue(exchange.abort());
    Constructor<NettyRequest> maker =
        NettyRequest.class.getDeclaredConstructor(HttpRequest.class, NettyBody.class);
    maker.setAccessible(true);
    NettyRequest sent =
        maker.newInstance(
            new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"), null);
    exchange.onRequestSend(sent);
    assertFalse(sent.markHandedToChannel(), "the engine may write it");
    assertFalse(connection.isOpen(), "its connection is open, and nobody's");
  }

  /** AHC knows by then that its request has ended, and leaves the connection to nobody. */
  @Test
  void givenUpOnAConnectionOfThePool() throws Exception {
    WholeExchange exchange = new WholeExchange(client, GET, permit());
    EmbeddedChannel connection = new EmbeddedChannel();
    exchange.onConnectionPooled(connection);
    exchange
        .channel()
        .started(
            new NettyResponseFuture<>(
                GET, exchange, null, 0, GET.getChannelPoolPartitioning(), null, null));
    assertTrue(exchange.abort());
    assertFalse(connection.isOpen(), "its connection is open, and nobody's");
  }

  /** A redirect wants the body anew before its caller has begun: another thread writes it. */
  @Test
  void bodyWantedAnewBeforeItIsWritten() throws Exception {
    WholeExchange exchange = new WholeExchange(client, GET, permit());
    Written written = new Written();
    AhcRequestBody body = written.body(WritableBody.Again.NEVER, exchange);
    body.createBody().transferTo(Unpooled.buffer());
    body.createBody();
    written.first.await();
    written.goOn.countDown();
    body.write(Deadline.none());
    assertEquals(1, written.begun.get());
    assertTrue(exchange.abort());
  }

  /** What has been written, and has not begun to leave, goes with the next attempt, once. */
  @Test
  void bodyThatHasNotBegunToLeave() throws Exception {
    WholeExchange exchange = new WholeExchange(client, GET, permit());
    Written written = new Written();
    AhcRequestBody body = written.body(WritableBody.Again.NEVER, exchange);
    Body before = body.createBody();
    written.goOn.countDown();
    body.write(Deadline.none());
    Body next = body.createBody();
    ByteBuf received = Unpooled.buffer();
    assertThrows(IOException.class, () -> before.transferTo(received));
    assertEquals(Body.BodyState.STOP, next.transferTo(received));
    assertEquals(1, received.readableBytes());
    assertEquals(1, written.begun.get());
    assertTrue(exchange.abort());
  }

  /** Those that wait for the one before them look again whether theirs is still wanted. */
  @Test
  void bodyWantedAnewTwiceWhileItIsWritten() throws Exception {
    WholeExchange exchange = new WholeExchange(client, GET, permit());
    Written written = new Written();
    AhcRequestBody body = written.body(WritableBody.Again.ALWAYS, exchange);
    body.createBody().transferTo(Unpooled.buffer());
    body.writeElsewhere();
    written.first.await();
    body.createBody().transferTo(Unpooled.buffer());
    Thread.sleep(100); // the second waits for the first by now; if not, this proves less
    Body last = body.createBody();
    written.goOn.countDown();
    ByteBuf received = Unpooled.buffer();
    while (last.transferTo(received) != Body.BodyState.STOP) {
      Thread.sleep(5);
    }
    assertEquals(1, received.readableBytes());
    assertEquals(1, written.most.get(), "at a time");
    assertEquals(2, written.begun.get(), "the one in the middle was not wanted any more");
    assertTrue(exchange.abort());
  }

  /** The first has waited for the second, and given up; the third still waits for that. */
  @Test
  void bodyWantedAnewAfterItsCallerHasGivenUp() throws Exception {
    WholeExchange exchange = new WholeExchange(client, GET, permit());
    Written written = new Written();
    // Of no bytes: then each attempt asks the source, wanted or not.
    AhcRequestBody body = written.body(0, WritableBody.Again.ALWAYS, exchange);
    body.createBody().transferTo(Unpooled.buffer());
    body.createBody().transferTo(Unpooled.buffer());
    written.first.await();
    Deadline soon = Deadline.after(Duration.ofMillis(50));
    assertThrows(TimeoutException.class, () -> body.write(soon));
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> body.write(Deadline.none()));
    body.createBody();
    Thread.sleep(100); // the third waits by now; if not, this proves less
    written.goOn.countDown();
    while (written.begun.get() < 2) {
      Thread.sleep(5);
    }
    assertEquals(1, written.most.get(), "at a time");
  }
}
