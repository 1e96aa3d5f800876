package io.heddle.bench.measure;

import io.heddle.bench.scenarios.FrontProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Watches a service's process from outside: CPU, and every 100 ms memory and threads. */
public final class FrontMeter implements AutoCloseable {

  private static final long PERIOD_NANOS = 100_000_000;

  private final long pid;
  private final long serverPid;
  private final long start = System.nanoTime();
  private final double cpuAtStart;
  private final double serverCpuAtStart;
  private final List<Sample> samples = new ArrayList<>(); // the sampler's, until it has ended
  private final Thread sampler;
  private volatile boolean ended;

  private FrontMeter(long pid, long serverPid) {
    this.pid = pid;
    this.serverPid = serverPid;
    this.cpuAtStart = cpu(pid);
    this.serverCpuAtStart = cpu(serverPid);
    this.sampler = Thread.ofPlatform().daemon().name("front-sampler").unstarted(this::sample);
  }

  /**
   * Starts.
   *
   * @param pid the service's
   * @param serverPid of those that it calls
   */
  public static FrontMeter start(long pid, long serverPid) {
    FrontMeter meter = new FrontMeter(pid, serverPid);
    meter.sampler.start();
    return meter;
  }

  private static double cpu(long pid) {
    return ProcessFacts.cpu(pid).toNanos() / 1e9;
  }

  private void sample() {
    long next = start;
    while (!ended) {
      samples.add(
          new Sample(
              (System.nanoTime() - start) / 1_000_000,
              0,
              0,
              ProcessFacts.rss(pid),
              ProcessFacts.virtualSize(pid),
              ProcessFacts.threads(pid)));
      next += PERIOD_NANOS;
      LockSupport.parkNanos(next - System.nanoTime());
    }
  }

  /** What the callers saw, with the service's costs instead of theirs. */
  public Figures stop(Measured callers, FrontProcess.Seen seen) throws InterruptedException {
    double cpu = cpu(pid) - cpuAtStart;
    double serverCpu = cpu(serverPid) - serverCpuAtStart;
    ended = true;
    LockSupport.unpark(sampler);
    sampler.join();
    return Figures.ofService(callers, cpu, serverCpu, seen, List.copyOf(samples));
  }

  @Override
  public void close() {
    ended = true;
    LockSupport.unpark(sampler);
  }
}
