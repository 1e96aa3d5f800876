package io.heddle.core;

import io.heddle.IoThread;
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
 */
public final class InFlightLimit implements AutoCloseable {

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
  private final Set<Exchange<Boolean>> queue = new LinkedHashSet<>();
  private int max;

  // Shared. `free`, under compare-and-set, is below 0 after the bound was lowered, or
  // places were taken beyond it. `queued` is
  // written under the lock. He who waits writes `queued` and then looks at `free`; he who leaves
  // writes `free` and then looks at `queued`: at least one sees the other.
  private volatile int free;
  private volatile int queued;
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
  public boolean tryEnter() {
    return queued == 0 && !closed && takeFree();
  }

  /** Takes a place even if none is free, or others wait for it. Never waits; any thread. */
  public void enterAnyway() {
    FREE.getAndAdd(this, -1);
  }

  /**
   * Asks for a place. Does not wait; the exchange does, and another thread can cancel it.
   *
   * @return completes once the caller is in flight and must {@link #leave}; cancelled if the limit
   *     is closed; he who gives it up loses his turn, and no place is lost
   */
  public Exchange<Boolean> ask() {
    Exchange<Boolean> turn = new Exchange<>(late -> leave());
    if (tryEnter()) {
      turn.complete(true);
      return turn;
    }
    lock.lock();
    try {
      if (!closed) {
        queue.add(turn);
        queued = queue.size();
      }
    } finally {
      lock.unlock();
    }
    turn.onAbandon(() -> forget(turn));
    if (closed) {
      turn.cancel();
    } else if (free > 0) { // he who left before this was queued did not see it
      grant();
    }
    return turn;
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
  public void enter(Deadline deadline) throws InterruptedException, TimeoutException {
    if (tryEnter()) {
      return;
    }
    Exchange<Boolean> turn = ask();
    try {
      turn.await(deadline);
    } catch (ExecutionException e) {
      throw new AssertionError("a turn never fails", e);
    } catch (IllegalStateException onIoThread) {
      turn.cancel();
      throw onIoThread;
    }
  }

  // ---- any thread ---------------------------------------------------------------------------

  /** Gives a place back, for the first who waits; once for each that was taken. Never waits. */
  public void leave() {
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
  public void setMax(int newMax) {
    checked(newMax);
    lock.lock();
    try {
      FREE.getAndAdd(this, newMax - max);
      max = newMax;
    } finally {
      lock.unlock();
    }
    grant();
  }

  /** How many calls are in flight; a snapshot. */
  public int inFlight() {
    lock.lock();
    try {
      return max - free;
    } finally {
      lock.unlock();
    }
  }

  /** How many callers wait for a place; a snapshot. */
  public int waiting() {
    return queued;
  }

  /** Turns away all that wait, and all that come; those in flight leave as they like. */
  @Override
  public void close() {
    List<Exchange<Boolean>> turnedAway;
    lock.lock();
    try {
      closed = true;
      turnedAway = new ArrayList<>(queue);
      queue.clear();
      queued = 0;
    } finally {
      lock.unlock();
    }
    for (Exchange<Boolean> each : turnedAway) {
      each.cancel(); // wakes its caller
    }
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
    List<Exchange<Boolean>> next = new ArrayList<>(1);
    lock.lock();
    try {
      Iterator<Exchange<Boolean>> waiting = queue.iterator();
      while (waiting.hasNext() && takeFree()) {
        next.add(waiting.next());
        waiting.remove();
      }
      queued = queue.size();
    } finally {
      lock.unlock();
    }
    for (Exchange<Boolean> each : next) {
      each.complete(true); // wakes its caller; one who gave up meanwhile gives the place back
    }
  }

  /** A caller gave up: takes it out of the queue. */
  private void forget(Exchange<Boolean> turn) {
    lock.lock();
    try {
      queue.remove(turn);
      queued = queue.size();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return "InFlightLimit[" + inFlight() + " in flight, " + queued + " waiting]";
  }
}
