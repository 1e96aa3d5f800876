package io.heddle.conformance;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** The CPU time that threads have used, in ns. */
final class Cpu {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Cpu() {}

  /** Of one platform thread. */
  static long ofThread(Thread thread) {
    return Math.max(0, THREADS.getThreadCpuTime(thread.threadId()));
  }

  /** Of all platform threads, and so of the carriers of virtual ones, but not of the server. */
  static long ofAll() {
    long[] ids =
        Thread.getAllStackTraces().keySet().stream()
            .filter(each -> !each.getName().startsWith(FaultServer.THREADS))
            .mapToLong(Thread::threadId)
            .toArray();
    return Arrays.stream(THREADS.getThreadCpuTime(ids)).map(time -> Math.max(0, time)).sum();
  }
}
