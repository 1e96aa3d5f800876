package io.heddle.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.transport.HttpConversation;
import org.eclipse.jetty.client.transport.HttpExchange;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.util.Promise;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connection cannot be made, and Jetty goes through all that it saw queued and fails them. One of
 * them has found another connection by then: calls that were on their way failed with a connection
 * that they had nothing to do with.
 */
@Timeout(60)
class OthersConnectionTest {

  @Test
  void aCallThatHasFoundAnotherGoesOn() throws Exception {
    BlockingQueue<Promise<List<InetSocketAddress>>> lookUps = new LinkedBlockingQueue<>();
    BlockingJettyClient client = new BlockingJettyClient();
    client.setSocketAddressResolver(
        (host, port, context, addresses) -> lookUps.add(addresses)); // each for one connection
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
      FutureTask<Integer> call =
          new FutureTask<>(
              () -> client.newRequest(uri).timeout(30, TimeUnit.SECONDS).send().getStatus());
      Thread.ofVirtual().start(call);
      other.complete(lookUps.take());
      failing.failed(new UnknownHostException("the first"));
      assertNotNull(failure.get());
      server.seen(uri).get(0).release();
      assertEquals(200, call.get());
    } finally {
      client.stop();
    }
  }

  /** Has the second connection made, and waits until a call is on it. */
  private static void connect(
      Promise<List<InetSocketAddress>> lookUp, FaultServer server, URI uri) {
    lookUp.succeeded(
        List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port())));
    try {
      while (server.seen(uri).isEmpty()) {
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
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
      Request request = client.newRequest(uri).timeout(30, TimeUnit.SECONDS);
      FutureTask<Integer> call = new FutureTask<>(() -> request.send().getStatus());
      Thread.ofVirtual().start(call);
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
      Thread aborts = Thread.currentThread();
      AtomicBoolean first = new AtomicBoolean(true);
      HttpConversation conversation =
          new HttpConversation() {
            @Override
            public Deque<HttpExchange> getExchanges() {
              if (!Thread.currentThread().equals(aborts) || !first.getAndSet(false)) {
                return super.getExchanges();
              }
              Deque<HttpExchange> seen = new ArrayDeque<>(super.getExchanges());
              server.seen(uri).get(0).release();
              await(() -> !server.seen(target).isEmpty());
              return seen;
            }
          };
      Request request = new JettyRequest(client, conversation, uri).timeout(30, TimeUnit.SECONDS);
      FutureTask<Integer> call = new FutureTask<>(() -> request.send().getStatus());
      Thread.ofVirtual().start(call);
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
        Request request = new JettyRequest(client, conversation, uri).timeout(30, TimeUnit.SECONDS);
        FutureTask<Integer> call = new FutureTask<>(() -> request.send().getStatus());
        Thread.ofVirtual().start(call);
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
