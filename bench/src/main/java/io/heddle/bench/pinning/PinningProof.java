package io.heddle.bench.pinning;

import io.heddle.bench.measure.Meter;
import io.heddle.pinning.PinningRecorder;
import io.heddle.pinning.PinningReport;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/**
 * Work that many virtual threads do at a time: some rounds to warm up, then some that are recorded.
 */
public final class PinningProof {

  /** Enough for classes to be loaded on every way that the work takes. */
  private static final int WARM_UPS = 3;

  private final int callers;
  private final int rounds;

  PinningProof(int callers, int rounds) {
    this.callers = callers;
    this.rounds = rounds;
  }

  /**
   * What came of it.
   *
   * @param errors how many calls ended otherwise than they should in the recording, by how
   */
  public record Outcome(PinningReport report, Map<String, Integer> errors) {

    boolean isGood() {
      return report.isClean() && errors.isEmpty();
    }

    int errorCount() {
      return errors.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /** Does the work until it is warm, then so many times by so many callers. */
  Outcome of(Callable<?> work) throws InterruptedException {
    for (int i = 0; i < WARM_UPS; i++) {
      round(work, new TreeMap<>());
    }
    return unwarmed(work);
  }

  /** The same without a warm-up. */
  Outcome unwarmed(Callable<?> work) throws InterruptedException {
    Map<String, Integer> errors = new TreeMap<>();
    try (PinningRecorder recorder = PinningRecorder.start()) {
      for (int i = 0; i < rounds; i++) {
        round(work, errors);
      }
      return new Outcome(recorder.stop().ignoringContention(Meter.CONTENTION), Map.copyOf(errors));
    }
  }

  private void round(Callable<?> work, Map<String, Integer> errors) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(callers);
    for (int i = 0; i < callers; i++) {
      Thread.ofVirtual()
          .name("caller")
          .start(
              () -> {
                try {
                  work.call();
                } catch (Throwable t) { // of a class that is not ours, perhaps
                  synchronized (errors) {
                    errors.merge(t.toString(), 1, Integer::sum);
                  }
                } finally {
                  ended.countDown();
                }
              });
    }
    ended.await();
  }
}
