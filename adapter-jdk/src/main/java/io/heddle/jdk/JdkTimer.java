package io.heddle.jdk;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Keeps the time for all clients of this JVM. */
final class JdkTimer {

  private static final ScheduledThreadPoolExecutor TIMER =
      new ScheduledThreadPoolExecutor(
          1,
          Thread.ofPlatform()
              .daemon()
              .name("heddle-jdk-timer")
              .inheritInheritableThreadLocals(false)
              .factory());

  static {
    TIMER.setRemoveOnCancelPolicy(true);
  }

  private JdkTimer() {}

  /** Runs this in a while, where it may run code of the user's, and holds up no other. */
  static Future<?> after(long nanos, Runnable what) {
    return TIMER.schedule(() -> Thread.startVirtualThread(what), nanos, TimeUnit.NANOSECONDS);
  }

  /** How many tasks wait for their time; for tests. */
  static int size() {
    return TIMER.getQueue().size();
  }
}
