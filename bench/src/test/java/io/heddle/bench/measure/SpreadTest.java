package io.heddle.bench.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** Medians and spreads, of values and of pairs. */
class SpreadTest {

  @Test
  void anOddNumberHasAMiddle() {
    assertEquals(new Spread(3, 1, 9, 3), Spread.of(DoubleStream.of(9, 1, 3)));
  }

  @Test
  void anEvenNumberHasTwo() {
    assertEquals(new Spread(2.5, 1, 9, 4), Spread.of(DoubleStream.of(9, 2, 1, 3)));
  }

  @Test
  void oneIsAll() {
    assertEquals(new Spread(7, 7, 7, 1), Spread.of(DoubleStream.of(7)));
  }

  @Test
  void whatIsNoNumberIsLeftOut() {
    assertEquals(
        new Spread(2, 2, 2, 1),
        Spread.of(DoubleStream.of(Double.NaN, 2, Double.POSITIVE_INFINITY)));
    assertNull(Spread.of(DoubleStream.of(Double.NaN)));
    assertNull(Spread.of(DoubleStream.empty()));
  }

  /** The ratio of the medians would be 10 here, of a machine that slowed down halfway 1. */
  @Test
  void ratiosAreOfPairs() {
    assertEquals(
        new Spread(2, 1, 2, 3),
        Spread.ofRatios(List.of(200.0, 20.0, 1.0), List.of(100.0, 10.0, 1.0)));
  }

  @Test
  void aRoundWithoutAPartnerIsLeftOut() {
    assertEquals(new Spread(2, 2, 2, 1), Spread.ofRatios(List.of(4.0, 9.0), List.of(2.0)));
    assertNull(Spread.ofRatios(List.of(), List.of(1.0)));
  }
}
