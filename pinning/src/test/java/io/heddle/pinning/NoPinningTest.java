package io.heddle.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.heddle.pinning.NoPinning.Ignored;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.FlightRecorder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

class NoPinningTest {

  /** The classes used below are initialised, once and pinned, outside of the recordings. */
  @BeforeAll
  static void warm() {
    Pins.onVirtualThread("warm", Pins::pin);
  }

  private static void pin() {
    Pins.onVirtualThread("pinned", Pins::pin);
  }

  private static Events run(Class<?> tests) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(tests))
        .execute()
        .testEvents();
  }

  private static Throwable failure(Class<?> tests, String method) {
    return run(tests).failed().stream()
        .filter(event -> event.getTestDescriptor().getUniqueId().toString().contains(method + "("))
        .findFirst()
        .orElseThrow()
        .getRequiredPayload(TestExecutionResult.class)
        .getThrowable()
        .orElseThrow();
  }

  static class OnMethods {
    @BeforeEach
    @AfterEach
    void aroundTheTest() {
      pin();
    }

    @Test
    @NoPinning
    void clean() {
      Pins.onVirtualThread("free", Pins::park);
    }

    @Test
    void unwatched() {
      pin();
    }

    @Test
    @NoPinning
    void pins() {
      pin();
    }
  }

  @Test
  void onlyAnAnnotatedTestThatPinsItselfFails() {
    run(OnMethods.class).assertStatistics(stats -> stats.succeeded(2).failed(1));
    Throwable failure = failure(OnMethods.class, "pins");
    assertInstanceOf(AssertionError.class, failure);
    String message = Objects.toString(failure.getMessage());
    assertTrue(message.startsWith("1 pin in 1 place during "), message);
    assertTrue(message.contains("Pins$Initializer"), message);
  }

  @NoPinning
  static class OnAClass {
    @Test
    void pins() {
      pin();
    }

    @Test
    @NoPinning(ignoring = @Ignored(frame = "Pins\\$Initializer", because = "it is meant to"))
    void theMethodsRuleTakesThePlaceOfTheClasss() {
      pin();
    }

    @Test
    void clean() {}

    @Nested
    class Within {
      @Test
      void pins() {
        pin();
      }
    }
  }

  @Test
  void aClassAnnotatesItsTests() {
    run(OnAClass.class).assertStatistics(stats -> stats.succeeded(2).failed(2));
  }

  static class WarmUps {
    static final AtomicInteger RUNS = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(ints = {10, 20})
    @NoPinning(warmUps = 2)
    void coldAtFirst(int argument) {
      assertEquals(0, argument % 10);
      if (RUNS.incrementAndGet() % 3 != 0) {
        pin();
      }
    }

    @Test
    @NoPinning(warmUps = 1)
    void failsInTheWarmUp() {
      throw new IllegalStateException("cold");
    }
  }

  @Test
  void aTestIsRunBeforeToWarmUp() {
    WarmUps.RUNS.set(0);
    run(WarmUps.class).assertStatistics(stats -> stats.succeeded(2).failed(1));
    assertEquals(6, WarmUps.RUNS.get());
    assertEquals("cold", failure(WarmUps.class, "failsInTheWarmUp").getMessage());
  }

  static class Dynamic {
    static final AtomicInteger RUNS = new AtomicInteger();

    @TestFactory
    @NoPinning(warmUps = 1)
    List<DynamicTest> tests() {
      return List.of(
          dynamicTest("pins", NoPinningTest::pin), dynamicTest("clean", RUNS::incrementAndGet));
    }
  }

  @Test
  void eachDynamicTestIsRecordedByItself() {
    Dynamic.RUNS.set(0);
    run(Dynamic.class).assertStatistics(stats -> stats.succeeded(1).failed(1));
    assertEquals(2, Dynamic.RUNS.get());
  }

  static class Failing {
    @Test
    @NoPinning
    void failsAndPins() {
      pin();
      throw new IllegalStateException("of the test");
    }
  }

  @Test
  void aTestsOwnFailureStaysTheFailure() {
    Throwable failure = failure(Failing.class, "failsAndPins");
    assertEquals("of the test", failure.getMessage());
    assertEquals(1, failure.getSuppressed().length);
    String suppressed = Objects.toString(failure.getSuppressed()[0].getMessage());
    assertTrue(suppressed.startsWith("1 pin in 1 place during "), suppressed);
  }

  static class Unreasoned {
    @Test
    @NoPinning(ignoring = @Ignored(frame = "x", because = ""))
    void clean() {}
  }

  @Test
  void ignoringWithoutAReasonFails() {
    assertInstanceOf(IllegalArgumentException.class, failure(Unreasoned.class, "clean"));
  }

  static class Bounded {
    @Test
    @NoPinning(atMost = 2)
    void asManyAsAllowed() {
      pin();
      pin();
    }

    @Test
    @NoPinning(atMost = 1)
    void tooMany() {
      pin();
      pin();
    }

    @Test
    @NoPinning(
        atMost = 1,
        ignoring = @Ignored(frame = "Pins\\$Initializer", because = "it is meant to"))
    void whatIsIgnoredDoesNotCount() {
      pin();
      pin();
    }

    @Test
    @NoPinning(atMost = -1)
    void nonsense() {}
  }

  @Test
  void aBoundAllowsSoManyPinsAndNoMore() {
    run(Bounded.class).assertStatistics(stats -> stats.succeeded(2).failed(2));
    String message = Objects.toString(failure(Bounded.class, "tooMany").getMessage());
    assertTrue(message.startsWith("at most 1 allowed: 2 pins in "), message);
    assertInstanceOf(IllegalArgumentException.class, failure(Bounded.class, "nonsense"));
  }

  static class Contended {
    @Test
    @NoPinning
    void longOne() throws InterruptedException {
      Pins.contend(30);
    }

    @Test
    @NoPinning(contentionMillis = 60_000)
    void shortOne() throws InterruptedException {
      Pins.contend(1);
    }

    @Test
    @NoPinning(contentionMillis = 0)
    void anyCounts() throws InterruptedException {
      Pins.contend(1);
    }
  }

  @Test
  void aLongWaitForAMonitorFailsBeforeJdk24() {
    int pinning = Pins.monitorsPin() ? 2 : 0;
    run(Contended.class).assertStatistics(stats -> stats.succeeded(3 - pinning).failed(pinning));
    runSuite(Contended.class, "heddle.pinning.atMost", "0")
        .assertStatistics(stats -> stats.succeeded(3 - pinning).failed(pinning));
  }

  static class Stale {
    @Test
    @NoPinning(ignoring = @Ignored(frame = "OldDriver", because = "their issue 7"))
    void stale() {}

    @Test
    @NoPinning(ignoring = @Ignored(frame = "OldDriver", because = "before 24", sometimes = true))
    void sometimes() {}

    @Test
    @NoPinning(ignoring = @Ignored(frame = "OldDriver", because = "their issue 7"))
    void failsByItself() {
      throw new IllegalStateException("of the test");
    }
  }

  @Test
  void anExceptionThatMatchesNothingFails() {
    run(Stale.class).assertStatistics(stats -> stats.succeeded(1).failed(2));
    String message = Objects.toString(failure(Stale.class, "stale").getMessage());
    assertTrue(
        message.startsWith(
            "nothing pinned at OldDriver, which is ignored because their issue 7\nno pin during "),
        message);
    assertEquals(0, failure(Stale.class, "failsByItself").getSuppressed().length);
  }

  @NoPinning(ignoring = @Ignored(frame = "Pins\\$Initializer", because = "it is meant to"))
  static class KnownInOneTest {
    @Test
    void pins() {
      pin();
    }

    @Test
    void clean() {}

    @Nested
    class Within {
      @Test
      void clean() {}
    }
  }

  @NoPinning(ignoring = @Ignored(frame = "OldDriver", because = "their issue 7"))
  static class KnownInNoTest {
    @Test
    void clean() {}

    @Nested
    class Within {
      @Test
      void clean() {}
    }
  }

  @NoPinning(ignoring = @Ignored(frame = "OldDriver", because = "their issue 7"))
  static class KnownButFailing {
    @Test
    void clean() {}

    @Test
    void fails() {
      throw new IllegalStateException("of the test");
    }
  }

  @NoPinning(ignoring = @Ignored(frame = "OldDriver", because = "before 24", sometimes = true))
  static class KnownSometimes {
    @Test
    void clean() {}
  }

  @NoPinning(
      ignoring = {
        @Ignored(frame = "Pins\\$Initializer", because = "it is meant to"),
        @Ignored(frame = "<clinit>", because = "a class is initialized once")
      })
  static class KnownTwice {
    @Test
    void pins() {
      pin();
    }

    @Test
    @NoPinning(
        ignoring = {
          @Ignored(frame = "Pins\\$Initializer", because = "it is meant to"),
          @Ignored(frame = "<clinit>", because = "a class is initialized once")
        })
    void pinsByTheMethodsRule() {
      pin();
    }
  }

  @Test
  void twoExceptionsMayMatchTheSamePin() {
    run(KnownTwice.class).assertStatistics(stats -> stats.succeeded(2).failed(0));
    assertEquals(List.of(), classFailures(KnownTwice.class));
  }

  @Test
  void anExceptionOfAClassMustMatchInOneOfItsTests() {
    run(KnownInOneTest.class).assertStatistics(stats -> stats.succeeded(3).failed(0));
    assertEquals(List.of(), classFailures(KnownInOneTest.class));
    run(KnownInNoTest.class).assertStatistics(stats -> stats.succeeded(2).failed(0));
    assertEquals(
        List.of(
            "nothing pinned at OldDriver, which is ignored because their issue 7, in any test of"
                + " the class"),
        classFailures(KnownInNoTest.class));
    assertEquals(List.of(), classFailures(KnownButFailing.class));
    assertEquals(List.of(), classFailures(KnownSometimes.class));
  }

  private static List<String> classFailures(Class<?> tests) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(tests))
        .execute()
        .containerEvents()
        .failed()
        .stream()
        .map(event -> event.getRequiredPayload(TestExecutionResult.class).getThrowable())
        .map(failure -> Objects.toString(failure.orElseThrow().getMessage()))
        .toList();
  }

  static class Looking {
    @BeforeEach
    void before() {
      pin();
    }

    @Test
    @NoPinning(atMost = NoPinning.ANY)
    void judgesAlone(PinningRecorder recorder) {
      assertEquals(0, recorder.soFar().events().size());
      pin();
      assertEquals(1, recorder.soFar().events().size());
      pin();
      assertEquals(2, recorder.stop().events().size());
    }

    @Test
    @NoPinning
    void isJudgedAllTheSame(PinningRecorder recorder) {
      pin();
      assertEquals(1, recorder.soFar().events().size());
    }

    @Test
    @NoPinning
    void endsTheRecordingItself(PinningRecorder recorder) {
      assertEquals(0, recorder.stop().events().size());
      pin();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    @NoPinning(atMost = NoPinning.ANY)
    void besideOtherArguments(int pins, PinningRecorder recorder) {
      for (int i = 0; i < pins; i++) {
        pin();
      }
      assertEquals(pins, recorder.soFar().events().size());
    }

    @Test
    @NoPinning
    void neverComesToRun(PinningRecorder recorder, Thread nobodyHasThis) {}

    @Test
    @NoPinning(warmUps = 1)
    void warmsUp(PinningRecorder recorder) {}

    @Test
    void isNotWatched(PinningRecorder recorder) {}

    @TestFactory
    @NoPinning
    List<DynamicTest> isNoTest(PinningRecorder recorder) {
      return List.of();
    }
  }

  @Test
  void aTestMayTakeItsRecorder() {
    run(Looking.class).assertStatistics(stats -> stats.succeeded(4).failed(4));
    String judged = Objects.toString(failure(Looking.class, "isJudgedAllTheSame").getMessage());
    assertTrue(judged.startsWith("1 pin in 1 place during "), judged);
    String warm = Objects.toString(failure(Looking.class, "warmsUp").getMessage());
    assertTrue(warm.endsWith("has no warmUps: warm up in @BeforeEach"), warm);
    assertEquals(1, classFailures(Looking.class).size()); // of the factory
    assertEquals(
        List.of(),
        FlightRecorder.getFlightRecorder().getRecordings().stream()
            .filter(recording -> recording.getName().equals("heddle-pinning"))
            .toList());
  }

  static class Unmarked {
    static final AtomicInteger RUNS = new AtomicInteger();

    @Test
    void pinsTwice() {
      RUNS.incrementAndGet();
      pin();
      pin();
    }

    @Test
    @NoPinning(atMost = 3)
    void hasItsOwnRule() {
      pin();
      pin();
      pin();
    }

    @Test
    void looks(PinningRecorder recorder) {
      assertEquals(0, recorder.soFar().events().size());
    }
  }

  private static Events runSuite(Class<?> tests, String... parameters) {
    EngineTestKit.Builder kit =
        EngineTestKit.engine("junit-jupiter")
            .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
            .selectors(selectClass(tests));
    for (int i = 0; i < parameters.length; i += 2) {
      kit.configurationParameter(parameters[i], parameters[i + 1]);
    }
    return kit.execute().testEvents();
  }

  @Test
  void aSuiteIsSwitchedOnAsAWhole() {
    runSuite(Unmarked.class, "heddle.pinning.atMost", "1")
        .assertStatistics(stats -> stats.succeeded(2).failed(1));
    runSuite(Unmarked.class, "heddle.pinning.atMost", "2")
        .assertStatistics(stats -> stats.succeeded(3).failed(0));
    Unmarked.RUNS.set(0);
    runSuite(Unmarked.class, "heddle.pinning.atMost", "2", "heddle.pinning.warmUps", "4")
        .assertStatistics(stats -> stats.succeeded(2).failed(1)); // the one with a parameter
    assertEquals(5, Unmarked.RUNS.get());
    runSuite(Unmarked.class, "heddle.pinning.atMost", "none")
        .assertStatistics(stats -> stats.succeeded(1).failed(2));
  }

  @Test
  void aSuiteThatFindsTheExtensionIsNotWatchedUnlessItSaysSo() {
    runSuite(OnMethods.class).assertStatistics(stats -> stats.succeeded(2).failed(1));
  }

  @Test
  void anAnnotatedTestIsRecordedOnceInASuiteThatFindsTheExtension() {
    WarmUps.RUNS.set(0);
    runSuite(WarmUps.class, "heddle.pinning.atMost", "0")
        .assertStatistics(stats -> stats.succeeded(2).failed(1));
    assertEquals(6, WarmUps.RUNS.get());
  }

  /** Two tests that would meet if they ran at the same time. */
  static class Alone {
    static final Exchanger<String> MEETING = new Exchanger<>();

    static boolean meet() throws InterruptedException {
      try {
        MEETING.exchange("met", 300, TimeUnit.MILLISECONDS);
        return true;
      } catch (TimeoutException e) {
        return false;
      }
    }

    static class Watched {
      @Test
      @NoPinning
      void test() throws InterruptedException {
        assertFalse(meet(), "not alone");
      }
    }

    static class Other {
      @Test
      void test() throws InterruptedException {
        meet();
      }
    }
  }

  @Test
  void aWatchedTestRunsAloneWhereTestsRunInParallel() {
    EngineExecutionResults results =
        EngineTestKit.engine("junit-jupiter")
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
            .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
            .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
            .configurationParameter(
                "junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
            .selectors(selectClass(Alone.Watched.class), selectClass(Alone.Other.class))
            .execute();
    results.testEvents().assertStatistics(stats -> stats.started(2).succeeded(2));
  }
}
