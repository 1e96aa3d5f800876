package io.heddle.spring.boot;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread or the server brings about. */
final class Waiting {

  private Waiting() {}

  static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("not so within 20 s: " + what);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
