package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AllThreadsTest {

  private static final int STARTERS = 8;
  private static final int DUMPS = 500;

  @Test
  void aVirtualThreadIsSeenWhereItStands() throws Exception {
    Thread stands = Thread.ofVirtual().name("stands").start(LockSupport::park);
    try {
      String head = "#" + stands.threadId() + " \"stands\" virtual WAITING\n    at ";
      assertTrue(
          Bounds.holds(Bounds.LONG, () -> AllThreads.dump().contains(head)), AllThreads::dump);
      assertTrue(AllThreads.describe(stands).contains("LockSupport.park"), AllThreads::dump);
    } finally {
      LockSupport.unpark(stands);
    }
    stands.join();
  }

  /** JDK 25.0.3 does not live through as many dumps of its own here. */
  @Test
  void threadsAreSeenAsTheyStartAndPark() throws Exception {
    List<Thread> starters = new ArrayList<>();
    for (int i = 0; i < STARTERS; i++) {
      starters.add(Thread.ofPlatform().start(AllThreadsTest::startOthers));
    }
    try {
      for (int i = 0; i < DUMPS; i++) {
        assertTrue(AllThreads.dump().contains("AllThreadsTest"));
      }
    } finally {
      starters.forEach(Thread::interrupt);
    }
    for (Thread each : starters) {
      each.join();
    }
  }

  private static void startOthers() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Thread.startVirtualThread(() -> LockSupport.parkNanos(100_000)).join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it ends
    }
  }
}
