package io.heddle.ahc;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.asynchttpclient.netty.NettyResponseFuture;
import org.asynchttpclient.netty.channel.ChannelState;
import org.asynchttpclient.netty.channel.Channels;
import org.jspecify.annotations.Nullable;

/**
 * What one exchange has of the engine: its future, and where that is on its way.
 *
 * <pre>{@code
 * NOWHERE ──connected, pooled──▶ a leg
 *    ▲                            │ after a redirect, a challenge, a filter:
 *    └────────connecting──────────┴──pooled──▶ the next leg
 * }</pre>
 *
 * <p><b>To end it.</b> AHC's future closes whatever channel it knows when it is cancelled, and
 * between two steps that may be an HTTP/2 connection that others use. So an exchange is ended on
 * the event loop of its connection, where there is no between: before the request is sent on a
 * shared connection the future is aborted, which leaves channels alone; after that it is cancelled,
 * which closes the connection of HTTP/1.1, or the stream.
 *
 * <p><b>To find the stream.</b> Only the engine's future knows it, and the engine hands that to the
 * thread that starts the exchange; the event loop may be faster, and so may the answer. {@link
 * Http2Openings} has the future of each stream that is opened, and a new connection that of its
 * first request: so nobody waits for that thread.
 */
final class AhcChannel {

  private final AhcExchange<?> exchange;

  // Written by the thread that starts the exchange, on HTTP/2 by an event loop too: the same.
  private volatile @Nullable NettyResponseFuture<?> future;

  // Written by an event loop, or the thread that starts the exchange.
  private volatile Leg leg = Leg.NOWHERE;
  private volatile int requests; // so many were sent, since the one that is no tunnel

  // Written by an event loop: what keeps the read timeout from counting.
  private volatile @Nullable Future<?> touching;

  AhcChannel(AhcExchange<?> exchange) {
    this.exchange = exchange;
  }

  // ---- the thread that starts the exchange ----------------------------------------------------

  /** The engine has taken the request on. Does not wait. */
  void started(NettyResponseFuture<?> running) {
    future = running;
    if (exchange.isOver()) {
      end();
    } else if (leg.hasEndedUnsent()) {
      exchange.onThrowable(new ClosedChannelException());
    }
  }

  // ---- engine -------------------------------------------------------------------------------

  void connecting() {
    goOn(Leg.NOWHERE); // the end of the one before, after a challenge, is not the end of this
  }

  private void goOn(Leg next) {
    Leg before = leg;
    leg = next;
    before.left();
  }

  /**
   * Now the connection may be read: what the server says first on HTTP/2, AHC takes for an answer
   * to nobody, if it comes before the codec is there.
   */
  void connected(Channel channel) {
    leg = Leg.connected(channel, this);
    ReadGate gate = channel.pipeline().get(ReadGate.class);
    if (gate != null) {
      gate.open();
    }
  }

  void pooled(Channel channel) {
    goOn(Leg.pooled(channel));
    Http2Openings.watch(channel);
  }

  /** Whether AHC is about to send the request anew, because its connection ended. */
  boolean isReconnecting() {
    Leg on = leg;
    NettyResponseFuture<?> running =
        future != null || on == Leg.NOWHERE ? future : AhcInternals.future(on.connection());
    return running != null && running.getChannelState() == ChannelState.RECONNECTED;
  }

  /**
   * Just before the head is written. On HTTP/2 that is on the event loop, and the stream is open;
   * on HTTP/1.1 it may be on the thread that starts the exchange.
   *
   * @param isTunnel whether it is not the request itself yet, but one to a proxy to connect
   */
  void sending(AhcLanes.Permit permit, boolean isTunnel) {
    Leg on = leg;
    int before = requests;
    boolean isFirst = before == 0 && !isTunnel; // a redirect may lead to another server
    if (isFirst || before > 0) {
      requests = before + 1;
    }
    on.send(isFirst ? permit : null, isTunnel);
    if (on.isShared()) {
      onStream(on);
    }
  }

  private void onStream(Leg on) {
    NettyResponseFuture<?> running = Http2Openings.opening(on.connection());
    if (running != null) {
      future = running;
    }
    Channels.setDiscard(on.connection()); // of the future that it was made for: it has its stream
    Http2StreamChannel opened = AhcInternals.stream(running);
    if (opened != null && !exchange.isOver()) { // else the future has ended, or is about to
      on.onStream(opened, exchange);
    }
  }

  /** The request has asked to continue: waits this long for a word. */
  @SuppressWarnings("FutureReturnValueIgnored")
  void continueAnywayIn(long millis) {
    Leg on = leg;
    on.connection().eventLoop().schedule(() -> continueAnyway(on), millis, TimeUnit.MILLISECONDS);
  }

  private void continueAnyway(Leg on) {
    NettyResponseFuture<?> running = future;
    if (running != null
        && running.isDontWriteBodyBecauseExpectContinue()
        && !exchange.isOver()
        && on.equals(leg)) { // no redirect or challenge came
      on.continueAnyway(exchange.isAnswered());
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  AhcExchange<?> exchange() {
    return exchange;
  }

  /** The engine's future; null until the engine has one. */
  @Nullable NettyResponseFuture<?> future() {
    return future;
  }

  /** Where it is now. */
  Leg leg() {
    return leg;
  }

  /** Whether any of it has been sent, however often. */
  boolean isEverSent() {
    return requests > 0;
  }

  /** Whether the server has answered, with a redirect or a challenge that AHC follows. */
  boolean isFollowing() {
    return requests > 1 || (requests == 1 && !leg.isSent());
  }

  /** The engine's clock for its read timeout starts anew. */
  void touch() {
    NettyResponseFuture<?> running = future;
    if (running != null) {
      running.touch();
    }
  }

  /** As long as the exchange waits for its caller the engine's read timeout does not count. */
  void touchWhileCallerIsAwaited(long readTimeoutMillis) {
    Leg on = leg;
    if (readTimeoutMillis > 0 && on != Leg.NOWHERE) {
      touch();
      if (touching == null) {
        touchIn(Math.max(10, readTimeoutMillis / 3), on.connection());
      }
    }
  }

  private void touchIn(long millis, Channel on) {
    touching =
        on.eventLoop()
            .schedule(
                () -> {
                  touching = null;
                  if (!exchange.isOver() && exchange.isWaitingForCaller()) {
                    touch();
                    touchIn(millis, on);
                  }
                },
                millis,
                TimeUnit.MILLISECONDS);
    if (exchange.isOver()) { // and he who ended it may not have seen it
      ended();
    }
  }

  // ---- the end --------------------------------------------------------------------------------

  /** The exchange is over: nothing is left behind in the event loop. Any thread. */
  void ended() {
    Future<?> left = touching;
    if (left != null) {
      left.cancel(false);
    }
  }

  /**
   * The exchange is over, and {@linkplain #end ended} unless it was completed: passes its place on,
   * after whatever ends the stream. Any thread.
   *
   * @param place any number of times
   * @param completed whether the response is whole
   * @param whole whether the request is as well, or nobody knows
   */
  void leave(Runnable place, boolean completed, boolean whole) {
    leg.inEventLoop(() -> leg.leave(place, completed, whole));
  }

  /** The request was given up. Does not wait. */
  void end() {
    NettyResponseFuture<?> running = future;
    if (running == null || running.isDone()) {
      return; // in the first case started() will look again
    }
    Leg on = leg;
    if (on == Leg.NOWHERE) {
      end(running, on);
    } else {
      on.inEventLoop(() -> end(running, leg));
    }
  }

  private static void end(NettyResponseFuture<?> running, Leg on) {
    if (on.isOwn()) {
      running.cancel(true);
    } else {
      running.abort(new CancellationException("the exchange was given up"));
      on.closeIfAlone();
    }
  }
}
