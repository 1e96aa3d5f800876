package io.heddle.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.PlatformManagedObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class CarriersTest {

  private static Carriers.Change started(long at, long id) {
    return new Carriers.Change(Instant.ofEpochMilli(at), id, true);
  }

  private static Carriers.Change ended(long at, long id) {
    return new Carriers.Change(Instant.ofEpochMilli(at), id, false);
  }

  @Test
  void withoutChangesThePeakIsTheCensus() {
    assertEquals(new Carriers.Count(2, 2), Carriers.count(Set.of(1L, 2L), List.of()));
  }

  @Test
  void thePeakIsFoundInTheOrderOfTime() {
    assertEquals(
        new Carriers.Count(1, 3),
        Carriers.count(
            Set.of(1L), List.of(ended(4, 2), started(5, 4), started(3, 3), started(2, 2))));
  }

  @Test
  void aCarrierThatStartedBeforeTheCensusIsCountedOnce() {
    assertEquals(new Carriers.Count(1, 2), Carriers.count(Set.of(1L, 2L), List.of(started(1, 2))));
  }

  @Test
  void aCarrierThatEndedBeforeTheCensusWasThereAtTheStart() {
    assertEquals(new Carriers.Count(2, 2), Carriers.count(Set.of(1L), List.of(ended(1, 2))));
  }

  @Test
  void noCarrierAtAllIsNotBelieved() {
    assertThrows(IllegalStateException.class, () -> Carriers.count(Set.of(), List.of()));
  }

  /** Reads that block in the kernel: the scheduler adds a carrier for each. */
  @Test
  void growthBeyondTheParallelismIsSeenAndWhatIsLeftOfItIsNotTakenForGrowth() throws Exception {
    int readers = Carriers.alive().size() + Carriers.parallelism() + 2;
    PinningReport grown = PinningRecorder.record(0, () -> blockInReads(readers));
    int alive = Carriers.alive().size();
    PinningReport after = PinningRecorder.record(0, () -> Pins.onVirtualThread("free", Pins::park));

    assertTrue(grown.peakCarriers() >= readers, grown::describe);
    assertTrue(grown.carriersGrew(), grown::describe);
    assertTrue(grown.isClean(), grown::describe);
    assertFalse(after.carriersGrew(), after::describe);
    assertTrue(after.peakCarriers() <= alive, after::describe);
    assertTrue(after.carriersAtStart() <= alive, after::describe);
  }

  private static void blockInReads(int readers) throws Exception {
    CountDownLatch mounted = new CountDownLatch(readers);
    List<Process> writers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    try {
      for (int i = 0; i < readers; i++) {
        Process writer = new ProcessBuilder("cat").start();
        writers.add(writer);
        threads.add(
            Thread.startVirtualThread(
                () -> {
                  mounted.countDown();
                  try {
                    writer.getInputStream().read();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }));
      }
      mounted.await(); // no reader leaves its carrier before its read ends, so all hold one now
    } finally {
      for (Process writer : writers) {
        writer.getOutputStream().close(); // cat ends, and with it the read
      }
      for (Thread thread : threads) {
        thread.join();
      }
      for (Process writer : writers) {
        writer.waitFor();
      }
    }
  }

  @Test
  void theCensusAgreesWithTheScheduler() throws Exception {
    Pins.onVirtualThread("any", Pins::park);
    if (Runtime.version().feature() >= 24) {
      Class<?> type = Class.forName("jdk.management.VirtualThreadSchedulerMXBean");
      Object scheduler =
          ManagementFactory.getPlatformMXBean(type.asSubclass(PlatformManagedObject.class));
      assertEquals(type.getMethod("getPoolSize").invoke(scheduler), Carriers.alive().size());
    }
    assertTrue(Carriers.alive().size() >= 1);
    assertTrue(Carriers.parallelism() >= 1);
  }
}
