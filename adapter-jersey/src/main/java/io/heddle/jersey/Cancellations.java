package io.heddle.jersey;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.core5.concurrent.Cancellable;

/**
 * Cancels calls when futures of the user's complete. One future may be for many calls and outlive
 * them all: it gets one dependent, whatever their number, and keeps none that is over.
 */
final class Cancellations {

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock. Of a call only who runs it and who reads its response know whether it is over.
  private final Map<CompletableFuture<?>, Set<Cancellable>> calls = new WeakHashMap<>();

  /** Cancels the call, if it can be reached by then, when the future completes. */
  void cancel(Cancellable call, CompletableFuture<?> when) {
    Set<Cancellable> its = Collections.newSetFromMap(new WeakHashMap<>());
    boolean first;
    lock.lock();
    try {
      Set<Cancellable> known = calls.putIfAbsent(when, its);
      first = known == null;
      (known == null ? its : known).add(call);
    } finally {
      lock.unlock();
    }
    if (first) {
      var unused = when.whenComplete((value, failure) -> cancelAll(its));
    } else if (when.isDone()) { // and the others were cancelled before this came to be among them
      call.cancel();
    }
  }

  private void cancelAll(Set<Cancellable> its) {
    List<Cancellable> each;
    lock.lock();
    try {
      each = List.copyOf(its);
    } finally {
      lock.unlock();
    }
    each.forEach(Cancellable::cancel);
  }
}
