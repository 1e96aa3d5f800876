package io.heddle.okhttp;

import io.heddle.Deadline;
import io.heddle.Exchange;
import io.heddle.okhttp.ConnectionGate.State;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.EventListener;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/** One call at the gates of the hosts that it goes to, one after the other. */
final class CallTicket {

  /** The call is to look for a connection from the start. */
  static final class Again extends RuntimeException {
    private static final long serialVersionUID = 1;

    Again() {
      super("look again", null, false, false);
    }
  }

  /** The call fails: OkHttp, which is on the stack, hands on what is no IOException. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final IOException failure;

    Refused(IOException failure) {
      super(failure.getMessage(), failure, false, false);
      this.failure = failure;
    }

    IOException failure() {
      return failure;
    }
  }

  /** OkHttp 4 has no listeners of one call. */
  private static final boolean LISTENERS = hasListeners();

  private final ConnectionGates gates;
  private final Call call;
  private final Deadline lease;

  // Caller, then worker.
  private @Nullable ConnectionGate gate;
  private State state = State.NONE;

  // Worker only.
  private long seen;
  private @Nullable Deadline patience;
  private boolean expecting;
  private boolean exchanged;
  private boolean answered;

  // Written by the worker, read by threads that cancel.
  private volatile @Nullable Exchange<Boolean> turn;

  /**
   * A ticket.
   *
   * @param lease up to which the call waits for a connection
   */
  CallTicket(ConnectionGates gates, Call call, Deadline lease) {
    this.gates = gates;
    this.call = call;
    this.lease = lease;
  }

  private static boolean hasListeners() {
    try {
      Call.class.getMethod("addEventListener", EventListener.class);
      return true;
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  boolean isOf(Call other) {
    return call.equals(other);
  }

  // ---- caller -------------------------------------------------------------------------------

  /** Asks to be let in; null if the call need not. */
  @Nullable Exchange<Boolean> ask() {
    ConnectionGate first = gates.of(call.request().url());
    return first == null || !first.isLimited() ? null : first.ask();
  }

  /** The call is let in. */
  void letIn() {
    gate = gates.of(call.request().url());
    state = State.LOOKING;
  }

  // ---- worker -------------------------------------------------------------------------------

  /** The call looks for a connection, from the start. */
  void begin(HttpUrl url) {
    exchanged = false;
    answered = false;
    goTo(url);
    if (gate != null) {
      gate.beforeLooking(this);
    }
  }

  /** The call has found no connection in the pool. */
  void beforeOpening(HttpUrl url) {
    goTo(url);
    if (gate != null) {
      gate.beforeOpening(this);
    }
  }

  void connected(HttpUrl url, @Nullable Connection connection) {
    exchanged = true;
    goTo(url);
    if (gate != null && connection != null) {
      gate.connected(this, connection);
    }
  }

  void answered(@Nullable Connection connection) {
    answered = true;
    if (gate != null && connection != null) {
      gate.answered(connection);
    }
  }

  void failed() {
    if (gate != null) {
      gate.failed(this);
    }
  }

  /** The call is over. */
  void leave() {
    if (gate != null) {
      gate.failed(this); // as far as it was on its way to a connection
      gate.leave(state);
      gate = null;
      state = State.NONE;
    }
  }

  private void goTo(HttpUrl url) {
    ConnectionGate next = gates.of(url);
    if (gate != next) {
      leave();
      gate = next;
      patience = null;
      if (next != null) {
        state = State.LOOKING;
        next.enter();
      }
    }
  }

  /**
   * Waits for a turn.
   *
   * @return whether it came before the limit
   * @throws Refused if the call is cancelled, or its lease comes too late
   */
  boolean await(Exchange<Boolean> next, Deadline limit) {
    turn = next;
    if (LISTENERS) {
      OnCancel.listen(call, next);
    }
    if (call.isCanceled()) { // looked at after `turn` was set
      next.cancel();
    }
    try {
      next.await(limit);
      return true;
    } catch (TimeoutException e) {
      if (limit == lease) {
        throw new Refused(tooMany(e));
      }
      return false;
    } catch (CancellationException e) {
      throw new Refused(OkHttpFailures.cancelled(e));
    } catch (InterruptedException e) { // the user's own executor is shut down
      throw new Refused(OkHttpFailures.interrupted(e));
    } catch (ExecutionException e) {
      throw new AssertionError("a turn does not fail", e);
    } finally {
      turn = null;
    }
  }

  static IOException tooMany(TimeoutException cause) {
    return OkHttpFailures.caused(
        new SocketTimeoutException("too many calls: none ended in time"), cause);
  }

  State state() {
    return state;
  }

  void state(State now) {
    state = now;
  }

  long seen() {
    return seen;
  }

  void seen(long changes) {
    seen = changes;
  }

  /** Whether it looks for a stream that is meant for it. */
  boolean isExpecting() {
    return expecting;
  }

  void isExpecting(boolean now) {
    expecting = now;
  }

  /** Whether a server has answered since the call last looked for a connection from the start. */
  boolean isAnswered() {
    return answered;
  }

  /** Up to which it waits for a connection to be free. */
  Deadline lease() {
    return lease;
  }

  /**
   * Up to which it waits for others that open a connection to this host; from the first wait on.
   */
  Deadline patience() {
    Deadline until = patience;
    if (until == null) {
      until = Deadline.afterNanos(TimeUnit.MILLISECONDS.toNanos(ConnectionGate.PATIENCE_MILLIS));
      patience = until;
    }
    return until;
  }

  boolean isImpatient() {
    return patience != null && patience.isExpired();
  }

  /** Not once a request has been sent: that would be sent again. Nor need it be without a limit. */
  boolean mayLookAgain() {
    return !exchanged && gate != null && gate.isLimited();
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** The call was cancelled. */
  void wake() {
    Exchange<Boolean> waiting = turn;
    if (waiting != null) {
      waiting.cancel(); // wakes the worker in await
    }
  }

  /** A class of its own, since OkHttp 4 cannot link it. */
  private static final class OnCancel extends EventListener {
    private final Exchange<Boolean> turn;

    private OnCancel(Exchange<Boolean> turn) {
      this.turn = turn;
    }

    static void listen(Call call, Exchange<Boolean> turn) {
      call.addEventListener(new OnCancel(turn));
    }

    @Override
    public void canceled(Call call) {
      turn.cancel(); // wakes the worker in await
    }
  }
}
