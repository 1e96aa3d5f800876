package io.heddle.okhttp;

import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallSite;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import io.heddle.core.InFlightLimit;
import java.io.IOException;
import java.lang.ref.Cleaner.Cleanable;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import okhttp3.Connection;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * The places that a call holds at the limits of its client, until its end, or until nobody holds
 * the call any more.
 *
 * <p>Where a call has a place, one that is made within it, on the same thread, takes none: the
 * outer may wait for it.
 *
 * <p>Of the caller, and of whoever ends the call, which comes after.
 */
final class Places {

  private static final Duration PATIENCE = Duration.ofMillis(HostLimits.PATIENCE_MILLIS);

  private final CallEngine engine;
  private final LiveCall call;
  private @Nullable Places outer;
  private @Nullable Cleanable place;
  private HostLimits.@Nullable Host host;
  private @Nullable Cleanable placeAtHost;

  Places(CallEngine engine, LiveCall call) {
    this.engine = engine;
    this.call = call;
  }

  /**
   * Waits until there may be one call more.
   *
   * @param within those of the call of this client within which it is made; null if there is none
   */
  void await(@Nullable Places within) throws IOException {
    outer = within;
    InFlightLimit limit = engine.limit();
    if (limit != null && call.isLimited() && place == null && within == null) {
      awaitTurn(limit, null);
      place = Dropped.register(call, limit::leave);
      engine.checkOpen(); // a close may have ended the call that had the place before
    }
  }

  /** Waits until the host of this URL may have one call more; gives up the place at another. */
  void awaitHost(HttpUrl url) throws IOException {
    HostLimits hosts = engine.hosts();
    if (hosts == null || !call.isLimited() || (outer != null && outer.isAtHost())) {
      return;
    }
    HostLimits.Host next = hosts.of(url);
    if (host != next) {
      leaveHost();
      awaitTurn(next.limit(), next);
      placeAtHost = Dropped.register(call, next.limit()::leave);
      host = next;
      engine.checkOpen();
    }
  }

  private boolean isAtHost() {
    return host != null || (outer != null && outer.isAtHost());
  }

  private void awaitTurn(InFlightLimit limit, HostLimits.@Nullable Host of) throws IOException {
    if (limit.tryEnter()) {
      return;
    }
    call.mark(Step.PLACE);
    Deadline lease = engine.lease();
    Exchange<InFlightLimit> turn = limit.ask();
    try {
      call.waitsFor(turn);
      while (of != null
          && !of.isKnown()
          && !turn.awaitDone(Deadline.after(PATIENCE).earlier(lease))
          && !lease.isExpired()) {
        of.isSlow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // which the wait for the turn finds
    }
    try {
      call.await(turn, lease);
    } catch (TimeoutException e) {
      throw call.isOverdue()
          ? OkHttpFailures.timedOut(e)
          : CallSite.caused(new SocketTimeoutException("too many calls: none ended in time"), e);
    } catch (ExecutionException e) {
      throw new AssertionError("a turn does not fail", e);
    } finally {
      call.mark(null);
    }
  }

  /** A request goes out over this connection. */
  void connected(Connection over) {
    if (host != null) {
      host.connected(over);
    }
  }

  /** The head of a response is there. */
  void answered() {
    if (host != null) {
      host.answered();
    }
  }

  /** The call is over. */
  void leave() {
    if (place != null) {
      place.clean();
      place = null;
    }
    leaveHost();
  }

  private void leaveHost() {
    if (placeAtHost != null) {
      placeAtHost.clean();
      placeAtHost = null;
      host = null;
    }
  }
}
