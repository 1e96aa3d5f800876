package io.heddle.spring.boot;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Things that have users in common, one for each key: opened for the first user, closed after the
 * last.
 *
 * <pre>
 *             lease: opens it              lease: one user more
 *   ABSENT ────────────────────► SHARED ───────────────────────► SHARED
 *          ◄────────────────────        ◄───────────────────────
 *         release by the last:             release: one user less
 *          forgets it, closes it
 * </pre>
 *
 * <p>The last release forgets the thing before it closes it, so that no lease returns a closed one:
 * a lease that comes meanwhile opens another. A release without a lease is illegal.
 */
final class Shared<K, T> {

  private record Use<T>(T thing, int users) {}

  private final Consumer<T> closer;

  /** An opener runs within, the closer does not. */
  private final Lock lock = new ReentrantLock();

  /** Guarded by the lock. */
  private final Map<K, Use<T>> uses = new HashMap<>();

  Shared(Consumer<T> closer) {
    this.closer = closer;
  }

  /** Returns the thing for this key to one user more, who has to {@link #release} it. */
  T lease(K key, Supplier<T> opener) {
    lock.lock();
    try {
      Use<T> use = uses.get(key);
      T thing = use == null ? opener.get() : use.thing;
      uses.put(key, new Use<>(thing, use == null ? 1 : use.users + 1));
      return thing;
    } finally {
      lock.unlock();
    }
  }

  /** A user of this key's thing needs it no longer. */
  void release(K key) {
    T last = withoutOneUser(key);
    if (last != null) {
      closer.accept(last);
    }
  }

  /** Returns what nobody uses any more; null if somebody does. */
  private @Nullable T withoutOneUser(K key) {
    lock.lock();
    try {
      Use<T> use = uses.remove(key);
      if (use == null) {
        throw new IllegalStateException("released more often than leased: " + key);
      }
      if (use.users == 1) {
        return use.thing;
      }
      uses.put(key, new Use<>(use.thing, use.users - 1));
      return null;
    } finally {
      lock.unlock();
    }
  }
}
