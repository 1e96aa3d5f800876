package io.heddle.okhttp;

import io.heddle.core.InFlightLimit;
import java.util.ArrayList;
import java.util.List;

/**
 * The places that a call holds at limits. It knows nothing of its call, so that a call which nobody
 * holds any more can be found, and its places given back.
 *
 * <p>Of the caller, and of whoever ends the call, or finds it dropped, which comes after.
 */
final class Places {

  private final List<InFlightLimit> taken = new ArrayList<>();

  void took(InFlightLimit limit) {
    taken.add(limit);
  }

  boolean has(InFlightLimit limit) {
    return taken.contains(limit);
  }

  void leave(InFlightLimit limit) {
    if (taken.remove(limit)) {
      limit.leave();
    }
  }

  void leaveAll() {
    while (!taken.isEmpty()) {
      leave(taken.get(0));
    }
  }
}
