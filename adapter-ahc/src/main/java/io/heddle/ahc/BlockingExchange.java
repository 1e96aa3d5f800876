package io.heddle.ahc;

import io.heddle.core.Exchange;
import org.asynchttpclient.Request;
import org.jspecify.annotations.Nullable;

/**
 * An exchange for which a caller waits.
 *
 * @param <R> what it waits for
 */
abstract class BlockingExchange<R> extends AhcExchange<R> {

  private final Exchange<R> outcome;

  BlockingExchange(
      BlockingAhcClient client, Request request, AhcLanes.Permit permit, Exchange<R> outcome) {
    super(client, request, permit);
    this.outcome = outcome;
    outcome.onAbandon(this::abort);
  }

  /** What the caller waits for. */
  Exchange<R> outcome() {
    return outcome;
  }

  /** Another thread gives it up, whatever the caller does in it. */
  void cancel() {
    event().cancels();
    outcome.cancel();
  }

  @Override
  @Nullable Thread waiter() {
    return outcome.waiter();
  }

  @Override
  void failed(Throwable failure) {
    outcome.fail(failure);
  }
}
