package io.heddle.conformance;

import io.heddle.core.Exchange;
import java.util.ArrayDeque;
import java.util.Deque;

/** A fair limit. Who waits for a slot waits on an exchange, and so can be woken and cancelled. */
final class Slots {

  // Guarded by this.
  private final Deque<Exchange<Slots>> waiting = new ArrayDeque<>();
  private int max;
  private int taken;

  Slots(int max) {
    this.max = max;
  }

  /** Completes when there is a slot; one that comes too late goes back. */
  Exchange<Slots> take() {
    Exchange<Slots> slot = new Exchange<>(Slots::release);
    synchronized (this) {
      waiting.add(slot);
    }
    slot.onAbandon(() -> remove(slot));
    serve();
    return slot;
  }

  void release() {
    synchronized (this) {
      taken--;
    }
    serve();
  }

  void max(int slots) {
    synchronized (this) {
      max = slots;
    }
    serve();
  }

  synchronized int taken() {
    return taken;
  }

  void fail(Throwable failure) {
    Deque<Exchange<Slots>> all;
    synchronized (this) {
      all = new ArrayDeque<>(waiting);
      waiting.clear();
    }
    all.forEach(each -> each.fail(failure));
  }

  private void serve() {
    while (true) {
      Exchange<Slots> next;
      synchronized (this) {
        next = taken < max ? waiting.poll() : null;
        if (next == null) {
          return;
        }
        taken++;
      }
      next.complete(this);
    }
  }

  private synchronized void remove(Exchange<Slots> slot) {
    waiting.remove(slot);
  }
}
