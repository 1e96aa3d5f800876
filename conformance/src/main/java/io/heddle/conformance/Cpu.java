package io.heddle.conformance;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** The CPU time that threads have used, in ns. */
final class Cpu {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** More than what the rules allow to threads that wait. */
  private static final long SHARE_NANOS = CancelRules.IDLE_CPU.toNanos() * 5 / 4;

  private Cpu() {}

  /** Of one platform thread. */
  static long ofThread(Thread thread) {
    return Math.max(0, THREADS.getThreadCpuTime(thread.threadId()));
  }

  /**
   * Of all platform threads, and so of the carriers of virtual ones, but not of the server: within
   * a second, or longer on a machine so busy that a thread which spins could not have used {@link
   * #SHARE_NANOS} in that time.
   */
  static long usedByOthersInASecond() throws InterruptedException {
    long before = ofAll();
    Thread spinner =
        Thread.ofPlatform()
            .daemon()
            .name(FaultServer.THREADS + "-share") // which does not count
            .start(Cpu::useShare);
    Thread.sleep(1000);
    spinner.join();
    return ofAll() - before;
  }

  /** Spins, for CPU is what it is to use: how long that takes tells how much there is. */
  private static void useShare() {
    while (ofThread(Thread.currentThread()) < SHARE_NANOS) {
      Thread.onSpinWait(); // not parked: a thread that sleeps uses nothing
    }
  }

  private static long ofAll() {
    long[] ids =
        Thread.getAllStackTraces().keySet().stream()
            .filter(each -> !each.getName().startsWith(FaultServer.THREADS))
            .mapToLong(Thread::threadId)
            .toArray();
    return Arrays.stream(THREADS.getThreadCpuTime(ids)).map(time -> Math.max(0, time)).sum();
  }
}
