package io.heddle.bench.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Medians and their intervals, of values and of pairs. */
class SpreadTest {

  private static Spread of(double... values) {
    Spread spread = Spread.of(DoubleStream.of(values));
    assertNotNull(spread);
    return spread;
  }

  /** From 1 to so many, the greatest first. */
  private static Spread upTo(int count) {
    return of(IntStream.range(0, count).mapToDouble(i -> count - i).toArray());
  }

  @Test
  void anOddNumberHasAMiddle() {
    assertEquals(3, of(9, 1, 3).median());
  }

  @Test
  void anEvenNumberHasTwo() {
    assertEquals(2.5, of(9, 2, 1, 3).median());
  }

  @Test
  void oneIsAllAndSaysNothingOfOthers() {
    assertEquals(new Spread(7, 7, 7, 0, 1), of(7));
  }

  /** The chance that all lie on the same side of the true median is 2 to the power of 1 - n. */
  @Test
  void fewRoundsTakeAllOfThemAndSayHowSureThatIs() {
    assertEquals(new Spread(1.5, 1, 2, 0.5, 2), upTo(2));
    assertEquals(new Spread(2, 1, 3, 0.75, 3), upTo(3));
    assertEquals(new Spread(2.5, 1, 4, 0.875, 4), upTo(4));
    assertEquals(new Spread(3, 1, 5, 0.9375, 5), upTo(5));
    assertEquals(new Spread(3.5, 1, 6, 0.96875, 6), upTo(6));
    assertFalse(upTo(4).decides());
    assertTrue(upTo(5).decides());
  }

  /** As tables of the sign test have it. */
  @Test
  void moreRoundsLeaveOutTheOutermost() {
    assertEquals(new Spread(4.5, 2, 7, 1 - 2 * 9 / 256.0, 8), upTo(8));
    assertEquals(new Spread(6.5, 3, 10, 1 - 2 * 79 / 4096.0, 12), upTo(12));
  }

  /** Of a distribution that is far from normal: the interval has the median as often as it says. */
  @Test
  void theConfidenceIsThatOfTheTrueMedian() {
    Random random = new Random(19);
    double trueMedian = Math.log(2); // of the exponential distribution
    for (int count : new int[] {5, 6, 8, 12}) {
      int trials = 20_000;
      int hits = 0;
      for (int i = 0; i < trials; i++) {
        Spread spread =
            of(IntStream.range(0, count).mapToDouble(j -> random.nextExponential()).toArray());
        hits += spread.low() <= trueMedian && trueMedian <= spread.high() ? 1 : 0;
      }
      assertEquals(upTo(count).confidence(), hits / (double) trials, 0.01);
    }
  }

  @Test
  void whatIsNoNumberIsLeftOut() {
    assertEquals(of(2), of(Double.NaN, 2, Double.POSITIVE_INFINITY));
    assertNull(Spread.of(DoubleStream.of(Double.NaN)));
    assertNull(Spread.of(DoubleStream.empty()));
  }

  /** The ratio of the medians would be 10 here, of a machine that slowed down halfway 1. */
  @Test
  void ratiosAreOfPairs() {
    assertEquals(
        of(2, 2, 1), Spread.ofRatios(List.of(200.0, 20.0, 1.0), List.of(100.0, 10.0, 1.0)));
  }

  @Test
  void aRoundWithoutAPartnerIsLeftOut() {
    assertEquals(of(2), Spread.ofRatios(List.of(4.0, 9.0), List.of(2.0)));
    assertNull(Spread.ofRatios(List.of(), List.of(1.0)));
  }
}
