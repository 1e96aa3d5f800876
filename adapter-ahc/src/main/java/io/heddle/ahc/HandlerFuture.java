package io.heddle.ahc;

import io.heddle.core.CallEvent;
import io.heddle.core.Exchange;
import io.heddle.core.Resends;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.asynchttpclient.AsyncHandler;
import org.asynchttpclient.Request;
import org.asynchttpclient.handler.resumable.ResumableAsyncHandler;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The future of a request that has a handler of the user's: it waits for a place, starts an
 * exchange, and another one if that may go again. What {@link AhcCall} is for a caller that waits.
 */
final class HandlerFuture<T> extends AhcFuture<T> {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerFuture.class);

  private final BlockingAhcClient client;
  private final AsyncHandler<T> user;
  private final CompletableFuture<T> outcome;
  private final CallEvent event;
  private final Resends resends;

  // By one exchange after the other.
  private Request asked;
  private int retries;

  // Written by who starts an exchange, looked at by who ends it.
  private volatile @Nullable Exchange<?> waiting;
  private volatile @Nullable HandlerExchange<T> running;

  HandlerFuture(
      BlockingAhcClient client,
      Request request,
      AsyncHandler<T> user,
      CompletableFuture<T> outcome) {
    super(client, outcome);
    this.client = client;
    this.asked = request;
    this.user = user;
    this.outcome = outcome;
    this.event = client.beginCall(request);
    this.resends = new Resends(client.requests().deadline(request));
    this.retries = client.getConfig().getMaxRequestRetry();
  }

  // ---- exchanges ------------------------------------------------------------------------------

  /** Starts it, once there is a place for it, or fails. */
  void start() {
    try {
      if (client.isClosed()) {
        throw new IllegalStateException("Closed"); // as AHC says it
      }
      if (user instanceof ResumableAsyncHandler resumable
          && !client.getConfig().getRequestFilters().isEmpty()) {
        asked = resumable.adjustRequestRange(asked); // AHC does, where it sees such a handler
      }
      begin();
    } catch (IOException | RuntimeException e) {
      fail(e);
    }
  }

  private void begin() throws IOException {
    HandlerExchange<T> exchange = exchange(enter());
    exchange.start();
    AhcRequestBody body = exchange.requestBody();
    if (body != null && (body.isEmpty() || !exchange.isOver())) {
      body.writeElsewhere();
    }
  }

  /** What is to start; over already if this was cancelled. */
  HandlerExchange<T> exchange(AhcLanes.Permit permit) {
    HandlerExchange<T> exchange = new HandlerExchange<>(client, asked, permit, user, this);
    running = exchange;
    if (outcome.isCancelled()) {
      cancelRequest();
    }
    return exchange;
  }

  private AhcLanes.Permit enter() throws IOException {
    Consumer<Exchange<?>> told = client.engine().isIoThread() ? null : this::waits;
    try {
      return client.lanes().enter(asked, client.requests().deadline(asked), told, event);
    } catch (InterruptedException e) {
      throw AhcFailures.inWait("waiting for a connection", false, e);
    } finally {
      waiting = null;
    }
  }

  private void waits(Exchange<?> turn) {
    waiting = turn;
    if (outcome.isCancelled()) {
      turn.cancel();
    }
  }

  /** An exchange has failed, which told nobody yet. */
  void failed(HandlerExchange<T> exchange, Throwable failure) {
    if (retries > 0
        && !outcome.isDone()
        && !client.isClosed()
        && SentAgain.may(exchange, failure)) {
      Thread.ofVirtual()
          .name("heddle-ahc-retry")
          .inheritInheritableThreadLocals(false)
          .start(() -> restart(exchange, failure)); // it may have to wait
    } else {
      fail(failure);
    }
  }

  private void restart(HandlerExchange<T> exchange, Throwable failure) {
    try {
      if (!SentAgain.isRefused(exchange, failure)) {
        retries--;
      } else if (!resends.unprocessed()) {
        fail(failure);
        return;
      }
      resends.pause();
      user.onRetry();
      asked = SentAgain.request(exchange, asked);
      begin();
    } catch (Throwable e) { // an Error of a hook of the user's, too: nobody else would hear of it
      fail(e);
    }
  }

  // ---- the end --------------------------------------------------------------------------------

  /** The handler has made this of the response. */
  @SuppressWarnings("NullAway") // which may be null
  void complete(@Nullable T result) {
    event.completed();
    outcome.complete(result);
  }

  /** Fails, unless it was cancelled just now, and tells the handler, which heard of no end yet. */
  void fail(Throwable failure) {
    if (outcome.isCancelled() || client.isClosed()) {
      event.cancels();
    }
    event.failed(failure);
    outcome.completeExceptionally(failure);
    try {
      user.onThrowable(outcome.isCancelled() ? new CancellationException() : failure);
    } catch (Throwable e) { // nobody can be told; AHC logs it for debugging
      LOG.debug("a handler has failed in onThrowable", e);
    }
  }

  @Override
  void cancelRequest() {
    Exchange<?> turn = waiting;
    if (turn != null) {
      turn.cancel();
    }
    abort(new CancellationException());
  }

  @Override
  public void abort(Throwable failure) {
    HandlerExchange<T> now = running;
    if (now != null && now.abort()) {
      fail(failure);
    }
  }

  @Override
  void timedOut() {
    HandlerExchange<T> now = running;
    if (now != null) {
      now.timedOut();
    }
  }

  @Override
  public void done() {
    HandlerExchange<T> now = running;
    NettyResponseFuture<?> engines = now == null ? null : now.channel().future();
    if (engines != null) {
      engines.done();
    }
  }

  @Override
  public void touch() {
    HandlerExchange<T> now = running;
    if (now != null) {
      now.channel().touch();
    }
  }
}
