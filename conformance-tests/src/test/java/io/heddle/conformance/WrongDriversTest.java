package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.Events;

/** The kit finds each driver that is wrong on purpose, by the rule that names what is wrong. */
class WrongDriversTest {

  /**
   * A driver, and how the kit finds it out.
   *
   * @param rule what it breaks
   * @param message what the failure says, or a part of it
   */
  record Wrong(
      WrappedDriver driver, Class<? extends ConformanceSuite> suite, String rule, String message) {

    @Override
    public String toString() {
      return driver.getClass().getSimpleName() + ", " + rule;
    }
  }

  private static final String HARMED = "of 4 other calls have failed|leases: ";
  private static final String READ_TIMEOUT =
      "io.heddle.conformance.ReferenceException: READ_TIMEOUT";

  static List<Wrong> wrong() {
    return List.of(
        http11(new WrongDrivers.LeaksOnInterrupt(), "CA-06", "leases: 1, not 0"),
        http11(new WrongDrivers.LeaksOnInterrupt(), "CA-27", "leases: 1, not 0"),
        http11(new WrongDrivers.LeaksOnDeadline(), "DL-05", "leases: 1, not 0"),
        http11(new WrongDrivers.LosesTheFlag(), "CA-06", "the interrupt flag, after"),
        http11(new WrongDrivers.SetsTheFlag(), "DL-05", "the flag of a thread that nobody"),
        http11(new WrongDrivers.SetsTheFlag(), "CA-17", "the flag of a thread that nobody"),
        http11(
            new WrongDrivers.ThrowsTheWrongType(),
            "CA-06",
            "not how [INTERRUPTED] is reported: java.io.IOException: interrupted"),
        http11(new WrongDrivers.SendsAlthoughInterrupted(), "CA-01", "requests sent"),
        http11(
            new WrongDrivers.ForgetsTheDeadlineAtTheHead(),
            "DL-06",
            "the call has not ended within"),
        h2c(
            new WrongDrivers.CancelsSiblings(),
            "H2-01",
            "of 20 other calls have failed, or were sent again|leases: "),
        http11(new WrongDrivers.BuffersTheResponse(), "EX-22", "bytes that nobody read"),
        http11(
            new WrongDrivers.BuffersTheResponse(),
            "EX-24",
            "exit 3 of the other JVM:\nTerminating due to java.lang.OutOfMemoryError"),
        http11(new WrongDrivers.StopsAtTheHead(), "EX-30", "READ_TIMEOUT"),
        http11(new WrongDrivers.BuffersTheRequest(), "EX-23", "the client took "),
        http11(new WrongDrivers.KeepsWhatIsToBeClosed(), "H1-06", "connections"),
        http11(new WrongDrivers.EndsWithItsSource(), "H1-07", "connections"),
        http11(
            new WrongDrivers.ForgetsTheDeadlineAtTheHead(),
            "DL-16",
            "the call has not ended within"),
        http11(new WrongDrivers.LosesLateLeases(), "CA-26", "leases: |the call ends|LEASE_TIMEOUT"),
        http11(
            new WrongDrivers.TakesTruncatedForWhole(),
            "H1-01",
            "a body that broke is taken for a whole one"),
        http11(
            new WrongDrivers.TakesTruncatedForWhole(),
            "H1-02",
            "a body that broke is taken for a whole one"),
        http11(
            new WrongDrivers.EndsBrokenUploads(),
            "FA-10",
            "an upload that was cut is taken for a whole one"),
        http11(
            new WrongDrivers.EndsInterruptedUploads(),
            "CA-05",
            "an upload that was cut is taken for a whole one"),
        http11(new WrongDrivers.SendsPostsTwice(), "FA-06", "times sent"),
        http11(new WrongDrivers.SendsEmptyPostsTwice(), "FA-06", "times sent"),
        http11(new WrongDrivers.SpinsWhileItWaits(), "CA-25", "CPU used within a second"),
        http11(
            new WrongDrivers.SpinsWhenInterrupted(),
            "CA-24",
            "a reader that is interrupted goes on, CPU so far"),
        http11(
            new WrongDrivers.ReadsTheRequestOnTheIoThread(),
            "TH-02",
            "user code on an I/O thread ==> expected: <[]> but was: <[stream]>"),
        http11(
            new WrongDrivers.BlocksTheIoThread(),
            "TH-03",
            "a blocking call on an I/O thread: null"),
        http11(
            new WrongDrivers.BlocksTheIoThread(),
            "TH-04",
            "a blocking call on an I/O thread ends, which it holds"),
        http11(new WrongDrivers.PinsCarriers(), "TH-05", "HeldCarrier.waitHere"),
        http11(
            new WrongDrivers.TakesTruncatedForWhole(),
            "FR-01",
            "500 bytes are taken for a whole body"),
        h2c(new WrongDrivers.IgnoresLengths(), "FR-01", "0 bytes are taken for a whole body"),
        h2c(new WrongDrivers.TakesBrokenForWhole(), "FR-02", "are taken for a whole body"),
        http11(new WrongDrivers.IgnoresLengths(), "FR-03", "the call has not ended within"),
        http11(
            new WrongDrivers.IgnoresLengths(),
            "FR-04",
            "what was too much became a request|bytes, not 100"),
        http11(
            new WrongDrivers.KeepsHalfSent(),
            "FR-05",
            "READ_TIMEOUT|RESET_BEFORE_HEAD|what is not of the body is in the body|no request that can be"),
        h2c(new WrongDrivers.TrustsDeadPaths(), "PA-01", "the call failed: " + READ_TIMEOUT),
        h2c(new WrongDrivers.TrustsDeadPaths(), "PA-02", "the call failed: " + READ_TIMEOUT),
        h2c(new WrongDrivers.GivesUpWhenRefusedTwice(), "PA-03", "of 60 callers met a failure"),
        h2c(new WrongDrivers.GivesUpWhenRefusedTwice(), "H2-13", "REFUSED_STREAM"),
        h2c(new WrongDrivers.GivesUpWhenRefused(), "H2-14", "1 times sent"),
        h2c(new WrongDrivers.StormsWhenRefused(), "H2-14", "a storm of"),
        h2c(new WrongDrivers.BeginsAnewWhenRefused(), "H2-14", "the call has not ended within"),
        h2c(new WrongDrivers.SharesAmongHosts(), "H2-15", "status 421, not 200"),
        h2c(new WrongDrivers.MissesGoAway(), "H2-16", "GOAWAY"),
        http11(new WrongDrivers.WaitsForAnswersToPosts(), "DL-11", "the call has not ended within"),
        http11(new WrongDrivers.TimesOutEarly(), "DL-11", "ended too early"),
        h2c(new WrongDrivers.EndsAtGoAway(), "H2-16", "of 20 other calls have failed"),
        h2c(new WrongDrivers.EndsAllWhenOneFails(), "IS-03", HARMED),
        h2c(new WrongDrivers.EndsAllWhenOneFails(), "IS-04", HARMED),
        h2c(new WrongDrivers.EndsAllWhenOneFails(), "IS-01", HARMED),
        h2c(new WrongDrivers.EndsAllWhenOneFails(), "IS-02", HARMED),
        http11(new WrongDrivers.LeavesTheCallersThread(), "CO-01", "not on the caller's thread"),
        http11(
            new WrongDrivers.InheritsFromTheFirstCaller(),
            "CO-02",
            "writer with an InheritableThreadLocal"),
        http11(new WrongDrivers.LosesTheCallersFrames(), "TR-05", "the caller is not in the trace"),
        http11(new WrongDrivers.LeavesCallersHanging(), "LI-05", "the call has not ended within"),
        http11(new WrongDrivers.SharesItsFailures(), "TR-07", "another caller is in the trace"),
        http11(new WrongDrivers.LeavesItsOwn(), "LI-09", "left-behind"),
        http11(new WrongDrivers.LeavesFilesOpen(), "FR-05", "descriptor of a file, "),
        http11(new WrongDrivers.KeepsItsCalls(), "LI-10", "collected as garbage"),
        http11(new WrongDrivers.TellsOfNoFailure(), "SI-01", "expected: <[GET 200 completed"),
        http11(new WrongDrivers.TellsTheWholeUri(), "SI-01", "authority|127.0.0.1"),
        http11(new WrongDrivers.TellsTwice(), "SI-01", "expected: <[GET 200 completed"),
        http11(new WrongDrivers.TakesGivingUpForFailing(), "SI-02", "GET 0 failed"),
        http11(new WrongDrivers.TakesGivingUpForFailing(), "SI-03", "GET 0 failed|GET 200"),
        http11(new WrongDrivers.MarksNothing(), "SI-04", "placeTime of"),
        http11(new WrongDrivers.SaysNothingOfItsCalls(), "SI-05", "lines of thread"),
        http11(new WrongDrivers.CountsThoseThatWait(), "SI-05", "lines of thread"),
        http11(
            new WrongDrivers.MistakesWhatCallsWaitFor(),
            "SI-05",
            "EXPECTATION is not what is told"),
        http11(new WrongDrivers.ForgetsBuffers(), "LI-11", "buffers of Netty's were not released"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void isFoundOut(Wrong wrong) throws Exception {
    Events events;
    try {
      events = Suites.run(wrong.driver(), wrong.suite(), List.of(wrong.rule())).testEvents();
    } finally {
      wrong.driver().cleanUp();
    }
    assertEquals(1, events.failed().count(), "rules that failed");
    Throwable failure = failures(events.failed()).get(0);
    String said = String.valueOf(failure.getMessage());
    if (Stream.of(wrong.message().split("\\|", -1)).noneMatch(said::contains)) {
      throw new AssertionError(wrong + " failed for something else: " + failure, failure);
    }
  }

  /** It is the defect that breaks the rule, and not the wrapper around the reference driver. */
  @Test
  void wrapperIsRight() {
    for (Class<? extends ConformanceSuite> suite : List.of(Suites.Http11.class, Suites.H2c.class)) {
      List<String> rules =
          wrong().stream()
              .filter(each -> each.suite() == suite)
              .map(Wrong::rule)
              .distinct()
              .toList();
      Events events = Suites.run(new WrappedDriver(), suite, rules).testEvents();
      assertEquals(List.of(), messages(events.failed()));
      assertEquals(rules.size(), events.succeeded().count());
    }
  }

  private static Wrong http11(WrappedDriver driver, String rule, String message) {
    return new Wrong(driver, Suites.Http11.class, rule, message);
  }

  private static Wrong h2c(WrappedDriver driver, String rule, String message) {
    return new Wrong(driver, Suites.H2c.class, rule, message);
  }

  private static List<String> messages(Events events) {
    return failures(events).stream().map(each -> String.valueOf(each.getMessage())).toList();
  }

  /** What tests have failed or were aborted with. */
  static List<Throwable> failures(Events events) {
    return events.stream()
        .map(each -> each.getRequiredPayload(TestExecutionResult.class))
        .flatMap(each -> each.getThrowable().stream())
        .toList();
  }
}
