package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.DeadlineExceededException;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Wire;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.util.IllegalReferenceCountException;
import java.net.SocketException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import jdk.jfr.consumer.RecordingStream;
import org.asynchttpclient.AsyncCompletionHandler;
import org.asynchttpclient.AsyncCompletionHandlerBase;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.ListenableFuture;
import org.asynchttpclient.Request;
import org.asynchttpclient.Response;
import org.asynchttpclient.netty.request.NettyRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the server says it did not process goes again, however often it says so. */
@Timeout(90)
class RefusedTest {

  private final BlockingQueue<Channel> connections = new LinkedBlockingQueue<>();

  private BlockingAhcClient client() {
    return new BlockingAhcClient(
        Dsl.config()
            .setHttp2CleartextEnabled(true)
            .setHttpAdditionalChannelInitializer(connections::add)
            .setRequestTimeout(Duration.ofSeconds(60))
            .build());
  }

  /** Each connection says good-bye after a few calls, to callers that are many more. */
  @Test
  void sixtyCallersOfAServerThatLeavesAgainAndAgain() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      List<Thread> callers = new ArrayList<>();
      List<FutureTask<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 4; k++) {
          Script script = k == 1 ? Script.ok().fault(Fault.GOAWAY).once() : Script.ok();
          Request request = Dsl.get(server.uri(script).toString()).build();
          calls.add(new FutureTask<>(() -> client.execute(request).getStatusCode()));
        }
        List<FutureTask<Integer>> mine = List.copyOf(calls.subList(4 * i, 4 * i + 4));
        callers.add(Thread.ofVirtual().start(() -> mine.forEach(FutureTask::run)));
      }
      for (FutureTask<Integer> each : calls) {
        assertEquals(200, each.get());
      }
      for (Thread each : callers) {
        each.join();
      }
      assertEquals(0, client.inFlight());
    }
  }

  /** Also where it is the request that a redirect leads to. */
  @Test
  void redirectedCalls() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config().setHttp2CleartextEnabled(true).setFollowRedirect(true).build())) {
      for (Fault each : List.of(Fault.STREAM_REFUSED, Fault.GOAWAY)) {
        URI target = server.uri(Script.ok().fault(each).once());
        Script redirect = Script.answer(302).header("Location", target.toString());
        Request request = Dsl.get(server.uri(redirect).toString()).build();
        assertEquals(200, client.execute(request).getStatusCode());
        assertEquals(2, server.seen(target).size(), "times sent");
      }
    }
  }

  /** AHC's timer is late: the refusal comes first, and there is no time to go again. */
  @Test
  void refusedWhenItsTimeIsOver() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      Duration timeout = Duration.ofMillis(150);
      Script late = Script.ok().delay(timeout.plusMillis(5)).fault(Fault.STREAM_REFUSED);
      Request request = Dsl.get(server.uri(late).toString()).setRequestTimeout(timeout).build();
      assertThrows(DeadlineExceededException.class, () -> client.execute(request));
    }
  }

  /** A future goes again as well. */
  @Test
  void futures() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      List<ListenableFuture<Response>> futures = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        URI uri = server.uri(Script.ok().fault(Fault.GOAWAY).once());
        futures.add(client.prepareGet(uri.toString()).execute());
      }
      for (ListenableFuture<Response> each : futures) {
        assertEquals(200, each.get().getStatusCode());
      }
    }
  }

  /** A hook that throws an Error as it goes again: the future heard of nothing. */
  @Test
  void errorOfAHook() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      AssertionError thrown = new AssertionError("no");
      BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();
      URI uri = server.uri(Script.ok().fault(Fault.STREAM_REFUSED).once());
      ListenableFuture<Response> future =
          client.executeRequest(
              Dsl.get(uri.toString()).build(),
              new AsyncCompletionHandlerBase() {
                @Override
                public void onRetry() {
                  throw thrown;
                }

                @Override
                public void onThrowable(Throwable failure) {
                  told.add(failure);
                }
              });
      ExecutionException failure =
          assertThrows(ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS));
      assertEquals(thrown, failure.getCause());
      assertEquals(thrown, told.take());
    }
  }

  /** It waited on for its place, though nobody wanted it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cancelledWhileItWaitsToGoAgain(boolean byClose) throws Exception {
    List<String> ends = new CopyOnWriteArrayList<>();
    try (RecordingStream calls = new RecordingStream()) {
      calls.enable("io.heddle.Call").withThreshold(Duration.ZERO);
      calls.onEvent("io.heddle.Call", each -> ends.add(each.getString("ended")));
      calls.startAsync();
      cancelWhileItWaitsToGoAgain(byClose);
      calls.stop();
    }
    assertEquals(2, ends.stream().filter("cancelled"::equals).count(), () -> "ends " + ends);
  }

  @SuppressWarnings("try") // close() is what is tested
  private void cancelWhileItWaitsToGoAgain(boolean byClose) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      server.maxStreams(1);
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      CountDownLatch refused = new CountDownLatch(1);
      CountDownLatch full = new CountDownLatch(1);
      BlockingQueue<Throwable> told = new LinkedBlockingQueue<>();
      URI uri = server.uri(Script.ok().fault(Fault.STREAM_REFUSED).once());
      ListenableFuture<Response> future =
          client.executeRequest(
              Dsl.get(uri.toString()).build(),
              new AsyncCompletionHandlerBase() {
                @Override
                public void onRetry() {
                  refused.countDown();
                  try {
                    full.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                }

                @Override
                public void onThrowable(Throwable failure) {
                  told.add(failure);
                }
              });
      refused.await();
      URI stalled = server.uri(Script.ok().fault(Fault.STALL));
      ListenableFuture<Response> other = client.executeRequest(Dsl.get(stalled.toString()).build());
      while (server.seen(stalled).isEmpty()) {
        Thread.sleep(5);
      }
      full.countDown();
      while (client.waiting() == 0) {
        Thread.sleep(5);
      }
      if (byClose) {
        client.close();
      } else {
        assertTrue(future.cancel(true));
      }
      Class<?> expected = byClose ? SocketException.class : CancellationException.class;
      assertInstanceOf(expected, told.poll(30, TimeUnit.SECONDS));
      assertEquals(0, client.waiting());
      other.cancel(true);
    }
  }

  /**
   * GOAWAY is read between the engine's look at the connection and the opening of the stream. The
   * codec then refuses the head, and the engine says no more than that the stream was closed.
   */
  @Test
  void goAwayJustBeforeTheStreamOpens() throws Exception {
    byte[] goAway = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}; // the last stream is 1
    assertGoesAgainAfter(
        connection -> connection.pipeline().fireChannelRead(Unpooled.wrappedBuffer(goAway)));
  }

  @Test
  @SuppressWarnings("FutureReturnValueIgnored") // the event loop does it at once
  void endJustBeforeTheStreamOpens() throws Exception {
    assertGoesAgainAfter(Channel::close);
  }

  /** AHC then writes a buffer that it has let go of with the stream, and tells of that alone. */
  @Test
  @SuppressWarnings("FutureReturnValueIgnored") // the event loop does it at once
  void endJustBeforeTheHead() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      URI uri = server.uri(Script.ok());
      AtomicBoolean closed = new AtomicBoolean();
      AsyncCompletionHandler<Integer> closes =
          new AsyncCompletionHandler<>() {
            @Override
            public void onRequestSend(NettyRequest request) {
              if (closed.compareAndSet(false, true)) {
                connections.remove().close();
              }
            }

            @Override
            public Integer onCompleted(Response response) {
              return response.getStatusCode();
            }
          };
      Request post = Dsl.post(uri.toString()).setBody(new byte[100]).build();
      assertEquals(200, client.executeRequest(post, closes).get());
      assertEquals(1, server.seen(uri).size(), "times sent");
    }
  }

  /** A hook that throws what AHC tells of such an end: that is the user's failure, sent once. */
  @Test
  void exceptionOfAHookThatLooksLikeSuchAnEnd() throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      AtomicInteger asked = new AtomicInteger();
      IllegalReferenceCountException thrown = new IllegalReferenceCountException("the hook's own");
      ListenableFuture<Response> future =
          client.executeRequest(
              Dsl.post(server.uri(Script.ok()).toString()).setBody(new byte[100]).build(),
              new AsyncCompletionHandlerBase() {
                @Override
                public void onRequestSend(NettyRequest request) {
                  asked.incrementAndGet();
                  throw thrown;
                }
              });
      ExecutionException failure =
          assertThrows(ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS));
      assertEquals(thrown, failure.getCause());
      assertEquals(1, asked.get(), "times begun");
    }
  }

  /**
   * A redirect has led to a server of which nothing else is known, and fills its only stream: the
   * first call that goes there by itself is queued in AHC, which refuses it at GOAWAY. Those who
   * wait for what it finds out failed with it, though it goes again.
   */
  @Test
  void thoseWhoWaitForACallThatIsRefused() throws Exception {
    try (FaultServer other = FaultServer.start(Wire.H2C);
        FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client =
            new BlockingAhcClient(
                Dsl.config()
                    .setHttp2CleartextEnabled(true)
                    .setFollowRedirect(true)
                    .setRequestTimeout(Duration.ofSeconds(60))
                    .build())) {
      server.maxStreams(1);
      URI stalled = server.uri(Script.ok().body(2_000).fault(Fault.STALL, 1_000));
      Script redirect = Script.answer(302).header("Location", stalled.toString());
      Request first = Dsl.get(other.uri(redirect).toString()).build();
      try (StreamingResponse fills = client.stream(first)) {
        assertEquals(200, fills.getStatusCode());
        Request get = Dsl.get(server.uri(Script.ok()).toString()).build();
        ListenableFuture<Response> queued = client.executeRequest(get);
        List<FutureTask<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          waiting.add(new FutureTask<>(() -> client.execute(get).getStatusCode()));
        }
        waiting.forEach(each -> Thread.ofVirtual().start(each));
        while (client.waiting() < waiting.size()) {
          Thread.sleep(1);
        }
        server.closeConnections(); // with GOAWAY, as the stream is not over
        assertEquals(200, queued.get().getStatusCode());
        for (FutureTask<Integer> each : waiting) {
          assertEquals(200, each.get());
        }
      }
    }
  }

  private void assertGoesAgainAfter(Consumer<Channel> event) throws Exception {
    try (FaultServer server = FaultServer.start(Wire.H2C);
        BlockingAhcClient client = client()) {
      client.execute(Dsl.get(server.uri(Script.ok()).toString()).build());
      Channel connection = connections.take();
      HeldLoop loop = new HeldLoop(connection.eventLoop(), () -> event.accept(connection));
      URI uri = server.uri(Script.ok());
      Request post = Dsl.post(uri.toString()).setBody(new byte[100]).build();
      FutureTask<Integer> call = new FutureTask<>(() -> client.execute(post).getStatusCode());
      Thread.ofVirtual().start(call);
      loop.awaitTasks(1);
      loop.goOn();
      assertEquals(200, call.get());
      assertEquals(1, server.seen(uri).size(), "times sent");
      assertEquals(2, server.connectionsAccepted());
    }
  }
}
