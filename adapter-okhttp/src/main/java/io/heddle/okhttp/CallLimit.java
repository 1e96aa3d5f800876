package io.heddle.okhttp;

import io.heddle.Exchange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many calls may be under way at a time, in all and per host. Callers beyond that park, and go
 * on in the order in which they came, but for those whose host has its share already.
 */
final class CallLimit {

  /** The right to make one call; to be {@linkplain #release given back} once. */
  final class Permit {
    private final String host;

    private Permit(String host) {
      this.host = host;
    }

    /** The call is over; any thread. */
    void release() {
      giveBack(host);
    }
  }

  private final int max;
  private final int maxPerHost;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<Exchange<Permit>, String> waiting = new LinkedHashMap<>();
  private final Map<String, Integer> taken = new HashMap<>();
  private int takenInAll;

  /** Both are at least 1; {@link Integer#MAX_VALUE} for no limit. */
  CallLimit(int max, int maxPerHost) {
    this.max = max;
    this.maxPerHost = maxPerHost;
  }

  /**
   * Asks for a permit. Does not wait: the exchange does, and gives up its place in the queue if it
   * is abandoned.
   */
  Exchange<Permit> acquire(String host) {
    Exchange<Permit> turn = new Exchange<>(Permit::release);
    lock.lock();
    try {
      waiting.put(turn, host);
    } finally {
      lock.unlock();
    }
    turn.onAbandon(() -> leave(turn));
    grant();
    return turn;
  }

  private void leave(Exchange<Permit> turn) {
    lock.lock();
    try {
      waiting.remove(turn);
    } finally {
      lock.unlock();
    }
  }

  private void giveBack(String host) {
    lock.lock();
    try {
      takenInAll--;
      taken.merge(host, -1, (before, less) -> before == 1 ? null : before + less);
    } finally {
      lock.unlock();
    }
    grant();
  }

  private void grant() {
    for (Map.Entry<Exchange<Permit>, Permit> each : takeNext()) {
      each.getKey().complete(each.getValue()); // wakes the caller whose turn it is
    }
  }

  private List<Map.Entry<Exchange<Permit>, Permit>> takeNext() {
    List<Map.Entry<Exchange<Permit>, Permit>> next = new ArrayList<>(1);
    lock.lock();
    try {
      Iterator<Map.Entry<Exchange<Permit>, String>> queue = waiting.entrySet().iterator();
      while (takenInAll < max && queue.hasNext()) {
        Map.Entry<Exchange<Permit>, String> first = queue.next();
        String host = first.getValue();
        if (taken.getOrDefault(host, 0) < maxPerHost) {
          queue.remove();
          takenInAll++;
          taken.merge(host, 1, Integer::sum);
          next.add(Map.entry(first.getKey(), new Permit(host)));
        }
      }
    } finally {
      lock.unlock();
    }
    return next;
  }
}
