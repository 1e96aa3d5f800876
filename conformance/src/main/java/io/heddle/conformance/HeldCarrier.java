package io.heddle.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits as a native call does: a virtual thread that waits here keeps its carrier, on every JDK,
 * and no other one comes to help. The wait is in the initializer of a class, which the JVM calls
 * from native code; and since a class is initialized once, it is a fresh hidden one each time.
 */
final class HeldCarrier {

  private static final ThreadLocal<@Nullable CountDownLatch> AWAITED = new ThreadLocal<>();
  private static final Duration LIMIT = Bounds.patient(Duration.ofSeconds(5));

  private HeldCarrier() {}

  /** Waits for the latch, but not for ever, and says whether it came. */
  static boolean await(CountDownLatch latch) {
    AWAITED.set(latch);
    try (InputStream in = HeldCarrier.class.getResourceAsStream("SlowStart.class")) {
      byte[] bytes = Objects.requireNonNull(in).readAllBytes();
      MethodHandles.lookup().defineHiddenClass(bytes, true);
    } catch (IOException | IllegalAccessException e) {
      throw new IllegalStateException(e);
    } finally {
      AWAITED.remove();
    }
    return latch.getCount() == 0;
  }

  static void waitHere() {
    CountDownLatch latch = AWAITED.get();
    try {
      if (latch != null) {
        latch.await(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
