package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.Events;

/** A deviation excuses a rule that is broken, and is itself at fault where the rule holds. */
class DeviationTest {

  @Deviation(
      rule = "CA-01",
      reason = "it sends first and looks later",
      failure = {"what does not happen", "requests sent"})
  @Retention(RetentionPolicy.RUNTIME)
  @interface OnEachWire {}

  @OnEachWire
  @Deviation(rule = "FA-06", reason = "twice is better", failure = "times sent")
  static final class Excused extends Suites.Http11 {}

  @Deviation(rule = "CA-01", reason = "it sends first", failure = "requests sent")
  @Deviation(
      rule = "FA-06",
      reason = "twice is better",
      failure = {"too late", "too early"})
  static final class Precise extends Suites.Http11 {}

  @Deviation(rule = "H2-01", reason = "this suite has no such rule", failure = "any")
  static final class Mistaken extends Suites.Http11 {}

  @Deviation(
      rule = "CA-01",
      reason = "it sends first",
      failure = {})
  static final class Silent extends Suites.Http11 {}

  @Deviation(rule = "CA-01", reason = "it sends first", failure = "")
  static final class Blank extends Suites.Http11 {}

  @Test
  void brokenRuleIsAbortedWithTheReason() {
    Events events =
        Suites.run(
                new WrongDrivers.SendsAlthoughInterrupted(),
                Excused.class,
                List.of("CA-01", "EX-01"))
            .testEvents();
    assertEquals(1, events.succeeded().count(), "EX-01");
    assertEquals(1, events.aborted().count(), "CA-01");
    Throwable reason = WrongDriversTest.failures(events.aborted()).get(0);
    assertEquals("CA-01 is not kept: it sends first and looks later", reason.getMessage());
    assertTrue(
        String.valueOf(reason.getCause()).contains("requests sent"), "the cause is " + reason);
  }

  @Test
  void onlyTheFailureThatIsNamedIsExcused() {
    Events named =
        Suites.run(new WrongDrivers.SendsAlthoughInterrupted(), Precise.class, List.of("CA-01"))
            .testEvents();
    assertEquals(1, named.aborted().count(), "CA-01");
    Events another =
        Suites.run(new WrongDrivers.SendsPostsTwice(), Precise.class, List.of("FA-06"))
            .testEvents();
    assertEquals(1, another.failed().count(), "FA-06");
    String said = String.valueOf(WrongDriversTest.failures(another.failed()).get(0).getMessage());
    assertTrue(said.startsWith("FA-06 fails, but not with \"too late\" or \"too early\": "), said);
  }

  @Test
  void ruleThatHoldsNeedsNoDeviation() {
    Events events =
        Suites.run(new ReferenceDriver(), Excused.class, List.of("CA-01", "FA-06")).testEvents();
    assertEquals(
        List.of(
            "CA-01 holds: remove the deviation \"it sends first and looks later\"",
            "FA-06 holds: remove the deviation \"twice is better\""),
        WrongDriversTest.failures(events.failed()).stream()
            .map(Throwable::getMessage)
            .sorted()
            .toList());
    assertEquals(2, events.finished().count());
  }

  @Test
  void deviationFromNoRuleIsTold() {
    Events events =
        Suites.run(new ReferenceDriver(), Mistaken.class, List.of("EX-01")).containerEvents();
    Throwable failure = WrongDriversTest.failures(events.failed()).get(0);
    assertEquals("H2-01 is no rule of this suite, which deviates from it", failure.getMessage());
  }

  @Test
  void deviationThatExcusesAnyFailureIsTold() {
    for (Class<? extends ConformanceSuite> each : List.of(Silent.class, Blank.class)) {
      Events events =
          Suites.run(new WrongDrivers.SendsAlthoughInterrupted(), each, List.of("CA-01"))
              .containerEvents();
      Throwable failure = WrongDriversTest.failures(events.failed()).get(0);
      assertEquals(
          "the deviation from CA-01 does not say what it fails with", failure.getMessage());
    }
  }
}
