package io.heddle.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Wakes virtual threads that wait without a timer, shortly before their deadline. From then on they
 * wait with a timer of the JDK's, which is exact.
 *
 * <p>Most waits end long before their deadline. A timer of the JDK's wakes a thread of the JDK's
 * when it is set and when it is taken back; an entry here wakes nobody. One thread looks at the
 * entries when the first of them may be due, which is rare: a call that has ended has taken its
 * entry along, and the look finds the next.
 *
 * <pre>{@code
 * no thread ──watch──▶ SLEEPING ──the next look is due──▶ LOOKING ──▶ SLEEPING
 *     ▲                   │ ▲ └─watch, sooner than that─┐
 *     │                   │ └───────────────────────────┘
 *     └──no entries for some seconds
 * }</pre>
 *
 * <p>No entry is overlooked: who adds one does so first and looks at the time of the next look
 * then; the thread forgets that time first and looks at the entries then. Likewise at its end.
 */
final class DeadlineWatch {

  private static final VarHandle NEXT;
  private static final VarHandle THREAD;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      NEXT = lookup.findVarHandle(DeadlineWatch.class, "next", long.class);
      THREAD = lookup.findVarHandle(DeadlineWatch.class, "thread", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** How long before its deadline a thread is woken. */
  private static final long AHEAD = Duration.ofMillis(100).toNanos();

  /** Between two looks, unless somebody asks for one. */
  private static final long PERIOD = AHEAD / 2;

  /** A wait that is to last longer than this, in ns, may do without a timer. */
  static final long FAR = AHEAD + PERIOD;

  private static final long NEVER = Long.MAX_VALUE;

  /** So that times are numbers that do not wrap. */
  private static final long ORIGIN = System.nanoTime();

  /** Of this JVM. */
  static final DeadlineWatch SHARED =
      new DeadlineWatch(
          Thread.ofPlatform()
                  .name("heddle-deadlines")
                  .daemon()
                  .inheritInheritableThreadLocals(false)
              ::unstarted,
          Duration.ofSeconds(2));

  private final Function<Runnable, Thread> threads;
  private final long idle;
  private final Set<Waiter> entries = ConcurrentHashMap.newKeySet();

  private volatile long next = NEVER; // when to look, on the clock of now()
  private volatile @Nullable Thread thread;

  /**
   * @param threads makes an unstarted thread
   * @param idle how long that thread stays with nothing to watch
   */
  DeadlineWatch(Function<Runnable, Thread> threads, Duration idle) {
    this.threads = threads;
    this.idle = idle.toNanos();
  }

  // ---- caller -------------------------------------------------------------------------------

  /**
   * Wakes the thread that waits here before so many nanoseconds are over, which are more than
   * {@link #FAR}, unless it is taken off before. Who is woken asks again if that was too soon.
   *
   * @return false if there can be no thread for it: the caller needs a timer
   */
  boolean watch(Waiter waiter, long nanos) {
    long due = now() + nanos - AHEAD;
    waiter.due = due;
    entries.add(waiter);
    return plan(due);
  }

  /** The wait is over. By the thread that waited, before another can wait there. */
  void unwatch(Waiter waiter) {
    entries.remove(waiter);
  }

  /** Whether a thread looks at that time, or before. */
  private boolean plan(long at) {
    long planned;
    do {
      planned = next;
      if (at >= planned) {
        return true;
      }
    } while (!NEXT.compareAndSet(this, planned, at));
    Thread running = thread;
    if (running != null) {
      LockSupport.unpark(running); // to sleep less
      return true;
    }
    return start();
  }

  private boolean start() {
    Thread starting = threads.apply(this::run);
    if (!THREAD.compareAndSet(this, null, starting)) {
      return true; // another caller's has started
    }
    try {
      starting.start();
      return true;
    } catch (OutOfMemoryError e) { // no thread can be had
      giveUp();
      return false;
    }
  }

  // ---- the thread ---------------------------------------------------------------------------

  private void run() {
    boolean ended = false;
    try {
      do {
        look();
      } while (sleep());
      ended = true;
    } finally {
      if (!ended) {
        giveUp();
      }
    }
  }

  /** There is no thread any more. All ask again, and see for themselves. */
  private void giveUp() {
    thread = null;
    next = NEVER;
    entries.forEach(this::wake);
  }

  private void look() {
    next = NEVER;
    long now = now();
    long first = NEVER;
    for (Waiter each : entries) {
      if (each.due <= now) {
        wake(each);
      } else {
        first = Math.min(first, each.due);
      }
    }
    if (first != NEVER) {
      plan(Math.max(first, now + PERIOD));
    }
  }

  /** In this order: it may wait anew by now, and asks again then. */
  private void wake(Waiter waiter) {
    entries.remove(waiter);
    waiter.wake();
  }

  /**
   * Until it is time to look.
   *
   * @return false if there has been nothing to look at for a while, and this thread ends
   */
  private boolean sleep() {
    long since = now();
    while (next > now()) {
      if (!entries.isEmpty()) {
        since = now();
      } else if (now() - since >= idle) {
        next = NEVER;
        thread = null;
        return !(entries.isEmpty() && next == NEVER)
            && THREAD.compareAndSet(this, null, Thread.currentThread());
      }
      LockSupport.parkNanos(this, Math.min(next - now(), idle));
      Thread.interrupted(); // means nothing here, and would not let it sleep
    }
    return true;
  }

  private static long now() {
    return System.nanoTime() - ORIGIN;
  }
}
