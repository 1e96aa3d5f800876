package io.heddle.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.heddle.pinning.PinningRecorder;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleConsumer;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * So many virtual threads, each of which makes one call after the other. The load follows the
 * answers: a slow contestant is asked less often, so that its latencies tell less than its
 * throughput.
 */
final class ClosedLoop {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final Contestant contestant;
  private final Contestant.Running client;
  private final int callers;

  private final Map<String, AtomicLong> errors = new ConcurrentHashMap<>();

  ClosedLoop(Contestant contestant, Contestant.Running client, int callers) {
    this.contestant = contestant;
    this.client = client;
    this.callers = callers;
  }

  /**
   * Calls for this long, and measures.
   *
   * @param progress is told the part that is done, a few times a second
   */
  Measured run(Duration time, DoubleConsumer progress) throws InterruptedException {
    errors.clear();
    Histogram latency = new ConcurrentHistogram(TimeUnit.HOURS.toNanos(1), 3);
    CountDownLatch ended = new CountDownLatch(callers);
    AtomicLong calls = new AtomicLong();

    THREADS.resetPeakThreadCount();
    try (PinningRecorder pins = PinningRecorder.start()) {
      long cpu = SYSTEM.getProcessCpuTime();
      long allocated = THREADS.getTotalThreadAllocatedBytes();
      long start = System.nanoTime();
      long end = start + time.toNanos();
      for (int i = 0; i < callers; i++) {
        Thread.ofVirtual()
            .start(
                () -> {
                  calls.addAndGet(callUntil(end, latency));
                  ended.countDown();
                });
      }
      while (!ended.await(200, TimeUnit.MILLISECONDS)) {
        progress.accept(Math.min(1, (System.nanoTime() - start) / (double) time.toNanos()));
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      cpu = SYSTEM.getProcessCpuTime() - cpu;
      allocated = THREADS.getTotalThreadAllocatedBytes() - allocated;
      int peak = THREADS.getPeakThreadCount();
      Map<String, Long> counts = new TreeMap<>();
      errors.forEach((what, count) -> counts.put(what, count.get()));
      return new Measured(
          contestant, calls.get(), counts, seconds, latency, cpu, allocated, peak, pins.stop());
    }
  }

  private long callUntil(long end, Histogram latency) {
    long calls = 0;
    for (long before = System.nanoTime(); before - end < 0; calls++) {
      try {
        client.call();
        long now = System.nanoTime();
        latency.recordValue(now - before);
        before = now;
      } catch (Exception e) {
        errors.computeIfAbsent(kindOf(e), what -> new AtomicLong()).incrementAndGet();
        before = System.nanoTime();
      }
    }
    return calls;
  }

  private static String kindOf(Exception e) {
    return e.getClass().getSimpleName() + ": " + e.getMessage();
  }
}
