package io.heddle.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What a builder's factories have opened, to be closed with the application context.
 *
 * @param <T> a client or a connection manager
 */
final class Opened<T> implements AutoCloseable {

  /** Is told of each, on the thread that opens or closes it. */
  interface Listener<T> {
    void opened(T each);

    /** Its last user has closed it, before the application context closes. May be told twice. */
    default void closed(T each) {}
  }

  private final Consumer<T> closer;
  private final Predicate<T> gone;

  /** Neither a closer nor a listener runs within. */
  private final Lock lock = new ReentrantLock();

  // Guarded by the lock.
  private final List<T> all = new ArrayList<>();
  private final List<Listener<? super T>> listeners = new ArrayList<>();
  private boolean closed;

  Opened(Consumer<T> closer) {
    this(closer, each -> false);
  }

  /**
   * With a rule for what need not be kept.
   *
   * @param gone whether this has ended by itself
   */
  Opened(Consumer<T> closer, Predicate<T> gone) {
    this.closer = closer;
    this.gone = gone;
  }

  /**
   * Keeps this, and tells of it.
   *
   * @throws IllegalStateException if all is closed; then this is closed too
   */
  T add(T each) {
    List<Listener<? super T>> told;
    try {
      told = keep(each);
    } catch (IllegalStateException e) {
      closer.accept(each);
      throw e;
    }
    told.forEach(listener -> listener.opened(each));
    return each;
  }

  /** Returns whom to tell. */
  private List<Listener<? super T>> keep(T each) {
    lock.lock();
    try {
      requireOpen();
      all.removeIf(gone);
      all.add(each);
      return List.copyOf(listeners);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Checks that there may be more.
   *
   * @throws IllegalStateException if all is closed
   */
  void requireOpen() {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("closed, as the application context that made it is");
      }
    } finally {
      lock.unlock();
    }
  }

  /** Keeps this no longer, as its last user closes it, and tells of it. Once; then does nothing. */
  void forget(T each) {
    List<Listener<? super T>> told;
    lock.lock();
    try {
      told = all.remove(each) ? List.copyOf(listeners) : List.of();
    } finally {
      lock.unlock();
    }
    told.forEach(listener -> listener.closed(each));
  }

  /** Tells of each from now on, and of those that are there. */
  void onOpen(Listener<? super T> listener) {
    List<T> there;
    lock.lock();
    try {
      listeners.add(listener);
      there = List.copyOf(all);
    } finally {
      lock.unlock();
    }
    for (T each : there) {
      listener.opened(each);
      if (!isKept(each)) { // meanwhile
        listener.closed(each);
      }
    }
  }

  private boolean isKept(T each) {
    lock.lock();
    try {
      return all.contains(each);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    List<T> there;
    lock.lock();
    try {
      closed = true;
      there = List.copyOf(all);
      all.clear();
    } finally {
      lock.unlock();
    }
    there.forEach(closer);
  }
}
