package io.heddle.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;

class PinningReportTest {

  private static PinnedEvent event(int micros, String thread, String... frames) {
    return new PinnedEvent(
        Duration.ofNanos(micros * 1_000L), thread, null, null, null, List.of(frames));
  }

  private static PinningReport report(List<PinnedEvent> events) {
    return new PinningReport(events, List.of(), 2, 3, 2, Duration.ofMillis(7));
  }

  @Test
  void equalStacksAreOnePlaceAndTheMostFrequentComesFirst() {
    String once = "com.example.Once.<clinit>(Once.java:1)";
    String twice = "com.example.Twice.<clinit>(Twice.java:1)";
    String user = "com.example.User.use(User.java:1)";
    PinningReport report =
        report(
            List.of(
                event(10, "a", once),
                event(1200, "b", "java.lang.VirtualThread.park(VirtualThread.java:1)", twice, user),
                event(
                    2500, "c", "java.lang.VirtualThread.park(VirtualThread.java:1)", twice, user)));

    assertEquals(
        """
        3 pins in 2 places during 7.0 ms
          2 × com.example.Twice.<clinit>(Twice.java:1)
              called from com.example.User.use(User.java:1)
              for 2.5 ms at most, the first on b
                at com.example.Twice.<clinit>(Twice.java:1)
                at com.example.User.use(User.java:1)
          1 × com.example.Once.<clinit>(Once.java:1)
              for 0.01 ms, on a
                at com.example.Once.<clinit>(Once.java:1)
        carriers: at most 3, 2 at the start, for a parallelism of 2""",
        report.describe());
  }

  @Test
  void theJvmsWordsAreInTheDescription() {
    PinningReport report =
        report(
            List.of(
                new PinnedEvent(
                    Duration.ofMillis(1),
                    "a",
                    "ForkJoinPool-1-worker-1",
                    "Critical section",
                    "LockSupport.park",
                    List.of("com.example.Guess.x(Guess.java:1)"))));

    assertEquals(
        """
        1 pin in 1 place during 7.0 ms
          1 × probably com.example.Guess.x(Guess.java:1)
              Critical section
              in LockSupport.park
              for 1.0 ms, on a over ForkJoinPool-1-worker-1
                at com.example.Guess.x(Guess.java:1)
        carriers: at most 3, 2 at the start, for a parallelism of 2""",
        report.describe());
  }

  @Test
  void tenPlacesAreShown() {
    List<PinnedEvent> events = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      events.add(event(1, "a", "com.example.Place" + i + ".<clinit>(Place.java:1)"));
    }
    String text = report(events).describe();
    assertTrue(text.contains("Place9.") && !text.contains("Place10."), text);
    assertTrue(text.contains("\n  and 2 more places\n"), text);
  }

  @Test
  void whatIsIgnoredNeedsAReasonAndIsNotForgotten() {
    PinningReport report =
        report(
            List.of(
                event(1, "a", "com.example.Driver.<clinit>(Driver.java:1)"),
                event(
                    1, "b", "java.lang.Some.<clinit>(Some.java:1)", "com.example.Driver.x(D.java)"),
                event(1, "c", "com.example.Mine.<clinit>(Mine.java:1)")));

    PinningReport rest = report.ignoring("example\\.Driver\\.", "their issue 7");
    assertEquals(List.of("c"), rest.events().stream().map(PinnedEvent::thread).toList());
    assertFalse(rest.isClean());
    PinningReport none = rest.ignoring("Mine", "known");
    assertTrue(none.isClean());
    assertEquals(
        """
        no pin during 7.0 ms
        ignored: 2 × example\\.Driver\\., because their issue 7
        ignored: 1 × Mine, because known
        carriers: at most 3, 2 at the start, for a parallelism of 2""",
        none.describe());
    assertEquals(3, report.events().size());
    assertThrows(IllegalArgumentException.class, () -> report.ignoring("Mine", " "));
    assertThrows(PatternSyntaxException.class, () -> report.ignoring("(", "known"));
  }

  @Test
  void aBoundAllowsSoManyPinsAndNoMore() {
    PinningReport report =
        report(List.of(event(1, "a", "com.example.A.a(A.java)"), event(1, "b", "x.B.b(B.java)")));

    assertSame(report, report.assertAtMost(2));
    AssertionError error = assertThrows(AssertionError.class, () -> report.assertAtMost(1));
    assertEquals("at most 1 allowed: " + report.describe(), error.getMessage());
    report.ignoring("example", "known").assertAtMost(1);
    assertThrows(IllegalArgumentException.class, () -> report.assertAtMost(-1));
  }

  @Test
  void whatIsKnownToPinMustPin() {
    PinningReport report = report(List.of(event(1, "a", "com.example.A.a(A.java)")));

    assertEquals(report.ignoring("A\\.a", "their 7"), report.ignoringKnown("A\\.a", "their 7"));
    AssertionError error =
        assertThrows(AssertionError.class, () -> report.ignoringKnown("B\\.b", "their issue 7"));
    String message = Objects.toString(error.getMessage());
    assertTrue(
        message.startsWith(
            "nothing pinned at B\\.b, which is ignored because their issue 7\n1 pin in "),
        message);
  }

  private static PinnedEvent waitFor(String operation, String thread, int millis) {
    return new PinnedEvent(Duration.ofMillis(millis), thread, null, null, operation, List.of());
  }

  @Test
  void shortContentionCanBeLeftOutAndNothingElseWithIt() {
    PinningReport report =
        report(
            List.of(
                waitFor(PinnedEvent.IN_MONITOR_ENTER, "short", 19),
                waitFor(PinnedEvent.IN_MONITOR_ENTER, "long", 20),
                waitFor(PinnedEvent.IN_MONITOR_WAIT, "waits", 1),
                event(1, "parks"),
                new PinnedEvent( // from JDK 24 on, where a monitor pins only within something else
                    Duration.ofMillis(1),
                    "in an initializer",
                    null,
                    "VM call to X.<clinit> on stack",
                    PinnedEvent.IN_MONITOR_ENTER,
                    List.of())));

    PinningReport rest = report.ignoringContention(Duration.ofMillis(20));
    assertEquals(
        List.of("long", "waits", "parks", "in an initializer"),
        rest.events().stream().map(PinnedEvent::thread).toList());
    assertTrue(
        rest.describe().contains("\nignored: 1 × waits for a monitor shorter than 20.0 ms\n"),
        rest::describe);
    assertSame(rest, rest.ignoringContention(Duration.ofMillis(20)));
  }

  @Test
  void theLoadingOfClassesCanBeLeftOut() {
    PinningReport report =
        report(
            List.of(
                event(1, "a", "java.lang.ClassLoader.loadClass(ClassLoader.java:1)"),
                event(1, "b", "com.example.A.a(A.java)")));

    PinningReport rest = report.ignoringClassLoading();
    assertEquals(List.of("b"), rest.events().stream().map(PinnedEvent::thread).toList());
    assertTrue(rest.ignoringClassLoading().describe().contains("ignored: 1 × "), rest::describe);
  }

  @Test
  void carriersGrewOnlyPastTheParallelismAndPastWhatWasThere() {
    assertTrue(carriers(2, 3, 2).carriersGrew());
    assertFalse(carriers(1, 2, 2).carriersGrew());
    assertFalse(carriers(5, 5, 2).carriersGrew());
    assertTrue(carriers(5, 6, 2).carriersGrew());
  }

  private static PinningReport carriers(int atStart, int peak, int parallelism) {
    return new PinningReport(List.of(), List.of(), atStart, peak, parallelism, Duration.ZERO);
  }
}
