package io.heddle.apache;

import io.heddle.Deadline;
import io.heddle.Exchange;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The waits of callers that have no exchange yet: for a lease, a name, a connection. Whoever closes
 * the manager ends them here, since neither Apache's pool nor its reactor does.
 */
final class OpenWaits {

  private final Set<Exchange<?>> waiting = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Exception closedFor;

  /** As {@link Exchange#await(Deadline)}; fails with the reason if {@link #close} comes first. */
  <R> R await(Exchange<R> exchange, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    if (exchange.isDone()) {
      return exchange.await(deadline);
    }
    waiting.add(exchange);
    try {
      Exception why = closedFor; // after it is added: whoever closes later sees it
      if (why != null) {
        exchange.fail(why);
      }
      return exchange.await(deadline);
    } finally {
      waiting.remove(exchange);
    }
  }

  /** Ends all waits, and those to come, with this failure. */
  void close(Exception why) {
    closedFor = why;
    for (Exchange<?> each : waiting) {
      each.fail(why); // wakes the caller in await
    }
  }
}
