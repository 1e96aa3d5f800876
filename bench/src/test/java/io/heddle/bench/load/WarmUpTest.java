package io.heddle.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A client is warm when it gets no quicker and nothing is compiled for it. */
class WarmUpTest {

  private static final double RESTING = 0.01;
  private static final double BUSY = 0.4;

  private final WarmUp warmUp = new WarmUp(Duration.ofMillis(20));

  @Test
  void aRateThatRisesIsNotWarm() {
    assertFalse(warmUp.isWarm(1_000, RESTING)); // the first second tells nothing
    assertFalse(warmUp.isWarm(1_200, RESTING));
    assertFalse(warmUp.isWarm(1_300, RESTING));
    assertTrue(warmUp.isWarm(1_310, RESTING));
  }

  /** A dip is no end: what comes after is compared with the best, not with the dip. */
  @Test
  void aRateIsComparedWithTheBestBefore() {
    assertFalse(warmUp.isWarm(1_000, BUSY));
    assertFalse(warmUp.isWarm(500, BUSY));
    assertTrue(warmUp.isWarm(900, RESTING));
  }

  @Test
  void compilersThatWorkAreNotWarm() {
    assertFalse(warmUp.isWarm(1_000, BUSY));
    assertFalse(warmUp.isWarm(1_000, BUSY));
    assertTrue(warmUp.isWarm(1_000, RESTING));
  }

  @Test
  void itEndsAtItsBound() throws Exception {
    Tally tally = new Tally();
    warmUp.watch(tally);
    assertTrue(warmUp.took().compareTo(Duration.ofMillis(20)) >= 0, () -> "took " + warmUp.took());

    WarmUp none = new WarmUp(Duration.ZERO);
    none.watch(tally);
    assertEquals(Duration.ZERO, none.took());
  }
}
