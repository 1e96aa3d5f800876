package io.heddle.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PinningRecorderTest {

  /** The classes used below are initialised, once and pinned, outside of the recordings. */
  @BeforeAll
  static void warm() {
    Pins.onVirtualThread("warm", Pins::pin);
    Pins.onVirtualThread("warm", Pins::parkInSynchronizedMethod);
    Pins.onVirtualThread("warm", () -> Pins.parkInSynchronizedBlock(new Object()));
    Pins.onVirtualThread("warm", Pins::waitOnMonitor);
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    assertEquals(
        List.of(),
        FlightRecorder.getFlightRecorder().getRecordings().stream()
            .filter(recording -> recording.getName().equals("heddle-pinning"))
            .toList());
    assertEquals(List.of(), files());
  }

  private static List<Path> files() throws IOException {
    String prefix = "heddle-pinning-" + ProcessHandle.current().pid() + "-";
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
    }
  }

  @Test
  void aParkThatLeavesItsCarrierIsClean() {
    PinningReport report =
        PinningRecorder.record(0, () -> Pins.onVirtualThreads("free", 20, Pins::park));

    assertEquals(List.of(), report.events());
    assertTrue(report.isClean());
    assertSame(report, report.assertClean());
    assertTrue(report.describe().startsWith("no pin during "), report.describe());
  }

  @Test
  void aPinIsSeenWithTheFrameThatPinnedAndItsCaller() {
    PinningReport report =
        PinningRecorder.record(0, () -> Pins.onVirtualThread("pinned", Pins::pin));

    assertEquals(1, report.events().size(), report::describe);
    PinnedEvent event = report.events().get(0);
    assertEquals("pinned", event.thread());
    assertTrue(event.duration().isPositive());
    assertTrue(event.culpritIsCertain());
    assertTrue(
        event
            .culprit()
            .matches(
                "io\\.heddle\\.pinning\\.Pins\\$Initializer.*\\.<clinit>\\(Pins\\.java:\\d+\\)"),
        event.culprit());
    String caller = event.caller();
    assertNotNull(caller);
    assertTrue(
        caller.matches("io\\.heddle\\.pinning\\.Pins\\.pinned\\(Pins\\.java:\\d+\\)"), caller);
    assertFalse(report.isClean());
    AssertionError error = assertThrows(AssertionError.class, report::assertClean);
    assertEquals(report.describe(), error.getMessage());
  }

  @Test
  void theJvmsOwnWordsAreThereFromJdk24On() {
    PinningReport report =
        PinningRecorder.record(0, () -> Pins.onVirtualThread("pinned", Pins::pin));

    PinnedEvent event = report.events().get(0);
    if (Pins.monitorsPin()) {
      assertNull(event.reason());
      assertNull(event.blockingOperation());
      assertNull(event.carrier());
    } else {
      assertTrue(event.reason() != null && event.reason().contains("<clinit>"), event.reason());
      assertEquals("LockSupport.park", event.blockingOperation());
      assertTrue(event.carrier() != null && event.carrier().contains("-worker-"), event.carrier());
    }
  }

  @Test
  void aThreadWithoutANameIsToldByItsId() throws InterruptedException {
    AtomicLong id = new AtomicLong();
    PinningReport report =
        PinningRecorder.record(
            0,
            () -> {
              Thread thread = Thread.startVirtualThread(Pins::pin);
              thread.join();
              id.set(thread.threadId());
            });

    assertEquals("#" + id, report.events().get(0).thread());
  }

  @Test
  void aSynchronizedMethodPinsBeforeJdk24() {
    PinningReport report =
        PinningRecorder.record(
            0, () -> Pins.onVirtualThread("monitor", Pins::parkInSynchronizedMethod));

    assertEquals(Pins.monitorsPin() ? 1 : 0, report.events().size(), report::describe);
    for (PinnedEvent event : report.events()) {
      assertTrue(event.culpritIsCertain());
      assertTrue(
          event
              .culprit()
              .startsWith("synchronized io.heddle.pinning.Pins.parkInSynchronizedMethod("),
          event.culprit());
    }
  }

  @Test
  void aSynchronizedBlockPinsBeforeJdk24AndIsGuessed() {
    Object monitor = new Object();
    PinningReport report =
        PinningRecorder.record(
            0, () -> Pins.onVirtualThread("monitor", () -> Pins.parkInSynchronizedBlock(monitor)));

    assertEquals(Pins.monitorsPin() ? 1 : 0, report.events().size(), report::describe);
    for (PinnedEvent event : report.events()) {
      assertFalse(event.culpritIsCertain());
      assertTrue(
          event.culprit().startsWith("io.heddle.pinning.Pins.parkInSynchronizedBlock("),
          event.culprit());
    }
  }

  /** It holds the carrier there, and no jdk.VirtualThreadPinned says so. */
  @Test
  void aWaitToEnterSynchronizedIsSeenBeforeJdk24() throws InterruptedException {
    PinningReport report = PinningRecorder.record(0, () -> Pins.contend(1));

    assertEquals(Pins.monitorsPin() ? 1 : 0, report.events().size(), report::describe);
    for (PinnedEvent event : report.events()) {
      assertEquals("enters", event.thread());
      assertEquals("Contended monitor enter", event.blockingOperation());
      assertTrue(event.culpritIsCertain());
      assertTrue(event.culprit().startsWith("io.heddle.pinning.Pins.enter("), event.culprit());
    }
  }

  @Test
  void objectWaitIsSeenBeforeJdk24() {
    PinningReport report =
        PinningRecorder.record(0, () -> Pins.onVirtualThread("waits", Pins::waitOnMonitor));

    assertEquals(Pins.monitorsPin() ? 1 : 0, report.events().size(), report::describe);
    for (PinnedEvent event : report.events()) {
      assertEquals("waits", event.thread());
      assertEquals("Object.wait", event.blockingOperation());
      assertTrue(event.duration().compareTo(Duration.ofMillis(1)) >= 0, report::describe);
      assertTrue(event.culpritIsCertain());
      assertTrue(
          event.culprit().startsWith("io.heddle.pinning.Pins.waitOnMonitor("), event.culprit());
    }
  }

  @Test
  void whatThereIsSoFarIsToBeHadWhileTheRecordingGoesOn() {
    try (PinningRecorder recorder = PinningRecorder.start()) {
      assertEquals(List.of(), threads(recorder.soFar()));
      Pins.onVirtualThread("one", Pins::pin);
      assertEquals(List.of("one"), threads(recorder.soFar()));
      Pins.onVirtualThread("two", Pins::pin);
      assertEquals(List.of("one", "two"), threads(recorder.soFar()));
      PinningReport report = recorder.stop();
      assertEquals(List.of("one", "two"), threads(report));
      assertSame(report, recorder.soFar());
    }
  }

  @Test
  void afterACloseThereIsNothingSoFar() {
    PinningRecorder recorder = PinningRecorder.start();
    recorder.close();
    assertThrows(IllegalStateException.class, recorder::soFar);
  }

  @Test
  void itIsBlindSoFarWhenSomebodyElseHasEndedTheRecording() {
    try (PinningRecorder recorder = PinningRecorder.start()) {
      FlightRecorder.getFlightRecorder().getRecordings().forEach(Recording::stop);
      IllegalStateException blind = assertThrows(IllegalStateException.class, recorder::soFar);

      String message = Objects.toString(blind.getMessage());
      assertTrue(message.endsWith("somebody else had ended that recording"), message);
    }
  }

  @Test
  void aNativeFrameUnderAPinIsNamed() {
    ClassLoader parks =
        new ClassLoader(null) {
          @Override
          protected Class<?> findClass(String name) throws ClassNotFoundException {
            Pins.park();
            throw new ClassNotFoundException(name);
          }
        };
    PinningReport report =
        PinningRecorder.record(
            0,
            () ->
                Pins.onVirtualThread(
                    "native",
                    () ->
                        assertThrows(
                            ClassNotFoundException.class,
                            () -> Class.forName("no.such.Type", false, parks))));

    PinnedEvent event = report.events().get(0);
    assertTrue(event.culpritIsCertain());
    assertEquals(
        Pins.monitorsPin()
            ? event.culprit() // the class loader's own monitor may be nearer
            : "java.lang.Class.forName0(Native Method)",
        event.culprit());
  }

  @Test
  void everyPinThatEndedBeforeTheStopIsInTheReport() {
    for (int i = 0; i < 10; i++) {
      PinningReport report =
          PinningRecorder.record(0, () -> Pins.onVirtualThreads("pinned", 200, Pins::pin));
      assertEquals(200, report.events().size());
    }
  }

  @Test
  void nothingFromBeforeTheStartIsInTheReportThoughAnotherRecordingRan() {
    try (PinningRecorder outer = PinningRecorder.start()) {
      Pins.onVirtualThreads("before", 50, Pins::pin);
      PinningReport report = PinningRecorder.record(0, () -> {});
      assertEquals(List.of(), report.events());
      assertEquals(50, outer.stop().events().size());
    }
  }

  @Test
  void aWaitThatBeganBeforeTheStartIsInTheReport() throws InterruptedException {
    CountDownLatch pinned = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Thread thread =
        Thread.ofVirtual()
            .name("long")
            .start(
                () ->
                    Pins.pinned(
                        () -> {
                          pinned.countDown();
                          await(release);
                        }));
    pinned.await();
    Pins.awaitState(thread, Thread.State.WAITING);
    PinningReport report =
        PinningRecorder.record(
            0,
            () -> {
              release.countDown();
              thread.join();
            });

    assertEquals(List.of("long"), report.events().stream().map(PinnedEvent::thread).toList());
  }

  @Test
  void recordersMayOverlapAndNoneSeesTheControlsOfAnother() {
    PinningRecorder first = PinningRecorder.start();
    Pins.onVirtualThread("one", Pins::pin);
    PinningRecorder second = PinningRecorder.start();
    Pins.onVirtualThread("both", Pins::pin);
    PinningReport ofFirst = first.stop();
    Pins.onVirtualThread("two", Pins::pin);
    PinningReport ofSecond = second.stop();

    assertEquals(List.of("both", "one"), threads(ofFirst));
    assertEquals(List.of("both", "two"), threads(ofSecond));
  }

  private static List<String> threads(PinningReport report) {
    return report.events().stream().map(PinnedEvent::thread).sorted().toList();
  }

  @Test
  void manyRecordersMayRunAtATime() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Future<PinningReport>> reports = new ArrayList<>();
      for (int i = 0; i < 32; i++) {
        String name = "pinned-" + i;
        reports.add(
            threads.submit(
                () -> PinningRecorder.record(0, () -> Pins.onVirtualThread(name, Pins::park))));
      }
      for (Future<PinningReport> report : reports) {
        assertEquals(List.of(), threads(report.get()));
      }
    }
  }

  @Test
  void aFurtherStopHasTheSameReport() {
    PinningRecorder recorder = PinningRecorder.start();
    Pins.onVirtualThread("one", Pins::pin);
    PinningReport report = recorder.stop();
    Pins.onVirtualThread("two", Pins::pin);
    assertSame(report, recorder.stop());
    recorder.close();
    assertSame(report, recorder.stop());
  }

  @Test
  void afterACloseThereIsNoReport() {
    PinningRecorder recorder = PinningRecorder.start();
    recorder.close();
    recorder.close();
    IllegalStateException closed = assertThrows(IllegalStateException.class, recorder::stop);

    assertEquals("the recorder was closed before it was stopped", closed.getMessage());
  }

  @Test
  void anInterruptDisturbsNeitherStartNorStop() {
    Thread.currentThread().interrupt();
    try (PinningRecorder recorder = PinningRecorder.start()) {
      assertTrue(Thread.currentThread().isInterrupted());
      PinningReport report = recorder.stop();
      assertTrue(Thread.currentThread().isInterrupted());
      assertTrue(report.isClean());
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void aPinnedCallerIsNotPartOfTheReport() {
    List<PinningReport> reports = new ArrayList<>();
    Pins.onVirtualThread(
        "caller", () -> Pins.pinned(() -> reports.add(PinningRecorder.record(0, () -> {}))));

    assertEquals(List.of(), reports.get(0).events());
  }

  @Test
  void itIsBlindWhenSomebodyElseEndsTheRecording() {
    PinningRecorder recorder = PinningRecorder.start();
    FlightRecorder.getFlightRecorder().getRecordings().forEach(Recording::stop);
    IllegalStateException blind = assertThrows(IllegalStateException.class, recorder::stop);

    assertEquals(
        "recorder is blind: JFR did not show the park that was pinned on purpose at the end of the"
            + " recording: somebody else had ended that recording",
        blind.getMessage());
    assertSame(blind, assertThrows(IllegalStateException.class, recorder::stop));
  }

  @Test
  void itIsBlindWhenSomebodyElseClosesTheRecording() {
    PinningRecorder recorder = PinningRecorder.start();
    FlightRecorder.getFlightRecorder().getRecordings().forEach(Recording::close);
    IllegalStateException blind = assertThrows(IllegalStateException.class, recorder::stop);

    String message = Objects.toString(blind.getMessage());
    assertTrue(message.startsWith("recorder is blind: "), message);
  }

  @Test
  void itIsBlindWhenNoCarrierComesFree() throws InterruptedException {
    int carriers = Carriers.parallelism();
    CountDownLatch held = new CountDownLatch(carriers);
    CountDownLatch release = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < carriers; i++) {
      threads.add(
          Thread.startVirtualThread(
              () ->
                  Pins.pinned(
                      () -> {
                        held.countDown();
                        await(release);
                      })));
    }
    held.await();
    IllegalStateException blind;
    try {
      blind =
          assertThrows(
              IllegalStateException.class, () -> PinningRecorder.start(Duration.ofMillis(50)));
    } finally {
      release.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
    }

    String message = Objects.toString(blind.getMessage());
    assertTrue(message.startsWith("recorder is blind: no carrier came free"), message);
  }

  @Test
  void theBodyIsRunBeforeTheRecordingToWarmUp() {
    AtomicInteger runs = new AtomicInteger();
    PinningReport report =
        PinningRecorder.record(
            2,
            () -> {
              if (runs.incrementAndGet() < 3) {
                Pins.onVirtualThread("cold", Pins::pin);
              }
            });

    assertEquals(3, runs.get());
    assertEquals(List.of(), report.events());
    assertThrows(IllegalArgumentException.class, () -> PinningRecorder.record(-1, () -> {}));
  }

  @Test
  void whatTheBodyThrowsArrivesAsItself() {
    IOException thrown = new IOException("of the body");
    assertSame(
        thrown,
        assertThrows(
            IOException.class,
            () ->
                PinningRecorder.record(
                    0,
                    () -> {
                      throw thrown;
                    })));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
