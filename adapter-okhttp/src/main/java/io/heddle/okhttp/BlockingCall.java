package io.heddle.okhttp;

import io.heddle.Canceller;
import io.heddle.Deadline;
import io.heddle.Exchange;
import io.heddle.InFlightLimit;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import kotlin.jvm.functions.Function0;
import kotlin.reflect.KClass;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.EventListener;
import okhttp3.Request;
import okhttp3.Response;
import okio.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * A call of OkHttp's whose {@link #execute} runs on a worker while the caller parks. All else is
 * that call's own: its tags, listeners, timeout, and {@link #enqueue}.
 *
 * <p>The worker runs the very {@code execute()} that the caller would have run, so what it promises
 * is kept: interceptors' exceptions arrive as themselves, the dispatcher counts and cancels the
 * call as a synchronous one, no limit applies, and listeners see the same events in the same order.
 */
final class BlockingCall implements Call, Canceller {

  private final CallWorkers workers;
  private final Call own;
  private final AtomicBoolean executed = new AtomicBoolean();

  // Written by the caller, before it waits; read by threads that cancel.
  private volatile @Nullable Exchange<Boolean> turn;
  private volatile @Nullable OkHttpExchange exchange;

  BlockingCall(CallWorkers workers, Call own) {
    this.workers = workers;
    this.own = own;
  }

  // ---- caller -------------------------------------------------------------------------------

  @Override
  public Response execute() throws IOException {
    OkHttpFailures.forbidWaiting();
    markExecuted();
    if (Thread.currentThread().isInterrupted()) {
      throw OkHttpFailures.interrupted(null);
    }
    Deadline deadline = deadline(0);
    if (deadline.isExpired()) {
      throw OkHttpFailures.timedOut(null);
    }
    workers.enter(this);
    Places places = new Places();
    boolean started = false;
    try {
      // OkHttp's own timer starts when the worker does, and has a moment to end the call in its
      // way.
      Deadline last = places.take(deadline) ? deadline : deadline(OkHttpExchange.graceNanos());
      OkHttpExchange begun = new OkHttpExchange(own, own::execute, last, places.ticket, places);
      exchange = begun;
      workers.start(begun);
      started = true;
      return begun.await();
    } finally {
      if (!started) {
        places.run();
      }
    }
  }

  private void markExecuted() {
    if (!executed.compareAndSet(false, true)) {
      throw new IllegalStateException("Already Executed");
    }
  }

  /** That of {@link #timeout()}, counted from now, with so much more. */
  private Deadline deadline(long moreNanos) {
    Timeout timeout = own.timeout();
    Deadline deadline = Deadline.none();
    if (timeout.timeoutNanos() > 0) {
      deadline = after(timeout.timeoutNanos(), moreNanos);
    }
    if (timeout.hasDeadline()) {
      long left = Math.max(0, timeout.deadlineNanoTime() - System.nanoTime());
      deadline = deadline.earlier(after(left, moreNanos));
    }
    return deadline;
  }

  private static Deadline after(long nanos, long moreNanos) {
    return Deadline.afterNanos(Math.max(nanos, nanos + moreNanos)); // the sum may overflow
  }

  /** What the call holds while it is under way. */
  private final class Places implements Runnable {
    private final @Nullable CallTicket ticket;
    private @Nullable InFlightLimit taken;

    Places() {
      ConnectionGates gates = workers.gates();
      this.ticket = gates == null ? null : gates.ticket(own, workers.lease());
    }

    /**
     * Waits for them.
     *
     * @return whether there is anything to wait for
     */
    boolean take(Deadline deadline) throws IOException {
      InFlightLimit limit = workers.limit();
      Deadline lease = workers.lease();
      if (limit != null && !limit.tryEnter()) {
        await(limit.ask(), deadline, lease);
      }
      taken = limit;
      // A call within a call does not queue behind calls that may wait for it.
      Exchange<Boolean> gate =
          ticket == null || ConnectionGates.isWithinCall() ? null : ticket.ask();
      if (ticket != null && gate != null) {
        await(gate, deadline, lease);
        ticket.letIn();
      }
      return limit != null || gate != null;
    }

    private void await(Exchange<Boolean> place, Deadline deadline, Deadline lease)
        throws IOException {
      turn = place;
      if (own.isCanceled()) { // looked at after `turn` was set
        place.cancel();
      }
      try {
        place.await(deadline.earlier(lease));
      } catch (InterruptedException e) {
        throw OkHttpFailures.interrupted(e);
      } catch (TimeoutException e) {
        throw deadline.isExpired() ? OkHttpFailures.timedOut(e) : CallTicket.tooMany(e);
      } catch (CancellationException e) {
        throw OkHttpFailures.cancelled(e);
      } catch (ExecutionException e) {
        throw new AssertionError("a turn does not fail", e);
      }
    }

    /** The call is over; on the worker if it came so far, else on the caller. */
    @Override
    public void run() {
      if (ticket != null) {
        ticket.leave();
      }
      if (taken != null) {
        taken.leave();
      }
      workers.leave(BlockingCall.this);
    }
  }

  @Override
  public void enqueue(Callback callback) {
    markExecuted();
    own.enqueue(
        new Callback() {
          @Override
          public void onResponse(Call call, Response response) throws IOException {
            callback.onResponse(BlockingCall.this, response);
          }

          @Override
          public void onFailure(Call call, IOException e) {
            callback.onFailure(BlockingCall.this, e);
          }
        });
  }

  // ---- any thread ---------------------------------------------------------------------------

  @Override
  public void cancel() {
    try {
      own.cancel();
    } finally { // a listener that is told may throw
      Exchange<Boolean> waiting = turn;
      if (waiting != null) {
        waiting.cancel(); // wakes the caller in Places.await
      }
      OkHttpExchange running = exchange;
      if (running != null) {
        running.cancel();
      }
    }
  }

  @Override
  public boolean isCanceled() {
    return own.isCanceled();
  }

  @Override
  public boolean isExecuted() {
    return executed.get();
  }

  @Override
  public Request request() {
    return own.request();
  }

  @Override
  public Timeout timeout() {
    return own.timeout();
  }

  @Override
  public void addEventListener(EventListener eventListener) {
    own.addEventListener(eventListener);
  }

  @Override
  public <T> @Nullable T tag(KClass<T> type) {
    return own.tag(type);
  }

  @Override
  public <T> @Nullable T tag(Class<? extends T> type) {
    return own.tag(type);
  }

  @Override
  public <T> T tag(KClass<T> type, Function0<? extends T> computeIfAbsent) {
    return own.tag(type, computeIfAbsent);
  }

  @Override
  public <T> T tag(Class<T> type, Function0<? extends T> computeIfAbsent) {
    return own.tag(type, computeIfAbsent);
  }

  @Override
  @SuppressWarnings({"MethodDoesntCallSuperMethod", "CloneableImplementsClone"})
  public Call clone() {
    return new BlockingCall(workers, own.clone());
  }
}
