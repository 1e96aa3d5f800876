package io.heddle.apache;

import io.heddle.core.CallEvent.Step;
import io.heddle.core.CallReport;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hc.core5.http.HttpHost;
import org.jspecify.annotations.Nullable;

/**
 * The waits of callers that have no exchange yet: for a lease, a name, a connection. Whoever closes
 * the manager ends them here, since neither Apache's pool nor its reactor does.
 */
final class OpenWaits {

  /**
   * What a caller waits for, and from whom.
   *
   * @param target of the call
   */
  private record Wait(Step what, HttpHost target) {}

  private final Map<Exchange<?>, Wait> waiting = new ConcurrentHashMap<>();
  private volatile @Nullable Exception closedFor;

  /** As {@link Exchange#await(Deadline)}; fails with the reason if {@link #close} comes first. */
  <R> R await(Step what, HttpHost target, Exchange<R> exchange, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    if (exchange.isDone()) {
      return exchange.await(deadline);
    }
    waiting.put(exchange, new Wait(what, target));
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
    for (Exchange<?> each : waiting.keySet()) {
      each.fail(why); // wakes the caller in await
    }
  }

  /** How many wait for this. */
  int count(Step what) {
    return (int) waiting.values().stream().filter(each -> each.what() == what).count();
  }

  void tell(CallReport report) {
    waiting.forEach(
        (exchange, wait) ->
            report.add(wait.what(), wait.target().toHostString(), exchange.waiter()));
  }
}
