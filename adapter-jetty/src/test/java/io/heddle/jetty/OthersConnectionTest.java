package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Script.Fault;
import io.heddle.conformance.Seen;
import io.heddle.conformance.Wire;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.client.HttpRequestException;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.transport.HttpConversation;
import org.eclipse.jetty.client.transport.HttpExchange;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.util.Promise;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A connection cannot be made, and Jetty goes through all that it saw queued and fails them. One of
 * them has found another connection by then: calls that were on their way failed with a connection
 * that they had nothing to do with.
 */
@Timeout(60)
class OthersConnectionTest {

  /** Each is for one connection. */
  private final BlockingQueue<Promise<List<InetSocketAddress>>> lookUps =
      new LinkedBlockingQueue<>();

  /** A client that connects once a look-up succeeds; not started. */
  private BlockingJettyClient askingForAddresses() {
    BlockingJettyClient client = new BlockingJettyClient();
    client.setSocketAddressResolver((host, port, context, addresses) -> lookUps.add(addresses));
    return client;
  }

  @Test
  void aCallThatHasFoundAnotherGoesOn() throws Exception {
    BlockingJettyClient client = askingForAddresses();
    client.start();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      CompletableFuture<Throwable> failure = new CompletableFuture<>();
      URI uri = server.uri("localhost", Script.ok().fault(Fault.STALL));
      URI first = server.uri("localhost", Script.ok());
      CompletableFuture<Promise<List<InetSocketAddress>>> other = new CompletableFuture<>();
      client
          .newRequest(first)
          .send(
              result -> { // while Jetty goes through those that it saw queued
                connect(other.join(), server, uri);
                failure.complete(result.getFailure());
              });
      Promise<List<InetSocketAddress>> failing = lookUps.take();
      FutureTask<Integer> call = start(client.newRequest(uri));
      other.complete(lookUps.take());
      failing.failed(new UnknownHostException("the first"));
      assertNotNull(failure.get());
      server.seen(uri).get(0).release();
      assertEquals(200, call.get());
    } finally {
      client.stop();
    }
  }

  /** It has failed with another attempt by then, and gone again. */
  @Test
  void norDoesOneThatHasGoneAgainFail() throws Exception {
    BlockingJettyClient client = askingForAddresses();
    client.start();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri("localhost", Script.ok().fault(Fault.STALL));
      CompletableFuture<Promise<List<InetSocketAddress>>> other = new CompletableFuture<>();
      client
          .newRequest(server.uri("localhost", Script.ok()))
          .send(
              result -> { // while Jetty goes through those that it saw queued
                other.join().failed(GoAwayAndEndTest.endOfConnection());
                await(() -> !lookUps.isEmpty());
                connect(lookUps.remove(), server, uri);
              });
      Promise<List<InetSocketAddress>> failing = lookUps.take();
      FutureTask<Integer> call = start(client.newRequest(uri));
      other.complete(lookUps.take());
      failing.failed(new UnknownHostException("the first"));
      server.seen(uri).get(0).release();
      assertEquals(200, call.get());
      assertEquals(1, server.seen(uri).size(), "times sent");
    } finally {
      client.stop();
    }
  }

  /** It finds another once Jetty has begun to abort it. */
  @Test
  void norDoesOneThatFindsAnotherRightThenFail() throws Exception {
    BlockingJettyClient client = askingForAddresses();
    client.start();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri("localhost", Script.ok().fault(Fault.STALL));
      CompletableFuture<Promise<List<InetSocketAddress>>> other = new CompletableFuture<>();
      HttpConversation conversation = abortedAfter(() -> connect(other.join(), server, uri));
      FutureTask<Integer> call = start(new JettyRequest(client, conversation, uri));
      Promise<List<InetSocketAddress>> failing = lookUps.take();
      client.newRequest(server.uri("localhost", Script.ok())).send(result -> {});
      other.complete(lookUps.take());
      failing.failed(new UnknownHostException("the first"));
      server.seen(uri).get(0).release();
      assertEquals(200, call.get());
      assertEquals(1, server.seen(uri).size(), "times sent");
    } finally {
      client.stop();
    }
  }

  /** It gets one as it is about to fail: it is not sent there, but as what goes again. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void norIsOneSentThatHasFailed(boolean again) throws Exception {
    BlockingJettyClient client = new BlockingJettyClient();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      AtomicInteger asked = new AtomicInteger();
      client.setSocketAddressResolver(
          (host, port, context, addresses) -> {
            if (asked.incrementAndGet() == 1) {
              lookUps.add(addresses);
            } else { // the first connection ends with what must not be sent on it
              addresses.succeeded(addressOf(server));
            }
          });
      client.start();
      URI uri = server.uri("localhost", Script.ok());
      JettyRequest request = new JettyRequest(client, new HttpConversation(), uri);
      FutureTask<Integer> call = start(request);
      await(() -> !lookUps.isEmpty());
      Exception why = again ? GoAwayAndEndTest.endOfConnection() : new UnknownHostException();
      assertTrue(request.turn().miss(why));
      lookUps.element().succeeded(addressOf(server));
      if (again) {
        assertEquals(200, call.get());
      } else {
        ExecutionException told = assertThrows(ExecutionException.class, call::get);
        assertTrue(told.toString().contains(UnknownHostException.class.getName()), told::toString);
      }
      assertEquals(again ? 1 : 0, server.seen(uri).size(), "times sent");
      assertEquals(again ? 2 : 1, asked.get(), "connections");
    } finally {
      client.stop();
    }
  }

  /** Whoever ends it may not have come to the sender when that is about to write. */
  @Test
  void whatHasMissedItsTurnIsNotWritten() {
    JettyRequest request =
        new JettyRequest(
            new BlockingJettyClient(), new HttpConversation(), URI.create("http://localhost/"));
    assertNull(request.getTrailersSupplier());
    assertTrue(request.turn().miss());
    assertThrows(HttpRequestException.class, request::getTrailersSupplier);
  }

  /** Its copy, which goes again, has found one: then nobody waits for a connection any longer. */
  @Test
  void norDoesOneThatHasAConnectionWaitForOne() throws Exception {
    BlockingJettyClient client = askingForAddresses();
    client.setQueueTimeout(Duration.ofSeconds(2));
    client.start();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI uri = server.uri("localhost", Script.ok().fault(Fault.STALL));
      FutureTask<Integer> call = start(client.newRequest(uri));
      lookUps.take().failed(GoAwayAndEndTest.endOfConnection());
      connect(lookUps.take(), server, uri);
      assertThrows(TimeoutException.class, () -> call.get(3, TimeUnit.SECONDS));
      server.seen(uri).get(0).release();
      assertEquals(200, call.get());
    } finally {
      client.stop();
    }
  }

  /** As this thread aborts what is of it, it does something else first. */
  private static HttpConversation abortedAfter(Runnable first) {
    Thread aborts = Thread.currentThread();
    AtomicBoolean done = new AtomicBoolean();
    return new HttpConversation() {
      @Override
      public Deque<HttpExchange> getExchanges() {
        if (!Thread.currentThread().equals(aborts) || done.getAndSet(true)) {
          return super.getExchanges();
        }
        Deque<HttpExchange> seen = new ArrayDeque<>(super.getExchanges());
        first.run();
        return seen;
      }
    };
  }

  private static FutureTask<Integer> start(Request request) {
    FutureTask<Integer> call =
        new FutureTask<>(() -> request.timeout(30, TimeUnit.SECONDS).send().getStatus());
    Thread.ofVirtual().start(call);
    return call;
  }

  private static List<InetSocketAddress> addressOf(FaultServer server) {
    return List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
  }

  /** Has the second connection made, and waits until a call is on it. */
  private static void connect(
      Promise<List<InetSocketAddress>> lookUp, FaultServer server, URI uri) {
    lookUp.succeeded(addressOf(server));
    await(() -> !server.seen(uri).isEmpty());
  }

  /**
   * Jetty looks which requests a connection has, and aborts them as it ends: one of them has been
   * answered by then, with a redirect, and its call goes on elsewhere. That was ended.
   */
  @Test
  void aCallThatWasRedirectedIsNoneOfTheConnectionItCameFrom() throws Exception {
    BlockingJettyClient client = new BlockingJettyClient();
    client.start();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI target = server.uri(Script.ok().fault(Fault.STALL));
      URI uri = server.uri(Script.answer(302).header("Location", target.toString()));
      Request request = client.newRequest(uri);
      FutureTask<Integer> call = start(request);
      await(() -> !server.seen(target).isEmpty());
      JettyExchange.unheeded(request.abort(GoAwayAndEndTest.endOfConnection()));
      server.seen(target).get(0).release();
      assertEquals(200, call.get());
      assertEquals(1, server.seen(target).size(), "times sent");
    } finally {
      client.stop();
    }
  }

  /** The redirect comes as the request that led to it is about to be aborted. */
  @Test
  void norOneThatIsRedirectedJustThen() throws Exception {
    BlockingJettyClient client = new BlockingJettyClient();
    client.start();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      URI target = server.uri(Script.ok().fault(Fault.STALL));
      Script redirect = Script.answer(302).header("Location", target.toString());
      URI uri = server.uri(redirect.fault(Fault.STALL));
      HttpConversation conversation =
          abortedAfter(
              () -> {
                server.seen(uri).get(0).release();
                await(() -> !server.seen(target).isEmpty());
              });
      Request request = new JettyRequest(client, conversation, uri);
      FutureTask<Integer> call = start(request);
      await(() -> !server.seen(uri).isEmpty());
      JettyExchange.unheeded(request.abort(GoAwayAndEndTest.endOfConnection()));
      server.seen(target).get(0).release();
      assertEquals(200, call.get());
      assertEquals(1, server.seen(target).size(), "times sent");
    } finally {
      client.stop();
    }
  }

  /**
   * The end of the redirect is missing. Jetty follows it, nearly always from within its abort: then
   * the call goes on. Else it has failed, and nothing of it goes on.
   */
  @Test
  void oneWhoseRedirectWasCutGoesOnOrEnds() throws Exception {
    BlockingJettyClient client = new BlockingJettyClient();
    client.start();
    try (FaultServer server = FaultServer.start(Wire.HTTP_1_1)) {
      int goneOn = 0;
      for (int i = 0; i < 20; i++) {
        URI target = server.uri(Script.ok().fault(Fault.STALL));
        Script redirect = Script.answer(302).header("Location", target.toString()).body(10);
        URI uri = server.uri(redirect.fault(Fault.STALL, 5));
        HttpConversation conversation = new HttpConversation();
        Request request = new JettyRequest(client, conversation, uri);
        FutureTask<Integer> call = start(request);
        await(() -> !server.seen(uri).isEmpty());
        HttpExchange exchange = conversation.getExchanges().getLast();
        await(() -> exchange.getResponse().getHeaders().contains(HttpHeader.LOCATION));
        JettyExchange.unheeded(request.abort(GoAwayAndEndTest.endOfConnection()));
        await(() -> call.isDone() || !server.seen(target).isEmpty());
        if (call.isDone()) {
          assertThrows(ExecutionException.class, call::get);
          await(() -> server.seen(target).stream().allMatch(Seen::isAborted));
        } else {
          server.seen(target).get(0).release();
          assertEquals(200, call.get());
          goneOn++;
        }
      }
      assertTrue(goneOn > 0, "none of 20 has gone on");
    } finally {
      client.stop();
    }
  }

  private static void await(BooleanSupplier condition) {
    try {
      while (!condition.getAsBoolean()) {
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
