package io.heddle.jetty;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * How far a request has come on its way through the queue, and the place that it has there. Whoever
 * is first decides: the failure of a connection that it waited for is not that of a request which
 * has found another.
 *
 * <pre>{@code
 * AWAITED ──Jetty begins it──────────────▶ CAME    it has a connection, and may have been sent
 *    ├──────its caller leaves────────────▶ MISSED  it must not be sent
 *    └──────no connection could be made──▶ MISSED  likewise; if it may go again, a copy does
 * }</pre>
 *
 * <p>Any thread, but for {@link #took}, which is the sender's.
 */
final class QueueTurn {

  private enum State {
    AWAITED,
    CAME,
    MISSED
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.AWAITED);
  private final AtomicReference<@Nullable QueueGate> place = new AtomicReference<>();
  private final AtomicReference<@Nullable Throwable> noConnection = new AtomicReference<>();

  /** Jetty begins the request. */
  void come() {
    state.compareAndSet(State.AWAITED, State.CAME);
  }

  /** Its caller waits no longer for a connection; false if the request has one. */
  boolean miss() {
    return state.compareAndExchange(State.AWAITED, State.MISSED) != State.CAME;
  }

  /** There will be none, and why; false if the request has one, or was told of another reason. */
  boolean miss(Throwable why) {
    return noConnection.compareAndSet(null, why)
        && state.compareAndSet(State.AWAITED, State.MISSED);
  }

  /** Whether the request has left the queue, with a connection. */
  boolean hasCome() {
    return state.get() == State.CAME;
  }

  boolean isMissed() {
    return state.get() == State.MISSED;
  }

  /** Why no connection could be made; null if that was not tried, or its caller left before. */
  @Nullable Throwable noConnection() {
    return noConnection.get();
  }

  // ---- the place ----------------------------------------------------------------------------

  boolean hasPlace() {
    return place.get() != null;
  }

  /** The request has a place there, until {@link #leave}. */
  void took(QueueGate gate) {
    place.set(gate);
  }

  /** Gives the place back, once; null if there is none. */
  @Nullable QueueGate leave() {
    QueueGate gate = place.getAndSet(null);
    if (gate != null) {
      gate.leave();
    }
    return gate;
  }
}
