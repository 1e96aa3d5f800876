package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** Each kind of leak is seen, and nothing else is taken for one. */
class LeakCheckTest {

  /** A test that leaves a socket behind, and one that leaves nothing. */
  @ExtendWith(LeakCheck.class)
  static final class Leaving {
    static final AtomicReference<@Nullable ServerSocket> LEFT = new AtomicReference<>();

    @Test
    void leaves() throws Exception {
      LEFT.set(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    }

    @Test
    void leavesNothing() throws Exception {
      new ServerSocket(0, 1, InetAddress.getLoopbackAddress()).close();
    }
  }

  private final LeakCheck.Snapshot before = LeakCheck.Snapshot.take();

  @Test
  void platformThread() throws Exception {
    assertThreadIsSeen(Thread.ofPlatform());
  }

  @Test
  void virtualThread() throws Exception {
    assertThreadIsSeen(Thread.ofVirtual());
  }

  @Test
  void socket() throws Exception {
    try (ServerSocket left = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertEquals(1, leaks().size(), () -> left + " is left: " + leaks());
      assertTrue(leaks().get(0).startsWith("descriptor of a socket:"), leaks()::toString);
      String port = "from port " + left.getLocalPort() + " to port 0, state 0A";
      assertTrue(leaks().get(0).endsWith(port), leaks()::toString);
    }
    assertEquals(List.of(), leaks());
  }

  @Test
  void socketInPlaceOfAnother() throws Exception {
    LeakCheck.Snapshot withOne;
    try (ServerSocketChannel first = ServerSocketChannel.open()) {
      withOne = LeakCheck.Snapshot.take();
      assertTrue(first.isOpen());
    }
    try (ServerSocketChannel second = ServerSocketChannel.open()) {
      assertEquals(1, withOne.leaks(thread -> false).size(), () -> "as many, but not " + second);
    }
  }

  @Test
  void selector() throws Exception {
    try (Selector left = Selector.open()) {
      List<String> found =
          List.of(
              "1 descriptors of anon_inode:[eventfd]", // which wakes it
              "1 descriptors of anon_inode:[eventpoll]");
      assertEquals(found, leaks(), () -> left + " is left");
    }
    assertEquals(List.of(), leaks());
  }

  @Test
  void file() throws Exception {
    Path path = Files.createTempFile("heddle", "left");
    try (InputStream left = Files.newInputStream(path)) {
      List<String> found = List.of("descriptor of a file, " + path.toRealPath());
      assertEquals(found, leaks(), () -> left + " is left");
    } finally {
      Files.delete(path);
    }
    assertEquals(List.of(), leaks());
  }

  @Test
  void whatIsOnItsWayOutIsNoLeak() throws Exception {
    Thread.ofVirtual()
        .name("on-its-way-out")
        .start(
            () -> {
              Bounds.pause();
              Bounds.pause();
            });
    assertFalse(leaks().isEmpty());
    assertDoesNotThrow(() -> before.assertNoLeaks(thread -> false));
  }

  @Test
  void extensionFailsTheTestThatLeaves() throws Exception {
    Events events =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(Leaving.class))
            .execute()
            .testEvents();
    Objects.requireNonNull(Leaving.LEFT.get()).close();
    assertEquals(1, events.succeeded().count(), "leaves nothing");
    assertEquals(1, events.failed().count(), "leaves a socket");
    String said = String.valueOf(WrongDriversTest.failures(events.failed()).get(0).getMessage());
    assertTrue(said.startsWith("left behind:\ndescriptor of a socket:"), said);
  }

  private void assertThreadIsSeen(Thread.Builder kind) throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    Thread left =
        kind.name("left-behind")
            .start(
                () -> {
                  try {
                    end.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    assertEquals(1, leaks().size(), () -> "leaks: " + leaks());
    assertTrue(leaks().get(0).contains("left-behind"), leaks()::toString);
    assertEquals(List.of(), before.leaks("left-behind"::equals), "those that may stay");
    end.countDown();
    left.join();
    assertEquals(List.of(), leaks());
  }

  private List<String> leaks() {
    return before.leaks(thread -> false);
  }
}
