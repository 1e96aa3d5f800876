package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.IoThread;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each event, and each pair of events in both orders. The interleavings module races them. */
@Timeout(60)
class ExchangeTest {

  private static final Deadline NONE = Deadline.none();

  private final List<String> disposed = new ArrayList<>();
  private final AtomicInteger cancels = new AtomicInteger();
  private final Exchange<String> exchange = new Exchange<>(disposed::add);

  private void expectCancels(int times) {
    assertEquals(times, cancels.get());
  }

  // ---- one event ----------------------------------------------------------------------------

  @Test
  void aResultThatIsThereIsReturnedWithoutWaiting() throws Exception {
    exchange.onAbandon(cancels::incrementAndGet);
    assertFalse(exchange.isDone());
    assertTrue(exchange.complete("result"));
    assertTrue(exchange.isDone());
    assertEquals("result", exchange.await(NONE));
    assertEquals("result", exchange.await(NONE), "and again");
    assertEquals(List.of(), disposed);
    expectCancels(0);
  }

  @ParameterizedTest
  @EnumSource
  void aResultWakesTheCaller(Caller.Kind kind) throws Exception {
    Caller<String> caller = Caller.start(kind, () -> exchange.await(NONE));
    caller.awaitParked();
    assertTrue(exchange.complete("result"));
    assertEquals("result", caller.result());
    assertFalse(caller.interruptedAfterwards());
  }

  @ParameterizedTest
  @EnumSource
  void aResultWakesACallerWithADeadline(Caller.Kind kind) throws Exception {
    Deadline hour = Deadline.after(Duration.ofHours(1));
    Caller<String> caller = Caller.start(kind, () -> exchange.await(hour));
    caller.awaitParked();
    exchange.complete("result");
    assertEquals("result", caller.result());
  }

  @Test
  @SuppressWarnings("NullAway") // which does not see that R may be nullable
  void nullIsAResult() throws Exception {
    Exchange<@Nullable String> nullable = new Exchange<>();
    assertTrue(nullable.complete(null));
    assertTrue(nullable.isDone());
    assertNull(nullable.await(NONE));
  }

  @ParameterizedTest
  @EnumSource
  void aFailureWakesTheCallerAsItsCause(Caller.Kind kind) throws Exception {
    IOException reset = new IOException("reset");
    exchange.onAbandon(cancels::incrementAndGet);
    Caller<String> caller = Caller.start(kind, () -> exchange.await(NONE));
    caller.awaitParked();
    assertTrue(exchange.fail(reset));
    assertSame(reset, assertInstanceOf(ExecutionException.class, caller.failure()).getCause());
    expectCancels(0);
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptAbandonsAndClearsTheFlag(Caller.Kind kind) throws Exception {
    exchange.onAbandon(cancels::incrementAndGet);
    Caller<String> caller = Caller.start(kind, () -> exchange.await(NONE));
    caller.awaitParked().thread().interrupt();
    assertInstanceOf(InterruptedException.class, caller.failure());
    assertFalse(caller.interruptedAfterwards());
    assertTrue(exchange.isDone());
    expectCancels(1);
  }

  @ParameterizedTest
  @EnumSource
  void theDeadlineAbandons(Caller.Kind kind) throws Exception {
    exchange.onAbandon(cancels::incrementAndGet);
    Deadline soon = Deadline.after(Duration.ofMillis(30));
    Caller<String> caller = Caller.start(kind, () -> exchange.await(soon));
    assertInstanceOf(TimeoutException.class, caller.failure());
    assertTrue(soon.isExpired(), "not before its time");
    expectCancels(1);
  }

  @ParameterizedTest
  @EnumSource
  void cancelWakesTheCaller(Caller.Kind kind) throws Exception {
    exchange.onAbandon(cancels::incrementAndGet);
    Caller<String> caller = Caller.start(kind, () -> exchange.await(NONE));
    caller.awaitParked();
    assertTrue(exchange.cancel());
    assertInstanceOf(CancellationException.class, caller.failure());
    expectCancels(1);
  }

  // ---- pairs: the first wins ----------------------------------------------------------------

  @Test
  void completeThenComplete() throws Exception {
    exchange.complete("first");
    assertFalse(exchange.complete("second"));
    assertEquals("first", exchange.await(NONE));
    assertEquals(List.of("second"), disposed);
  }

  @Test
  void completeThenFail() throws Exception {
    exchange.complete("first");
    assertFalse(exchange.fail(new IOException()));
    assertEquals("first", exchange.await(NONE));
  }

  @Test
  void failThenComplete() {
    exchange.fail(new IOException("first"));
    assertFalse(exchange.complete("late"));
    assertThrows(ExecutionException.class, () -> exchange.await(NONE));
    assertEquals(List.of("late"), disposed);
  }

  @Test
  void failThenFail() {
    IOException first = new IOException("first");
    exchange.fail(first);
    assertFalse(exchange.fail(new IOException("second")));
    assertSame(
        first, assertThrows(ExecutionException.class, () -> exchange.await(NONE)).getCause());
  }

  @Test
  void completeThenCancel() throws Exception {
    exchange.onAbandon(cancels::incrementAndGet);
    exchange.complete("first");
    assertFalse(exchange.cancel());
    assertEquals("first", exchange.await(NONE));
    expectCancels(0);
  }

  @Test
  void failThenCancel() {
    exchange.onAbandon(cancels::incrementAndGet);
    exchange.fail(new IOException());
    assertFalse(exchange.cancel());
    assertThrows(ExecutionException.class, () -> exchange.await(NONE));
    expectCancels(0);
  }

  @Test
  void cancelThenCancel() {
    exchange.onAbandon(cancels::incrementAndGet);
    assertTrue(exchange.cancel());
    assertFalse(exchange.cancel());
    assertThrows(CancellationException.class, () -> exchange.await(NONE));
    expectCancels(1);
  }

  @Test
  void cancelThenCompleteDisposes() {
    exchange.cancel();
    assertFalse(exchange.complete("late"));
    assertEquals(List.of("late"), disposed);
    assertThrows(CancellationException.class, () -> exchange.await(NONE));
  }

  @Test
  void cancelThenFail() {
    exchange.cancel();
    assertFalse(exchange.fail(new IOException()));
    assertThrows(CancellationException.class, () -> exchange.await(NONE));
  }

  @Test
  void completionBeatsAnInterruptAndTheFlagStays() throws Exception {
    exchange.onAbandon(cancels::incrementAndGet);
    exchange.complete("result");
    Thread.currentThread().interrupt();
    assertEquals("result", exchange.await(NONE));
    assertTrue(Thread.interrupted());
    expectCancels(0);
  }

  @Test
  void failureBeatsAnInterruptAndTheFlagStays() {
    exchange.fail(new IOException());
    Thread.currentThread().interrupt();
    assertThrows(ExecutionException.class, () -> exchange.await(NONE));
    assertTrue(Thread.interrupted());
  }

  @Test
  void completionBeatsADeadlineThatIsOver() throws Exception {
    exchange.complete("result");
    assertEquals("result", exchange.await(Deadline.afterNanos(0)));
  }

  @Test
  void anInterruptBeforeTheWaitAbandonsAtOnce() {
    exchange.onAbandon(cancels::incrementAndGet);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> exchange.await(NONE));
    assertFalse(Thread.interrupted());
    expectCancels(1);
  }

  @Test
  void aDeadlineThatIsOverAbandonsAtOnce() {
    exchange.onAbandon(cancels::incrementAndGet);
    assertThrows(TimeoutException.class, () -> exchange.await(Deadline.afterNanos(0)));
    expectCancels(1);
  }

  @Test
  void anInterruptBeatsADeadlineThatIsOver() {
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> exchange.await(Deadline.afterNanos(0)));
  }

  @Test
  void interruptThenCompleteDisposesOnTheThreadThatBringsIt() throws Exception {
    AtomicReference<@Nullable Thread> disposer = new AtomicReference<>();
    Exchange<String> late = new Exchange<>(result -> disposer.set(Thread.currentThread()));
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> late.await(NONE));
    Thread bringer = Thread.ofPlatform().start(() -> late.complete("late"));
    bringer.join();
    assertSame(bringer, disposer.get());
  }

  @Test
  void deadlineThenComplete() {
    assertThrows(TimeoutException.class, () -> exchange.await(Deadline.afterNanos(0)));
    exchange.complete("late");
    assertEquals(List.of("late"), disposed);
  }

  @Test
  void afterAnAbandonedWaitTheNextSaysSo() {
    assertThrows(TimeoutException.class, () -> exchange.await(Deadline.afterNanos(0)));
    assertThrows(CancellationException.class, () -> exchange.await(NONE));
  }

  // ---- the canceller ------------------------------------------------------------------------

  @Test
  void aCancellerThatComesLateRunsAtOnce() {
    exchange.cancel();
    expectCancels(0);
    exchange.onAbandon(cancels::incrementAndGet);
    expectCancels(1);
  }

  @Test
  void aCancellerAfterCompletionNeverRuns() {
    exchange.complete("result");
    exchange.onAbandon(cancels::incrementAndGet);
    exchange.cancel();
    expectCancels(0);
  }

  @Test
  void aSecondCancellerIsRefused() {
    exchange.onAbandon(cancels::incrementAndGet);
    assertThrows(IllegalStateException.class, () -> exchange.onAbandon(cancels::incrementAndGet));
  }

  @Test
  void theCancellerMayCompleteTheExchange() {
    exchange.onAbandon(() -> exchange.complete("from the abort"));
    exchange.cancel();
    assertEquals(List.of("from the abort"), disposed);
  }

  // ---- awaitDone ----------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void awaitDoneLeavesTheExchangeAlone(Caller.Kind kind) throws Exception {
    exchange.onAbandon(cancels::incrementAndGet);
    assertFalse(exchange.awaitDone(Deadline.after(Duration.ofMillis(20))));
    assertFalse(exchange.isDone());
    Caller<Boolean> caller = Caller.start(kind, () -> exchange.awaitDone(NONE));
    caller.awaitParked().thread().interrupt();
    assertInstanceOf(InterruptedException.class, caller.failure());
    assertFalse(exchange.isDone());
    expectCancels(0);
    exchange.complete("result");
    assertTrue(exchange.awaitDone(NONE));
    assertEquals("result", exchange.await(NONE));
  }

  // ---- who may wait -------------------------------------------------------------------------

  @Test
  void oneCallerAtATime() throws Exception {
    Caller<String> first = Caller.start(Caller.Kind.VIRTUAL, () -> exchange.await(NONE));
    first.awaitParked();
    Caller<String> second = Caller.start(Caller.Kind.VIRTUAL, () -> exchange.await(NONE));
    assertInstanceOf(IllegalStateException.class, second.failure());
    exchange.complete("result");
    assertEquals("result", first.result());
  }

  @Test
  void anIoThreadMayNotWait() throws Exception {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    class SelectorThread extends Thread implements IoThread {
      SelectorThread() {
        super("selector-1");
      }

      @Override
      public void run() {
        try {
          exchange.await(NONE);
        } catch (Throwable t) {
          thrown.set(t);
        }
      }
    }

    Thread selector = new SelectorThread();
    selector.start();
    selector.join();
    String message = assertInstanceOf(IllegalStateException.class, thrown.get()).toString();
    assertTrue(message.contains("\"selector-1\""), message);
    assertTrue(message.contains("from another thread"), message);
    assertFalse(exchange.isDone(), "the exchange is not the worse for it");
  }

  @Test
  void aStrayUnparkWakesNobodyUp() throws Exception {
    Caller<String> caller = Caller.start(Caller.Kind.VIRTUAL, () -> exchange.await(NONE));
    caller.awaitParked();
    for (int i = 0; i < 100; i++) {
      LockSupport.unpark(caller.thread());
    }
    caller.awaitParked();
    exchange.complete("result");
    assertEquals("result", caller.result());
  }

  @Test
  void saysWhatItIs() {
    assertEquals("Exchange[waiting]", exchange.toString());
    exchange.cancel();
    assertEquals("Exchange[abandoned]", exchange.toString());
    Exchange<String> failed = new Exchange<>();
    failed.fail(new IOException("reset"));
    assertEquals("Exchange[failed: java.io.IOException: reset]", failed.toString());
  }
}
