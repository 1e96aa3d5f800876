package io.heddle.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a builder's factories have opened, to be closed with the application context.
 *
 * @param <T> a client or a connection manager
 */
final class Opened<T> implements AutoCloseable {

  private final Consumer<T> closer;
  private final Predicate<T> gone;

  // Guarded by this; neither a closer nor a listener runs within.
  private final List<T> all = new ArrayList<>();
  private final List<Consumer<? super T>> listeners = new ArrayList<>();
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
    List<Consumer<? super T>> told = keep(each);
    if (told == null) {
      closer.accept(each);
      throw new IllegalStateException("closed, as the application context that made it is");
    }
    told.forEach(listener -> listener.accept(each));
    return each;
  }

  /** Whom to tell; null if all is closed. */
  private synchronized @Nullable List<Consumer<? super T>> keep(T each) {
    if (closed) {
      return null;
    }
    all.removeIf(gone);
    all.add(each);
    return List.copyOf(listeners);
  }

  /** Tells of each from now on, and of those that are there. */
  void onOpen(Consumer<? super T> listener) {
    List<T> there;
    synchronized (this) {
      listeners.add(listener);
      there = List.copyOf(all);
    }
    there.forEach(listener);
  }

  @Override
  public void close() {
    List<T> there;
    synchronized (this) {
      closed = true;
      there = List.copyOf(all);
      all.clear();
    }
    there.forEach(closer);
  }
}
