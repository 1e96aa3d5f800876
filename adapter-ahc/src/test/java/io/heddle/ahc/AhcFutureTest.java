package io.heddle.ahc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An interrupt while a thread waits for a future. */
@Timeout(60)
class AhcFutureTest {

  /** A way to wait. */
  interface Get {
    Object of(AhcFuture<String> future) throws Exception;
  }

  static Stream<Get> gets() {
    return Stream.of(AhcFuture::get, future -> future.get(30, TimeUnit.SECONDS));
  }

  private final BlockingAhcClient client = new BlockingAhcClient();
  private final CompletableFuture<String> outcome = new CompletableFuture<>();
  private final AtomicInteger cancelled = new AtomicInteger();

  /** What happens after the interrupt has been seen, and before the request is cancelled. */
  private Callable<Boolean> meanwhile = () -> true;

  private final AhcFuture<String> future =
      new AhcFuture<>(client, outcome) {
        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
          try {
            boolean unused = meanwhile.call();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
          return super.cancel(mayInterruptIfRunning);
        }

        @Override
        void cancelRequest() {
          cancelled.incrementAndGet();
        }

        @Override
        public void abort(Throwable failure) {}

        @Override
        public void done() {}

        @Override
        public void touch() {}
      };

  @AfterEach
  void close() {
    client.close();
  }

  @ParameterizedTest
  @MethodSource("gets")
  void cancelsTheRequest(Get get) {
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> get.of(future));
    assertFalse(Thread.interrupted());
    assertEquals(1, cancelled.get());
    assertTrue(outcome.isCancelled());
  }

  @ParameterizedTest
  @MethodSource("gets")
  void losesNothingThatCameAtTheSameMoment(Get get) throws Exception {
    meanwhile = () -> outcome.complete("it");
    Thread.currentThread().interrupt();
    Object got = get.of(future);
    assertTrue(Thread.interrupted(), "the flag stays set");
    assertEquals("it", got);
    assertEquals(0, cancelled.get());
  }
}
