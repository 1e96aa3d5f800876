package io.heddle.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.measure.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Latency is told by the slot in which a call was meant to start, throughput by that of its end.
 */
class AnswerTimesTest {

  @Test
  void slotBySlot() {
    List<Contestant.Outcome> outcomes = new ArrayList<>();
    Contestant.Async client =
        new Contestant.Async() {
          @Override
          public void start(Contestant.Outcome outcome) {
            outcomes.add(outcome);
          }

          @Override
          public void close() {}
        };
    AnswerTimes times = new AnswerTimes(4);
    // Meant to start 10 s ago and later; all that is answered is so now, in the slot from 10 s on.
    long start = System.nanoTime() - TimeUnit.SECONDS.toNanos(10);
    times.start(client, start);
    times.start(client, start + TimeUnit.SECONDS.toNanos(1));
    times.start(client, start + TimeUnit.SECONDS.toNanos(5));
    times.start(client, start + TimeUnit.SECONDS.toNanos(5));
    outcomes.get(0).succeeded();
    outcomes.get(1).succeeded();
    outcomes.get(2).succeeded();

    List<Timeline.Slot> slots = times.slots(start, 15_000, 5_000);

    assertEquals(3, slots.size());
    assertTrue(p50(slots.get(0)) >= 8_900, slots::toString);
    assertTrue(p50(slots.get(1)) >= 4_900 && p50(slots.get(1)) < 8_900, slots::toString);
    assertNull(slots.get(2).p50());
    assertEquals(List.of(0, 1, 0), slots.stream().map(Timeline.Slot::errors).toList());
    assertEquals(
        List.of(0.0, 0.0, 3 / 5.0), slots.stream().map(Timeline.Slot::answeredPerSecond).toList());
    assertEquals(Map.of(AnswerTimes.NO_ANSWER, 1L), times.measured(1).errors());
  }

  private static double p50(Timeline.Slot slot) {
    return Objects.requireNonNull(slot.p50());
  }
}
