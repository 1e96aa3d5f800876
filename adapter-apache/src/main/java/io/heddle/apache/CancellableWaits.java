package io.heddle.apache;

import io.heddle.Deadline;
import io.heddle.Exchange;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The waits of one lease, one after the other, which another thread may cancel. */
final class CancellableWaits {

  private final OpenWaits all;

  private volatile @Nullable Exchange<?> awaited;
  private volatile boolean cancelled;

  CancellableWaits(OpenWaits all) {
    this.all = all;
  }

  /** As {@link Exchange#await(Deadline)}. */
  <R> R await(Exchange<R> exchange, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    awaited = exchange;
    if (cancelled) {
      exchange.cancel();
    }
    return all.await(exchange, deadline);
  }

  /** As {@link Exchange#await(Deadline, Function)}. */
  <R> R await(Exchange<R> exchange, Deadline deadline, Function<Exception, IOException> failure)
      throws IOException {
    try {
      return await(exchange, deadline);
    } catch (InterruptedException
        | TimeoutException
        | CancellationException
        | ExecutionException e) {
      throw failure.apply(e);
    }
  }

  /** Whether {@link #cancel} was called. */
  boolean isCancelled() {
    return cancelled;
  }

  /** Cancels the wait of this moment, if there is one. */
  boolean cancelCurrent() {
    Exchange<?> now = awaited;
    return now != null && now.cancel();
  }

  /** Cancels the wait of this moment and all to come. */
  boolean cancel() {
    cancelled = true;
    return cancelCurrent();
  }
}
