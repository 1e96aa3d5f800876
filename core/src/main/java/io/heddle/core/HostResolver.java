package io.heddle.core;

import io.heddle.core.CallEvent.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks names up on a few platform threads of its own, while the caller parks until its deadline.
 *
 * <p>The JDK's look-up is a native call: on a virtual thread it holds the carrier for as long as
 * the name server takes, and nothing can interrupt it. Here it holds a thread that nobody else
 * needs. Look-ups of one name that overlap share one call. A caller that gives up leaves at once;
 * the native call ends when it ends, and its answer is dropped.
 *
 * <p>The threads are daemons, start where none is idle, and end after {@value #IDLE_SECONDS} s
 * without work. They inherit nothing from who starts them: no InheritableThreadLocal, and the
 * context class loader is the system's. With more names being looked up than threads, names wait
 * for a thread; where none can be made, the look-up fails with what the JVM says.
 *
 * @param <T> what a look-up answers: a list of addresses, in the library's own type
 */
public final class HostResolver<T> implements AutoCloseable {

  private static final int IDLE_SECONDS = 10;

  private final int maxThreads;
  private final ExecutorService threads;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock. A null value for a key is never stored.
  private final Map<Object, Lookup> running = new HashMap<>();
  private final Queue<Lookup> queued = new ArrayDeque<>(); // while all threads are busy
  private int busy;
  private boolean closed;

  /**
   * A resolver.
   *
   * @param name the beginning of its threads' names
   * @param maxThreads how many names may be looked up at a time
   * @throws IllegalArgumentException if {@code maxThreads} is not positive
   */
  public HostResolver(String name, int maxThreads) {
    this(
        maxThreads,
        // Who happens to start one must not be seen by the look-ups of others, which it outlives.
        Thread.ofPlatform()
            .daemon()
            .name(Objects.requireNonNull(name, "name") + "-", 1)
            .inheritInheritableThreadLocals(false)
            .factory());
  }

  /** For tests of threads that cannot be made. */
  HostResolver(int maxThreads, ThreadFactory factory) {
    if (maxThreads <= 0) {
      throw new IllegalArgumentException("maxThreads must be positive: " + maxThreads);
    }
    this.maxThreads = maxThreads;
    // It hands a task to a thread that is idle, or to a new one: how many there are is up to busy.
    threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            factory);
  }

  /**
   * Starts a look-up, or joins one of the same key that is under way. Does not wait.
   *
   * @param key what is looked up: a host name, or a name and a port
   * @param lookup called on a thread of this resolver, unless a look-up is joined
   * @return completes with what the look-up answers, or fails with what it throws, which callers
   *     that share a look-up share; abandoning it leaves the look-up
   * @throws IllegalStateException if the resolver is closed
   */
  public Exchange<T> resolve(Object key, Callable<? extends T> lookup) {
    Exchange<T> answer = new Exchange<>();
    Asker<T> asker = new Waits<>(answer);
    Lookup joined = join(key, lookup, asker);
    answer.onAbandon(() -> joined.leave(asker));
    return answer;
  }

  /**
   * Starts a look-up, or joins one of the same key, for a caller that wants to be told instead of
   * waiting: the I/O thread of a library that resolves names itself.
   *
   * @param then called once, with the answer or with the failure and null for the other, on a
   *     thread of this resolver, or here and now if no thread can be made; with a {@link
   *     CancellationException} by {@link #close}; must not wait
   * @throws IllegalStateException if the resolver is closed
   */
  public void resolve(
      Object key,
      Callable<? extends T> lookup,
      BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
    join(key, lookup, new Told<>(then));
  }

  /** Says who waits for which name; a snapshot. */
  public void tell(CallReport report) {
    lock.lock();
    try {
      for (Lookup each : running.values()) {
        each.askers.forEach(asker -> report.add(Step.NAME, each.key.toString(), asker.waiter()));
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Cancels the look-ups that callers wait for, and refuses further ones. Does not wait for native
   * calls that are under way.
   */
  @Override
  public void close() {
    List<Asker<T>> waiting = new ArrayList<>();
    lock.lock();
    try {
      closed = true;
      queued.clear();
      for (Lookup each : running.values()) {
        waiting.addAll(each.askers);
        each.askers.clear();
      }
    } finally {
      lock.unlock();
    }
    threads.shutdownNow();
    for (Asker<T> each : waiting) {
      each.cancel();
    }
  }

  private Lookup join(Object key, Callable<? extends T> lookup, Asker<T> asker) {
    Lookup joined;
    @Nullable Error noThread;
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the resolver is closed");
      }
      Lookup known = running.get(key);
      joined = known == null ? new Lookup(key, lookup) : known;
      noThread = known == null ? start(joined) : null;
      if (noThread == null) {
        running.put(key, joined);
        joined.askers.add(asker);
      }
    } finally {
      lock.unlock();
    }
    if (noThread != null) {
      asker.failed(noThread);
    }
    return joined;
  }

  /** Under lock. Null, or why there is no thread; then the next one to ask tries anew. */
  private @Nullable Error start(Lookup lookup) {
    if (busy == maxThreads) {
      queued.add(lookup);
      return null;
    }
    try {
      threads.execute(lookup);
      busy++;
      return null;
    } catch (Error noThread) { // OutOfMemoryError: unable to create native thread
      return noThread;
    }
  }

  /** One who wants an answer. */
  private interface Asker<T> {
    void found(@Nullable T answer);

    void failed(Throwable failure);

    void cancel();

    /** The thread that waits for it; null if none does. */
    default @Nullable Thread waiter() {
      return null;
    }
  }

  private record Waits<T>(Exchange<T> exchange) implements Asker<T> {
    @Override
    @SuppressWarnings("NullAway") // null only where the look-up answered null
    public void found(@Nullable T answer) {
      exchange.complete(answer);
    }

    @Override
    public void failed(Throwable failure) {
      exchange.fail(failure);
    }

    @Override
    public void cancel() {
      exchange.cancel(); // wakes its caller
    }

    @Override
    public @Nullable Thread waiter() {
      return exchange.waiter();
    }
  }

  private record Told<T>(BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then)
      implements Asker<T> {
    @Override
    public void found(@Nullable T answer) {
      then.accept(answer, null);
    }

    @Override
    public void failed(Throwable failure) {
      then.accept(null, failure);
    }

    @Override
    public void cancel() {
      then.accept(null, new CancellationException("the resolver is closed"));
    }
  }

  /** One native call, and those who want its answer. */
  private final class Lookup implements Runnable {
    private final Object key;
    private final Callable<? extends T> call;

    // Guarded by lock.
    private final List<Asker<T>> askers = new ArrayList<>(1);

    Lookup(Object key, Callable<? extends T> call) {
      this.key = key;
      this.call = call;
    }

    @Override
    public void run() {
      for (Lookup each = this; each != null; each = next()) {
        each.lookUp();
      }
    }

    /** What the thread does next; null if nothing waits for one. */
    private @Nullable Lookup next() {
      lock.lock();
      try {
        Lookup next = queued.poll();
        if (next == null) {
          busy--;
        }
        return next;
      } finally {
        lock.unlock();
      }
    }

    private void lookUp() {
      if (abandoned()) {
        return;
      }
      T answer = null;
      Throwable failure = null;
      try {
        answer = call.call();
      } catch (Throwable t) {
        failure = t;
      }
      for (Asker<T> each : endAndTakeAskers()) {
        tell(each, answer, failure);
      }
    }

    /** One who throws does not keep the others from being told. */
    private void tell(Asker<T> asker, @Nullable T answer, @Nullable Throwable failure) {
      try {
        if (failure != null) {
          asker.failed(failure);
        } else {
          asker.found(answer);
        }
      } catch (Throwable t) {
        uncaught(t);
      }
    }

    private void uncaught(Throwable thrown) {
      Thread me = Thread.currentThread();
      try {
        me.getUncaughtExceptionHandler().uncaughtException(me, thrown);
      } catch (Throwable ofHandler) { // ignored, as the JVM does: others wait for this thread
      }
    }

    /** Called by a caller that gave up. */
    void leave(Asker<T> asker) {
      lock.lock();
      try {
        askers.remove(asker);
      } finally {
        lock.unlock();
      }
    }

    /** Whether all callers left while this waited for a thread: then there is nothing to do. */
    private boolean abandoned() {
      lock.lock();
      try {
        if (askers.isEmpty()) {
          running.remove(key);
          return true;
        }
        return false;
      } finally {
        lock.unlock();
      }
    }

    private List<Asker<T>> endAndTakeAskers() {
      lock.lock();
      try {
        running.remove(key);
        return List.copyOf(askers);
      } finally {
        lock.unlock();
      }
    }
  }
}
