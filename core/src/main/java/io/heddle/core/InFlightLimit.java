package io.heddle.core;

import io.heddle.IoThread;
import io.heddle.core.CallEvent.Step;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A bound on how many calls are in flight, at which a further caller waits until its deadline
 * instead of failing.
 *
 * <p>Fair: places are given in the order in which callers asked for them. A place that becomes free
 * is handed to the first who waits, so nobody is woken in vain. A newcomer that finds a free place
 * and nobody waiting takes it with one compare-and-set; a lock guards the queue, and only callers
 * that have to wait, and those that hand a place to them, take it.
 *
 * <p>The bound can be changed while calls are in flight. If it falls below their number, none is
 * hurt, and no place is given until enough of them have left.
 *
 * <pre>{@code
 * OPEN ──close───▶ CLOSED   who waits, and who comes, is turned away
 *   └───follow───▶ PASSED   who waits goes on waiting at the limit that follows, in his turn, and
 *                           who comes asks there; or who waits fails
 * }</pre>
 */
public class InFlightLimit implements AutoCloseable {

  private static final VarHandle FREE;

  static {
    try {
      FREE = MethodHandles.lookup().findVarHandle(InFlightLimit.class, "free", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Set<Exchange<InFlightLimit>> queue = new LinkedHashSet<>();
  private int max;

  // Shared. `free`, under compare-and-set, is below 0 after the bound was lowered, or
  // places were taken beyond it. `queued` is
  // written under the lock. He who waits writes `queued` and then looks at `free`; he who leaves
  // writes `free` and then looks at `queued`: at least one sees the other.
  private volatile int free;
  private volatile int queued;
  private volatile @Nullable InFlightLimit next; // written under the lock
  private volatile boolean closed;

  /**
   * A limit at which nobody is in flight.
   *
   * @param max how many calls may be; 0 lets nobody in until it is raised
   * @throws IllegalArgumentException if {@code max} is negative
   */
  public InFlightLimit(int max) {
    this.max = checked(max);
    this.free = max;
  }

  private static int checked(int max) {
    if (max < 0) {
      throw new IllegalArgumentException("negative limit: " + max);
    }
    return max;
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Takes a place if one is free and nobody waits for it. Never waits; any thread.
   *
   * @return whether the caller is in flight now, and must {@link #leave}
   */
  public final boolean tryEnter() {
    return queued == 0 && !closed && takeFree();
  }

  /** Takes a place even if none is free, or others wait for it. Never waits; any thread. */
  public final void enterAnyway() {
    FREE.getAndAdd(this, -1);
  }

  /**
   * Asks for a place. Does not wait; the exchange does, and another thread can cancel it.
   *
   * @return completes once the caller is in flight, with the limit that it must {@link #leave}:
   *     this, or one that has followed; cancelled if that is closed. To cancel it gives up the
   *     turn, and takes no place from the others
   */
  public final Exchange<InFlightLimit> ask() {
    Exchange<InFlightLimit> turn = new Exchange<>(InFlightLimit::leave);
    if (tryEnter()) {
      turn.complete(this);
      return turn;
    }
    turn.onAbandon(() -> forget(turn));
    InFlightLimit follows = queue(List.of(turn));
    return follows == null ? turn : follows.ask();
  }

  /**
   * Waits for a place.
   *
   * @throws InterruptedException if the caller was interrupted before it had a place; the flag is
   *     cleared
   * @throws TimeoutException if the deadline came first
   * @throws CancellationException if the limit is closed
   * @throws IllegalStateException if it would have to wait, on an {@link IoThread}
   */
  public final void enter(Deadline deadline) throws InterruptedException, TimeoutException {
    if (tryEnter()) {
      return;
    }
    Exchange<InFlightLimit> turn = ask();
    try {
      turn.await(deadline);
    } catch (ExecutionException e) {
      throw new AssertionError("nothing follows this limit", e);
    } catch (IllegalStateException onIoThread) {
      turn.cancel();
      throw onIoThread;
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** Gives a place back, for the first who waits; once for each that was taken. Never waits. */
  public final void leave() {
    FREE.getAndAdd(this, 1);
    if (queued > 0) {
      grant();
    }
  }

  /**
   * Changes the bound.
   *
   * @throws IllegalArgumentException if {@code newMax} is negative
   */
  public final void setMax(int newMax) {
    checked(newMax);
    changeMax((now, inFlight) -> newMax);
  }

  /**
   * Changes the bound by what it is, and no other change comes between.
   *
   * @param to gets the bound and how many are in flight, and says the new bound, which is not
   *     negative; runs under the lock, must not wait
   */
  public final void changeMax(IntBinaryOperator to) {
    lock.lock();
    try {
      int newMax = to.applyAsInt(max, max - free);
      if (newMax == max) {
        return;
      }
      FREE.getAndAdd(this, newMax - max);
      max = newMax;
    } finally {
      lock.unlock();
    }
    grant();
  }

  /** How many calls are in flight; a snapshot. */
  public final int inFlight() {
    lock.lock();
    try {
      return max - free;
    } finally {
      lock.unlock();
    }
  }

  /** How many callers wait for a place; a snapshot. */
  public final int waiting() {
    return queued;
  }

  /**
   * Says who waits for a place.
   *
   * @param of what there is a place at
   */
  public final void tell(CallReport report, String of) {
    List<Exchange<InFlightLimit>> turns;
    lock.lock();
    try {
      turns = new ArrayList<>(queue);
    } finally {
      lock.unlock();
    }
    turns.forEach(each -> report.add(Step.PLACE, of, each.waiter()));
  }

  /** Turns away all that wait, and all that come; those in flight leave as they like. */
  @Override
  public final void close() {
    for (Exchange<InFlightLimit> each : end(null)) {
      each.cancel(); // wakes its caller
    }
  }

  /**
   * From now on that limit counts in place of this.
   *
   * @param failure for those who wait; null if they go on waiting there
   */
  final void follow(InFlightLimit by, @Nullable Throwable failure) {
    List<Exchange<InFlightLimit>> waiting = end(by);
    if (failure == null) {
      for (InFlightLimit to = by; to != null; ) {
        to = to.queue(waiting);
      }
    } else {
      waiting.forEach(each -> each.fail(failure)); // wakes its caller
    }
  }

  private List<Exchange<InFlightLimit>> end(@Nullable InFlightLimit by) {
    lock.lock();
    try {
      next = by == null ? next : by;
      closed = true;
      List<Exchange<InFlightLimit>> waiting = new ArrayList<>(queue);
      queue.clear();
      queued = 0;
      return waiting;
    } finally {
      lock.unlock();
    }
  }

  /** Queues these, or turns them away; or says where they are to queue instead. */
  private @Nullable InFlightLimit queue(List<Exchange<InFlightLimit>> turns) {
    boolean ended;
    InFlightLimit follows;
    lock.lock();
    try {
      ended = closed;
      follows = next;
      for (Exchange<InFlightLimit> each : turns) {
        if (!ended && !each.isDone()) { // who gives up later is taken out, by himself
          queue.add(each);
        }
      }
      queued = queue.size();
    } finally {
      lock.unlock();
    }
    if (ended && follows == null) {
      turns.forEach(Exchange::cancel); // wakes its caller
    } else if (!ended && free > 0) { // he who left before these were queued did not see them
      grant();
    }
    return follows;
  }

  private boolean takeFree() {
    for (; ; ) {
      int now = free;
      if (now <= 0) {
        return false;
      }
      if (FREE.compareAndSet(this, now, now - 1)) {
        return true;
      }
    }
  }

  /** Hands free places to those who wait longest. */
  private void grant() {
    List<Exchange<InFlightLimit>> turns = new ArrayList<>(1);
    lock.lock();
    try {
      Iterator<Exchange<InFlightLimit>> waiting = queue.iterator();
      while (waiting.hasNext() && takeFree()) {
        turns.add(waiting.next());
        waiting.remove();
      }
      queued = queue.size();
    } finally {
      lock.unlock();
    }
    for (Exchange<InFlightLimit> each : turns) {
      each.complete(this); // wakes its caller; one who gave up meanwhile gives the place back
    }
  }

  /** A caller gave up: takes it out of the queue. */
  private void forget(Exchange<InFlightLimit> turn) {
    lock.lock();
    try {
      queue.remove(turn);
      queued = queue.size();
    } finally {
      lock.unlock();
    }
    InFlightLimit follows = next;
    if (follows != null) {
      follows.forget(turn);
    }
  }

  @Override
  public final String toString() {
    return "InFlightLimit[" + inFlight() + " in flight, " + queued + " waiting]";
  }
}
