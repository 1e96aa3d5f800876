package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class BellTest {

  private final Bell bell = new Bell();

  private Boolean awaitRing() throws InterruptedException {
    bell.await();
    return true;
  }

  @ParameterizedTest
  @EnumSource
  void aRingWakesWhoWaits(Caller.Kind kind) throws Exception {
    Caller<Boolean> caller = Caller.start(kind, this::awaitRing).awaitParked();
    bell.ring();
    assertTrue(caller.result());
  }

  @Test
  void ringsBeforeAWaitEndThatOneAndNoOther() throws Exception {
    bell.ring();
    bell.ring();
    bell.await();
    Caller<Boolean> caller = Caller.start(Caller.Kind.VIRTUAL, this::awaitRing).awaitParked();
    bell.ring();
    assertTrue(caller.result());
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptEndsAWait(Caller.Kind kind) throws Exception {
    Caller<Boolean> caller = Caller.start(kind, this::awaitRing).awaitParked();
    caller.thread().interrupt();
    assertInstanceOf(InterruptedException.class, caller.failure());
    assertFalse(caller.interruptedAfterwards());
  }

  @Test
  void aRingBeatsAnInterrupt() throws Exception {
    bell.ring();
    Thread.currentThread().interrupt();
    bell.await();
    assertTrue(Thread.interrupted());
  }

  @Test
  void oneThreadWaitsAtATime() throws Exception {
    Caller<Boolean> caller = Caller.start(Caller.Kind.VIRTUAL, this::awaitRing).awaitParked();
    assertThrows(IllegalStateException.class, bell::await);
    bell.ring();
    assertTrue(caller.result());
  }
}
