package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.core.Lanes.Lane;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LanesTest {

  private static final Deadline NONE = Deadline.none();

  private static final Object CONNECTION = new Object();

  private final Lanes lanes = new Lanes(100);

  /** One call finds out what the server speaks. */
  private Lane cold() {
    Lane lane = lanes.now();
    assertTrue(lane.tryEnter());
    return lane;
  }

  private List<Exchange<InFlightLimit>> ask(int callers) {
    List<Exchange<InFlightLimit>> turns = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      turns.add(lanes.now().ask());
    }
    return turns;
  }

  private static long done(List<Exchange<InFlightLimit>> turns) {
    return turns.stream().filter(Exchange::isDone).count();
  }

  // ---- cold -----------------------------------------------------------------------------------

  @Test
  void oneCallGoesAheadAndTheOthersFollowWhenItsConnectionStands() throws Exception {
    Lane lane = cold();
    assertFalse(lane.isOpen());
    List<Exchange<InFlightLimit>> turns = ask(5);
    assertEquals(0, done(turns));
    lane.open(CONNECTION, 4);
    assertTrue(lane.isOpen());
    assertTrue(lane.isShared());
    assertEquals(3, done(turns), "of four streams one is taken");
    assertSame(lane, turns.get(2).await(NONE));
    lane.leave();
    assertSame(lane, turns.get(3).await(NONE));
    assertEquals(1, lane.waiting());
  }

  @Test
  void withoutAConnectionToShareAllGo() {
    Lane lane = cold();
    List<Exchange<InFlightLimit>> turns = ask(5);
    lane.open(Integer.MAX_VALUE);
    assertEquals(5, done(turns));
    assertTrue(lane.isOpen());
    assertFalse(lane.isShared());
  }

  @Test
  void whoGoesAheadAndGivesUpLetsTheNextGoAhead() throws Exception {
    Lane lane = cold();
    List<Exchange<InFlightLimit>> turns = ask(2);
    lane.leave();
    assertSame(lane, turns.get(0).await(NONE));
    assertFalse(turns.get(1).isDone());
  }

  @Test
  void allWhoWaitGetTheFailureAndTheNextTriesAnew() {
    Lane lane = cold();
    List<Exchange<InFlightLimit>> turns = ask(3);
    IOException down = new IOException("down");
    lane.failed(down);
    lane.leave();
    for (Exchange<InFlightLimit> each : turns) {
      assertSame(down, assertThrows(ExecutionException.class, () -> each.await(NONE)).getCause());
    }
    assertNotSame(lane, cold());
    assertTrue(lane.isLeft());
    assertEquals(0, lane.waiting());
  }

  @Test
  void failureOfACallSaysNothingOnceTheServerIsKnown() {
    Lane lane = cold();
    lane.open(1);
    List<Exchange<InFlightLimit>> turns = ask(2);
    lane.failed(new IOException("of this call alone"));
    assertSame(lane, lanes.now());
    assertFalse(lane.isLeft());
    assertEquals(0, done(turns));
  }

  // ---- streams ----------------------------------------------------------------------------------

  @Test
  void boundFollowsTheStreamsUpAndDown() {
    Lane lane = cold();
    lane.open(CONNECTION, 2);
    List<Exchange<InFlightLimit>> turns = ask(6);
    assertEquals(1, done(turns));
    lane.open(CONNECTION, 4);
    assertEquals(3, done(turns));
    lane.open(CONNECTION, 1);
    lane.leave();
    lane.leave();
    lane.leave();
    assertEquals(3, done(turns), "one stream, which is taken");
    lane.leave();
    assertEquals(4, done(turns));
    lane.open(CONNECTION, 0);
    lane.leave();
    assertEquals(4, done(turns));
    lane.open(CONNECTION, 1000);
    assertEquals(6, done(turns));
    assertEquals(2, lane.inFlight());
  }

  @Test
  void noMoreThanTheClientWants() {
    Lanes few = new Lanes(2);
    few.now().open(CONNECTION, 1000);
    assertTrue(few.now().tryEnter());
    assertTrue(few.now().tryEnter());
    assertFalse(few.now().tryEnter());
  }

  @Test
  void aSecondConnectionCountsForNothing() {
    Lane lane = cold();
    lane.open(CONNECTION, 1);
    lane.open(new Object(), 50);
    lane.open(50);
    assertFalse(lane.tryEnter());
    assertTrue(lane.isShared());
  }

  // ---- the connection goes away -----------------------------------------------------------------

  @Test
  void whoWaitsGoesToTheNextLaneInHisTurn() throws Exception {
    Lane old = cold();
    old.open(CONNECTION, 1);
    List<Exchange<InFlightLimit>> turns = ask(3);
    old.left();
    Lane next = lanes.now();
    assertNotSame(old, next);
    assertFalse(next.isOpen());
    assertSame(next, turns.get(0).await(NONE), "goes ahead, before any newcomer");
    assertFalse(next.tryEnter());
    assertEquals(2, next.waiting());
    assertEquals(0, old.waiting());
    old.leave();
    assertEquals(1, done(turns), "a place of the old one is none of the next");
    next.leave();
    assertSame(next, turns.get(1).await(NONE));
    old.left();
    assertSame(next, lanes.now(), "a lane is left once");
  }

  @Test
  void whoAsksInALaneThatWasLeftIsSentOn() throws Exception {
    Lane first = cold();
    first.left();
    Lane second = cold();
    second.left();
    assertFalse(first.tryEnter());
    assertSame(lanes.now(), first.ask().await(NONE));
    assertEquals(1, lanes.now().inFlight());
  }

  @Test
  void whoHasMovedOnAndGivesUpLeavesNothingBehind() {
    Lane first = cold();
    List<Exchange<InFlightLimit>> turns = ask(3);
    first.left();
    lanes.now().left();
    Lane third = lanes.now();
    assertEquals(2, done(turns), "each lane lets one go ahead");
    assertEquals(1, third.waiting());
    assertThrows(
        TimeoutException.class, () -> turns.get(2).await(Deadline.after(Duration.ofMillis(1))));
    assertEquals(0, third.waiting());
    third.leave();
    assertTrue(lanes.isIdle());
  }

  // ---- close ----------------------------------------------------------------------------------

  @Test
  void closeEndsAllWhoWaitAndAllWhoCome() {
    Lane lane = cold();
    List<Exchange<InFlightLimit>> turns = ask(2);
    lanes.close();
    for (Exchange<InFlightLimit> each : turns) {
      assertThrows(CancellationException.class, () -> each.await(NONE));
    }
    assertThrows(CancellationException.class, () -> lane.ask().await(NONE));
    lane.left(); // its connection ends with the client
    assertFalse(lanes.now().tryEnter());
    assertThrows(CancellationException.class, () -> lanes.now().ask().await(NONE));
  }

  // ---- all at once ------------------------------------------------------------------------------

  /** Connections come and go while callers enter, wait, give up and leave. */
  @Test
  void nobodyIsForgottenAndNoLaneIsTooFullInAStorm() throws Exception {
    AtomicInteger in = new AtomicInteger();
    List<Caller<Integer>> callers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      int number = i;
      callers.add(
          Caller.start(
              number % 10 == 0 ? Caller.Kind.PLATFORM : Caller.Kind.VIRTUAL,
              () -> {
                for (int j = 0; j < 100; j++) {
                  call(number % 3 == 0 ? Deadline.afterNanos(1000L * (j + 1)) : NONE, in);
                }
                return number;
              }));
    }
    for (Caller<Integer> each : callers) {
      each.result();
    }
    assertEquals(0, in.get());
    assertEquals(0, lanes.now().inFlight());
    assertEquals(0, lanes.now().waiting());
  }

  private void call(Deadline deadline, AtomicInteger in) throws Exception {
    Lane lane;
    try {
      lane = (Lane) lanes.now().ask().await(deadline);
    } catch (TimeoutException e) {
      return; // perhaps just as a place came
    }
    in.incrementAndGet();
    lane.open(lane, 3);
    assertTrue(lane.inFlight() <= 3);
    if (ThreadLocalRandom.current().nextInt(10) == 0) {
      lane.left();
    }
    in.decrementAndGet();
    lane.leave();
  }

  /** Closing races with the end of a connection: nobody waits in the lane that comes then. */
  @Test
  void nobodyIsLeftWaitingByACloseThatRaces() throws Exception {
    for (int i = 0; i < 500; i++) {
      Lanes closing = new Lanes(10);
      Lane lane = closing.now();
      assertTrue(lane.tryEnter());
      List<Caller<Boolean>> callers = new ArrayList<>();
      for (int j = 0; j < 3; j++) {
        callers.add(
            Caller.start(
                Caller.Kind.VIRTUAL,
                () -> {
                  try {
                    closing.now().ask().await(NONE);
                    return true; // and leaves no room for the next
                  } catch (CancellationException e) {
                    return false;
                  }
                }));
      }
      Thread left = Thread.ofPlatform().start(lane::left);
      closing.close();
      left.join();
      int entered = 0;
      for (Caller<Boolean> each : callers) {
        entered += each.result() ? 1 : 0;
      }
      assertTrue(entered <= 1, "entered: " + entered);
    }
  }
}
