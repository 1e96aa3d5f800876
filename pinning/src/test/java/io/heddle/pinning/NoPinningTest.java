package io.heddle.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.heddle.pinning.NoPinning.Ignored;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
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
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectMethod(tests, method))
        .execute()
        .testEvents()
        .failed()
        .stream()
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
