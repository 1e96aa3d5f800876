package io.heddle.pinning;

import java.lang.management.ManagementFactory;
import java.lang.management.PlatformManagedObject;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The platform threads that carry virtual ones: how many there were at most.
 *
 * <p>Nothing is sampled. A census at the start, and JFR's events for each thread that started or
 * ended since, give the exact number at every moment.
 */
final class Carriers {

  /** A carrier that started or ended. */
  record Change(Instant at, long threadId, boolean started) {}

  /** How many carriers there were when the recording started, and at most while it ran. */
  record Count(int atStart, int peak) {}

  private Carriers() {}

  /**
   * The ids of the carriers that are alive. They are told by their class: on JDK 25 their thread
   * group holds a timer thread too.
   */
  static Set<Long> alive() {
    ThreadGroup root = Thread.currentThread().getThreadGroup();
    while (root.getParent() != null) {
      root = root.getParent();
    }
    Thread[] threads = new Thread[64];
    int count = root.enumerate(threads);
    while (count == threads.length) { // there may be more
      threads = new Thread[2 * count];
      count = root.enumerate(threads);
    }
    Set<Long> alive = new HashSet<>();
    for (int i = 0; i < count; i++) {
      if (threads[i].getClass().getName().equals("jdk.internal.misc.CarrierThread")) {
        alive.add(threads[i].threadId());
      }
    }
    return alive;
  }

  /**
   * Counts.
   *
   * @param census who was alive at some moment just after the start
   * @param changes since the start, in any order; those before the census are among them
   * @throws IllegalStateException if there was none at any time, though a control ran on one
   */
  static Count count(Set<Long> census, List<Change> changes) {
    Set<Long> started = new HashSet<>();
    Set<Long> alive = new HashSet<>(census);
    for (Change change : changes) {
      if (change.started()) {
        started.add(change.threadId());
      } else {
        alive.add(change.threadId()); // it may have ended before the census
      }
    }
    alive.removeAll(started);
    int atStart = alive.size();
    int peak = atStart;
    for (Change change : changes.stream().sorted(Comparator.comparing(Change::at)).toList()) {
      if (change.started()) {
        alive.add(change.threadId());
      } else {
        alive.remove(change.threadId());
      }
      peak = Math.max(peak, alive.size());
    }
    if (peak == 0) {
      throw new IllegalStateException(
          "recorder is blind: it cannot tell carriers from other threads in this JVM");
    }
    return new Count(atStart, peak);
  }

  /** How many carriers the scheduler means to have, as long as none of them is blocked. */
  static int parallelism() {
    try { // from JDK 24 on it may change while the JVM runs
      Class<?> type = Class.forName("jdk.management.VirtualThreadSchedulerMXBean");
      Object scheduler =
          ManagementFactory.getPlatformMXBean(type.asSubclass(PlatformManagedObject.class));
      return (int) type.getMethod("getParallelism").invoke(scheduler);
    } catch (ReflectiveOperationException e) {
      return Integer.getInteger(
          "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
    }
  }
}
