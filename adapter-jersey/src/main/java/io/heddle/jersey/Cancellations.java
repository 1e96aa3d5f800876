package io.heddle.jersey;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.core5.concurrent.Cancellable;

/**
 * Cancels calls when stages of the user's complete. One stage may be for many calls and outlive
 * them all: it gets one dependent, whatever their number, and keeps none that is over.
 */
final class Cancellations {

  private final ReentrantLock lock = new ReentrantLock();

  private final Map<CompletionStage<?>, Calls> calls = new WeakHashMap<>(); // guarded by lock

  /** Those of one stage; guarded by lock. */
  private static final class Calls {
    // Of a call only who runs it and who reads its response know whether it is over.
    final Set<Cancellable> open = Collections.newSetFromMap(new WeakHashMap<>());
    boolean cancelled;
  }

  /** Cancels the call, if it can be reached by then, when the stage completes. */
  void cancel(Cancellable call, CompletionStage<?> when) {
    Calls its;
    boolean first;
    boolean late;
    lock.lock();
    try {
      first = !calls.containsKey(when);
      its = calls.computeIfAbsent(when, key -> new Calls());
      late = its.cancelled;
      its.open.add(call);
    } finally {
      lock.unlock();
    }
    if (late) {
      call.cancel();
    } else if (first) {
      try {
        var unused = when.whenComplete((value, failure) -> cancelAll(its));
      } catch (RuntimeException e) {
        forget(when); // so that the next call asks again
        throw e;
      }
    }
  }

  private void forget(CompletionStage<?> when) {
    lock.lock();
    try {
      calls.remove(when);
    } finally {
      lock.unlock();
    }
  }

  private void cancelAll(Calls its) {
    List<Cancellable> each;
    lock.lock();
    try {
      its.cancelled = true;
      each = List.copyOf(its.open);
      its.open.clear();
    } finally {
      lock.unlock();
    }
    each.forEach(Cancellable::cancel);
  }
}
