package io.heddle.ahc;

import io.heddle.core.Exchange;

/**
 * An exchange for which a caller waits.
 *
 * @param <R> what it waits for
 */
interface BlockingExchange<R> {

  /** What the caller waits for. */
  Exchange<R> outcome();

  /** What the engine sees of it. */
  AhcExchange<?> exchange();

  /** Another thread gives it up, whatever the caller does in it. */
  void cancel();
}
