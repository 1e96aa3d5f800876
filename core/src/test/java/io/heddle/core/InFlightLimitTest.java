package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.IoThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InFlightLimitTest {

  private static final Deadline NONE = Deadline.none();

  private static Caller<Integer> startEntering(InFlightLimit limit, int number) throws Exception {
    return Caller.start(
            Caller.Kind.VIRTUAL,
            () -> {
              limit.enter(NONE);
              return number;
            })
        .awaitParked();
  }

  @Test
  void letsInAsManyAsThereArePlaces() {
    InFlightLimit limit = new InFlightLimit(2);
    assertTrue(limit.tryEnter());
    assertTrue(limit.tryEnter());
    assertFalse(limit.tryEnter());
    assertEquals(2, limit.inFlight());
    limit.leave();
    assertTrue(limit.tryEnter());
    assertEquals("InFlightLimit[2 in flight, 0 waiting]", limit.toString());
  }

  @Test
  void parksUntilAPlaceIsFree() throws Exception {
    InFlightLimit limit = new InFlightLimit(1);
    limit.enter(NONE);
    Caller<Integer> waiting = startEntering(limit, 1);
    assertEquals(1, limit.waiting());
    limit.leave();
    assertEquals(1, waiting.result());
    assertEquals(1, limit.inFlight());
    assertEquals(0, limit.waiting());
  }

  @Test
  void placesTakenBeyondTheBoundAreGivenToNobody() throws Exception {
    InFlightLimit limit = new InFlightLimit(1);
    limit.enterAnyway();
    limit.enterAnyway();
    assertEquals(2, limit.inFlight());
    Caller<Integer> waiting = startEntering(limit, 1);
    limit.leave();
    assertEquals(1, limit.inFlight());
    assertEquals(1, limit.waiting());
    limit.leave();
    assertEquals(1, waiting.result());
  }

  @Test
  void placesAreGivenInTurn() throws Exception {
    InFlightLimit limit = new InFlightLimit(1);
    limit.enter(NONE);
    ConcurrentLinkedQueue<Integer> order = new ConcurrentLinkedQueue<>();
    List<Caller<Integer>> callers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int number = i;
      callers.add(
          Caller.start(
                  Caller.Kind.VIRTUAL,
                  () -> {
                    limit.enter(NONE);
                    order.add(number);
                    limit.leave();
                    return number;
                  })
              .awaitParked());
    }
    limit.leave();
    for (Caller<Integer> each : callers) {
      each.result();
    }
    assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), List.copyOf(order));
    assertEquals(0, limit.inFlight());
  }

  @Test
  void newcomerDoesNotOvertake() throws Exception {
    InFlightLimit limit = new InFlightLimit(1);
    limit.enter(NONE);
    Exchange<InFlightLimit> first = limit.ask();
    limit.leave();
    assertFalse(limit.tryEnter(), "the place is the first one's");
    assertSame(limit, first.await(NONE));
  }

  @Test
  void deadlineEndsTheWaitAndLosesNoPlace() throws Exception {
    InFlightLimit limit = new InFlightLimit(1);
    limit.enter(NONE);
    assertThrows(TimeoutException.class, () -> limit.enter(Deadline.after(Duration.ofMillis(20))));
    assertEquals(0, limit.waiting());
    limit.leave();
    assertTrue(limit.tryEnter());
  }

  @Test
  void interruptEndsTheWaitAndLosesNoPlace() throws Exception {
    InFlightLimit limit = new InFlightLimit(1);
    limit.enter(NONE);
    Caller<Integer> waiting = startEntering(limit, 1);
    waiting.thread().interrupt();
    assertInstanceOf(InterruptedException.class, waiting.failure());
    assertFalse(waiting.interruptedAfterwards());
    assertEquals(0, limit.waiting());
    limit.leave();
    assertTrue(limit.tryEnter());
  }

  @Test
  void placeOfOneWhoGaveUpGoesToTheNext() throws Exception {
    InFlightLimit limit = new InFlightLimit(1);
    limit.enter(NONE);
    Exchange<InFlightLimit> first = limit.ask();
    Exchange<InFlightLimit> second = limit.ask();
    assertTrue(first.cancel());
    limit.leave();
    assertSame(limit, second.await(NONE));
    assertFalse(limit.tryEnter());
  }

  @Test
  void raisingTheBoundLetsMoreIn() throws Exception {
    InFlightLimit limit = new InFlightLimit(0);
    Caller<Integer> one = startEntering(limit, 1);
    Caller<Integer> two = startEntering(limit, 2);
    limit.setMax(2);
    assertEquals(1, one.result());
    assertEquals(2, two.result());
    assertFalse(limit.tryEnter());
  }

  @Test
  void loweringTheBoundHurtsNobodyInFlight() {
    InFlightLimit limit = new InFlightLimit(3);
    assertTrue(limit.tryEnter());
    assertTrue(limit.tryEnter());
    limit.setMax(1);
    assertEquals(2, limit.inFlight());
    limit.leave();
    assertFalse(limit.tryEnter());
    limit.leave();
    assertTrue(limit.tryEnter());
    assertThrows(IllegalArgumentException.class, () -> limit.setMax(-1));
    assertThrows(IllegalArgumentException.class, () -> new InFlightLimit(-1));
  }

  @Test
  void closeTurnsAwayThoseWhoWaitAndThoseWhoCome() throws Exception {
    InFlightLimit limit = new InFlightLimit(1);
    limit.enter(NONE);
    Caller<Integer> waiting = startEntering(limit, 1);
    limit.close();
    assertInstanceOf(CancellationException.class, waiting.failure());
    assertFalse(limit.tryEnter());
    limit.leave();
    assertThrows(CancellationException.class, () -> limit.enter(NONE));
    assertEquals(0, limit.inFlight());
  }

  /** The limit that follows may itself have been followed before it hears of those who wait. */
  @Test
  void whoWaitsIsPassedOnToTheLast() throws Exception {
    InFlightLimit first = new InFlightLimit(0);
    InFlightLimit second = new InFlightLimit(0);
    InFlightLimit third = new InFlightLimit(1);
    Exchange<InFlightLimit> one = first.ask();
    Exchange<InFlightLimit> two = first.ask();
    second.follow(third, null);
    first.follow(second, null);
    assertSame(third, one.await(NONE));
    assertFalse(two.isDone());
    third.close();
    assertThrows(CancellationException.class, () -> two.await(NONE));
  }

  @Test
  void aLimitThatWasClosedBeforeItPassesOnHasTurnedAllAway() {
    InFlightLimit first = new InFlightLimit(0);
    InFlightLimit second = new InFlightLimit(1);
    Exchange<InFlightLimit> waiting = first.ask();
    second.close();
    first.follow(second, null);
    assertThrows(CancellationException.class, () -> waiting.await(NONE));
    assertThrows(CancellationException.class, () -> first.ask().await(NONE));
  }

  private static final class TestIoThread extends Thread implements IoThread {
    TestIoThread(Runnable work) {
      super(work);
    }
  }

  @Test
  void refusesToWaitOnAnIoThreadAndLosesNoPlace() throws Exception {
    InFlightLimit limit = new InFlightLimit(1);
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread io =
        new TestIoThread(
            () -> {
              try {
                limit.enter(NONE); // a free place is no wait
                limit.enter(NONE);
              } catch (Throwable t) {
                thrown.set(t);
              }
            });
    io.start();
    io.join();
    assertInstanceOf(IllegalStateException.class, thrown.get());
    assertEquals(0, limit.waiting());
    limit.leave();
    assertTrue(limit.tryEnter());
  }

  @Test
  void neverMoreThanTheBoundAndNoPlaceLostInAStorm() throws Exception {
    InFlightLimit limit = new InFlightLimit(3);
    AtomicInteger in = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Caller<Integer>> callers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      int number = i;
      callers.add(
          Caller.start(
              number % 10 == 0 ? Caller.Kind.PLATFORM : Caller.Kind.VIRTUAL,
              () -> {
                for (int j = 0; j < 50; j++) {
                  Deadline deadline =
                      number % 3 == 0 ? Deadline.afterNanos(1000L * (j + 1)) : Deadline.none();
                  try {
                    limit.enter(deadline);
                  } catch (TimeoutException e) {
                    continue; // gave up, perhaps just as a place came
                  }
                  most.accumulateAndGet(in.incrementAndGet(), Math::max);
                  Thread.sleep(0, 1000);
                  in.decrementAndGet();
                  limit.leave();
                }
                return number;
              }));
    }
    for (Caller<Integer> each : callers) {
      each.result();
    }
    assertTrue(most.get() <= 3, "in flight at once: " + most);
    assertEquals(0, limit.inFlight());
    assertEquals(0, limit.waiting());
  }
}
