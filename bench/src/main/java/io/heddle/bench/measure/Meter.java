package io.heddle.bench.measure;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.heddle.pinning.PinningRecorder;
import io.heddle.pinning.PinningReport;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/**
 * Measures this JVM, and beside it the target server's, from its start until it is read: CPU,
 * allocation, pins and carriers, and every 100 ms heap, resident memory and threads.
 */
public final class Meter implements AutoCloseable {

  /** No server of ours. */
  public static final long NO_SERVER = 0;

  /** Before JDK 24: see {@link PinningReport#ignoringContention}. The kit's TH-05 has the same. */
  public static final Duration CONTENTION = Duration.ofMillis(500);

  private static final Duration PERIOD = Duration.ofMillis(100);

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final IntSupplier inFlight;
  private final long serverPid;
  private final PinningRecorder pins = PinningRecorder.start();
  private final long cpuAtStart;
  private final long serverCpuAtStart;
  private final long allocatedAtStart;
  private final long start;
  private final List<Sample> samples = new ArrayList<>(); // the sampler's, until it has ended
  private final Thread sampler;
  private volatile boolean ended;

  private Meter(IntSupplier inFlight, long serverPid) {
    this.inFlight = inFlight;
    this.serverPid = serverPid;
    this.sampler = Thread.ofPlatform().daemon().name("bench-sampler").unstarted(this::sample);
    THREADS.resetPeakThreadCount();
    this.serverCpuAtStart = serverCpu();
    this.cpuAtStart = SYSTEM.getProcessCpuTime();
    this.allocatedAtStart = THREADS.getTotalThreadAllocatedBytes();
    this.start = System.nanoTime();
  }

  /**
   * Starts.
   *
   * @param inFlight how many calls there are now
   * @param serverPid of the target server; {@link #NO_SERVER} if it is not ours
   */
  public static Meter start(IntSupplier inFlight, long serverPid) {
    Meter meter = new Meter(inFlight, serverPid);
    meter.sampler.start();
    return meter;
  }

  /**
   * What was measured.
   *
   * @param nanos how long
   * @param cpuNanos of this process
   * @param serverCpuNanos of the target server's
   * @param allocatedBytes by all threads
   * @param peakThreads platform threads
   * @param pinning what was pinned, and the carriers
   */
  public record Reading(
      long nanos,
      long cpuNanos,
      long serverCpuNanos,
      long allocatedBytes,
      int peakThreads,
      PinningReport pinning,
      List<Sample> samples) {

    private static final PinningReport NOTHING =
        new PinningReport(List.of(), List.of(), 0, 0, 0, Duration.ZERO);

    /** Of nothing but time. */
    public static Reading ofTime(long nanos) {
      return new Reading(nanos, 0, 0, 0, 0, NOTHING, List.of());
    }
  }

  /** Without what pinned while a class was loaded: the JVM's own, once for each class. */
  public static PinningReport ofCalls(PinningReport all) {
    return all.ignoringClassLoading().ignoringContention(CONTENTION);
  }

  /** Ends, and says what was measured. */
  public Reading stop() throws InterruptedException {
    long nanos = System.nanoTime() - start;
    long cpu = SYSTEM.getProcessCpuTime() - cpuAtStart;
    long serverCpu = serverCpu() - serverCpuAtStart;
    long allocated = THREADS.getTotalThreadAllocatedBytes() - allocatedAtStart;
    int peak = THREADS.getPeakThreadCount();
    ended = true;
    LockSupport.unpark(sampler);
    sampler.join();
    PinningReport pinning = ofCalls(pins.stop());
    return new Reading(nanos, cpu, serverCpu, allocated, peak, pinning, List.copyOf(samples));
  }

  /** Ends, whether it was read or not. */
  @Override
  public void close() {
    ended = true;
    LockSupport.unpark(sampler);
    pins.close();
  }

  private long serverCpu() {
    return serverPid == NO_SERVER ? 0 : ProcessFacts.cpu(serverPid).toNanos();
  }

  private void sample() {
    long self = ProcessHandle.current().pid();
    long next = start;
    while (!ended) {
      samples.add(
          new Sample(
              (System.nanoTime() - start) / 1_000_000,
              inFlight.getAsInt(),
              MEMORY.getHeapMemoryUsage().getUsed(),
              ProcessFacts.rss(self),
              ProcessFacts.virtualSize(self),
              THREADS.getThreadCount()));
      next += PERIOD.toNanos();
      LockSupport.parkNanos(next - System.nanoTime());
    }
  }
}
