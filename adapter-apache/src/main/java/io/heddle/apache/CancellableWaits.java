package io.heddle.apache;

import io.heddle.core.CallEvent;
import io.heddle.core.CallEvent.Step;
import io.heddle.core.Deadline;
import io.heddle.core.Exchange;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.hc.core5.http.HttpHost;
import org.jspecify.annotations.Nullable;

/**
 * The waits of one lease, one after the other, which another thread may cancel; and what JFR is
 * told of the call that waits.
 *
 * <pre>{@code
 * caller   awaited = the wait, then looks at cancelled ──▶ cancels its own wait
 * another  cancelled = true,   then looks at awaited   ──▶ cancels it, which wakes the caller
 * }</pre>
 *
 * <p>One at least sees the other. A wait that was over before keeps its result: who takes that
 * looks at {@link #isCancelled}.
 */
class CancellableWaits {

  private final OpenWaits all;
  private final HttpHost target;

  // Written by the caller: the wait of this moment, or the last one.
  private volatile @Nullable Exchange<?> awaited;

  // Written by who cancels; never taken back.
  private volatile boolean cancelled;

  // Written by the caller; who cancels tells the one that it finds.
  private volatile CallEvent event;

  /** Those of a call that begins. */
  CancellableWaits(OpenWaits all, HttpHost target) {
    this(all, target, begin(target));
  }

  CancellableWaits(OpenWaits all, HttpHost target, CallEvent event) {
    this.all = all;
    this.target = target;
    this.event = event;
  }

  /**
   * As {@link Exchange#await(Deadline)}.
   *
   * @param what it waits for
   */
  final <R> R await(Step what, Exchange<R> exchange, Deadline deadline)
      throws InterruptedException, TimeoutException, ExecutionException {
    awaited = exchange;
    if (cancelled) {
      exchange.cancel();
    }
    CallEvent waits = next();
    waits.at(what);
    try {
      return all.await(what, target, exchange, deadline);
    } finally {
      waits.at();
    }
  }

  /** The event of the call, from its lease to the end of its first exchange. */
  final CallEvent event() {
    return event;
  }

  /** The event of what begins now: each further exchange of a lease is a call of its own. */
  final CallEvent next() {
    CallEvent now = event;
    if (now.isOver()) {
      now = begin(target);
      event = now;
    }
    return now;
  }

  /** The same, with what is to be thrown in place of the four exceptions. */
  final <R> R await(
      Step what, Exchange<R> exchange, Deadline deadline, Function<Exception, IOException> failure)
      throws IOException {
    try {
      return await(what, exchange, deadline);
    } catch (InterruptedException
        | TimeoutException
        | CancellationException
        | ExecutionException e) {
      throw failure.apply(e);
    }
  }

  /** Whether {@link #cancel} was called. */
  final boolean isCancelled() {
    return cancelled;
  }

  private static CallEvent begin(HttpHost target) {
    CallEvent event = CallEvent.begin("apache");
    event.request(null, target.getHostName(), target.getPort());
    return event;
  }

  /** Cancels the wait of this moment, if there is one. */
  final boolean cancelCurrent() {
    Exchange<?> now = awaited;
    return now != null && now.cancel();
  }

  /** Cancels the wait of this moment and all to come. Says whether there was one. */
  public final boolean cancel() {
    cancelled = true;
    event.cancels();
    return cancelCurrent();
  }
}
