package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ResendsTest {

  private final Resends resends = new Resends(Deadline.none());

  @Test
  void aServerThatRefusesAllIsAskedWithPausesAndNotForEver() {
    int count = 0;
    long pauses = 0;
    while (resends.unprocessed()) {
      assertEquals(count < 10, resends.pauseNanos() == 0, "at once, the first ten times");
      count++;
      pauses += resends.pauseNanos();
    }
    assertEquals(Resends.MOST_UNPROCESSED, count);
    assertTrue(pauses > 10_000_000_000L, pauses + " ns");
  }

  @Test
  void whatIsLostGoesAgainThreeTimesAndAtOnce() {
    int count = 0;
    while (resends.lost()) {
      assertEquals(0, resends.pauseNanos());
      count++;
    }
    assertEquals(3, count);
    assertTrue(resends.unprocessed(), "the other cause counts by itself");
  }

  @Test
  void nothingGoesAfterTheDeadline() {
    Resends late = new Resends(Deadline.after(Duration.ZERO));
    assertFalse(late.unprocessed());
    assertFalse(late.lost());
  }

  @Test
  void anInterruptEndsThePause() {
    for (int i = 0; i < 20; i++) {
      resends.unprocessed();
    }
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, resends::pause);
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void methods() {
    assertTrue(Resends.isSafe("GET"));
    assertFalse(Resends.isSafe("PUT"));
    assertFalse(Resends.isSafe("get"), "methods tell capitals from small letters");
    assertTrue(Resends.isIdempotent("PUT"));
    assertFalse(Resends.isIdempotent("POST"));
    assertFalse(Resends.isIdempotent("PATCH"));
  }
}
