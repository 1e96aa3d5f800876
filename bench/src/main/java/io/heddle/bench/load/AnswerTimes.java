package io.heddle.bench.load;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.measure.Measured;
import io.heddle.bench.measure.Meter;
import io.heddle.bench.measure.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** When calls were meant to start and when they ended, to be told slot by slot. */
public final class AnswerTimes {

  /** What a call that had not ended is counted as. */
  static final String NO_ANSWER = "no answer until the end";

  private final Tally tally = new Tally();
  private final List<Call> calls; // the thread's that starts them
  private final ConcurrentLinkedQueue<Long> ends = new ConcurrentLinkedQueue<>();

  public AnswerTimes(int expected) {
    calls = new ArrayList<>(expected);
  }

  /** Starts one. One thread at a time. */
  public void start(Contestant.Async client, long intended) {
    Call call = new Call(intended);
    calls.add(call);
    tally.started();
    try {
      client.start(call);
    } catch (Exception e) {
      call.failed(e);
    }
  }

  private final class Call implements Contestant.Outcome {
    private final long intended;
    private volatile long took = -1; // once it has succeeded

    Call(long intended) {
      this.intended = intended;
    }

    @Override
    public void succeeded() {
      long now = System.nanoTime();
      took = Math.max(0, now - intended);
      ends.add(now);
      tally.succeeded(now - intended);
    }

    @Override
    public void failed(Throwable failure) {
      tally.failed(failure);
    }
  }

  /** All in all; what has not ended by now counts as an error. */
  public Measured measured(long nanos) {
    tally.givenUp(NO_ANSWER);
    return Measured.of(tally, Meter.Reading.ofTime(nanos));
  }

  /**
   * Slot by slot.
   *
   * @param start of the first, on the clock of {@link System#nanoTime}
   * @param millis until the last has ended
   * @param slotMillis the length of each
   */
  public List<Timeline.Slot> slots(long start, long millis, int slotMillis) {
    List<Timeline.Slot> slots = new ArrayList<>();
    List<Long> ended = List.copyOf(ends);
    for (long from = 0; from < millis; from += slotMillis) {
      long begin = start + TimeUnit.MILLISECONDS.toNanos(from);
      long end = begin + TimeUnit.MILLISECONDS.toNanos(slotMillis);
      Histogram latency = new Histogram(3);
      int errors = 0;
      for (Call call : calls) {
        if (call.intended >= begin && call.intended < end) {
          if (call.took < 0) {
            errors++;
          } else {
            latency.recordValue(call.took);
          }
        }
      }
      long answered = ended.stream().filter(each -> each >= begin && each < end).count();
      slots.add(
          new Timeline.Slot(
              from,
              answered * 1e3 / slotMillis,
              percentile(latency, 50),
              percentile(latency, 99),
              errors));
    }
    return slots;
  }

  private static @Nullable Double percentile(Histogram latency, double percentile) {
    return latency.getTotalCount() == 0 ? null : latency.getValueAtPercentile(percentile) / 1e6;
  }
}
