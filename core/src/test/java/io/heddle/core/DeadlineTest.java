package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {

  @Test
  void noneNeverComes() {
    assertTrue(Deadline.none().isNone());
    assertFalse(Deadline.none().isExpired());
    assertEquals(Long.MAX_VALUE, Deadline.none().remainingNanos());
    assertEquals("no deadline", Deadline.none().toString());
  }

  @Test
  void remainingIsNeverMoreThanWasAskedForAndNeverNegative() {
    Deadline hour = Deadline.after(Duration.ofHours(1));
    assertTrue(hour.remainingNanos() > 0);
    assertTrue(hour.remaining().compareTo(Duration.ofHours(1)) <= 0);
    assertFalse(hour.isExpired());

    Deadline over = Deadline.afterNanos(0);
    assertTrue(over.isExpired());
    assertEquals(0, over.remainingNanos());
    assertEquals(Duration.ZERO, over.remaining());
  }

  @Test
  void aNegativeTimeoutIsRefusedWithTheValue() {
    assertEquals(
        "negative timeout: PT-1S",
        assertThrows(IllegalArgumentException.class, () -> Deadline.after(Duration.ofSeconds(-1)))
            .getMessage());
    assertEquals(
        "negative timeout: -5 ns",
        assertThrows(IllegalArgumentException.class, () -> Deadline.afterNanos(-5)).getMessage());
  }

  @Test
  void longerThanTheClockCanSayIsNone() {
    assertTrue(Deadline.after(Duration.ofSeconds(Long.MAX_VALUE)).isNone());
    assertTrue(Deadline.afterNanos(Long.MAX_VALUE).isNone());
    assertFalse(Deadline.after(Duration.ofDays(365)).isNone());
  }

  @Test
  void theEarlierOfTwo() {
    Deadline second = Deadline.after(Duration.ofSeconds(1));
    Deadline hour = Deadline.after(Duration.ofHours(1));
    assertSame(second, second.earlier(hour));
    assertSame(second, hour.earlier(second));
    assertSame(second, second.earlier(Deadline.none()));
    assertSame(second, Deadline.none().earlier(second));
    assertTrue(Deadline.none().earlier(Deadline.none()).isNone());
  }
}
