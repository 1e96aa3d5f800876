package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class SignalTest {

  private static final Deadline NONE = Deadline.none();
  private static final Duration SOON = Duration.ofMillis(20);

  private final Signal signal = new Signal();

  @ParameterizedTest
  @EnumSource
  void wakesWhoWaits(Caller.Kind kind) throws Exception {
    Caller<Boolean> caller = Caller.start(kind, () -> signal.await(NONE)).awaitParked();
    signal.raise();
    assertTrue(caller.result());
  }

  @Test
  void staysRaised() throws Exception {
    assertFalse(signal.isRaised());
    signal.raise();
    signal.raise();
    assertTrue(signal.isRaised());
    assertTrue(signal.await(NONE));
    assertTrue(signal.await(NONE));
    assertTrue(signal.awaitUninterruptibly(NONE));
  }

  @Test
  void aDeadlineLeavesItAsItIs() throws Exception {
    assertFalse(signal.await(Deadline.after(SOON)));
    assertFalse(signal.awaitUninterruptibly(Deadline.after(SOON)));
    signal.raise();
    assertTrue(signal.await(NONE));
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptEndsAWait(Caller.Kind kind) throws Exception {
    Caller<Boolean> caller = Caller.start(kind, () -> signal.await(NONE)).awaitParked();
    caller.thread().interrupt();
    assertInstanceOf(InterruptedException.class, caller.failure());
    assertFalse(caller.interruptedAfterwards());
  }

  @Test
  void aRaisedOneBeatsAnInterrupt() throws Exception {
    signal.raise();
    Thread.currentThread().interrupt();
    boolean raised = signal.await(NONE);
    assertTrue(Thread.interrupted());
    assertTrue(raised);
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptDoesNotEndAnUninterruptibleWait(Caller.Kind kind) throws Exception {
    Caller<Boolean> caller =
        Caller.start(
            kind,
            () -> {
              Thread.currentThread().interrupt();
              return signal.awaitUninterruptibly(NONE);
            });
    caller.awaitParked().thread().interrupt(); // once more, while it waits
    caller.awaitParked();
    signal.raise();
    assertTrue(caller.result());
    assertTrue(caller.interruptedAfterwards());
  }

  @Test
  void aDeadlineEndsAnUninterruptibleWaitOfAnInterruptedThread() {
    Thread.currentThread().interrupt();
    boolean raised = signal.awaitUninterruptibly(Deadline.after(SOON));
    assertTrue(Thread.interrupted());
    assertFalse(raised);
  }

  @Test
  void oneThreadWaitsAtATime() throws Exception {
    Caller<Boolean> caller = Caller.start(Caller.Kind.VIRTUAL, () -> signal.await(NONE));
    caller.awaitParked();
    assertThrows(IllegalStateException.class, () -> signal.await(NONE));
    signal.raise();
    assertTrue(caller.result());
  }

  @Test
  void tellsItsState() {
    assertEquals("Signal[not raised]", signal.toString());
    signal.raise();
    assertEquals("Signal[raised]", signal.toString());
  }
}
