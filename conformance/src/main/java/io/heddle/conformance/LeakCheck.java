package io.heddle.conformance;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves behind what was not there before it: a thread, virtual or platform, a
 * socket, a descriptor of the kernel's own, as a selector, what wakes it, or a timer, or an open
 * file right in the directory for temporary files, where the rules have their bodies. What is still
 * on its way out has some seconds to go.
 *
 * <p>Descriptors are read from {@code /proc/self/fd}; where there is no such directory, only
 * threads are checked.
 */
public final class LeakCheck implements BeforeEachCallback, AfterEachCallback {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(LeakCheck.class);

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  private static final Path TEMPORARY;

  /**
   * Threads of the JDK, of the test's engine, of our server and of Heddle's core, which come and go
   * as they like.
   */
  private static final List<String> OTHERS =
      List.of(
          FaultServer.THREADS,
          "ForkJoinPool",
          "VirtualThread-",
          "heddle-deadlines",
          "Common-Cleaner",
          "Cleaner-",
          "Native reference cleanup thread", // of the provider of ciphers that tests use on Linux
          "process reaper",
          "Attach Listener",
          "Signal Dispatcher",
          "Notification Thread",
          "JFR ",
          "CompletableFutureDelayScheduler",
          "surefire",
          "junit-",
          "globalEventExecutor");

  static {
    // When the JDK first closes a socket it opens a pair, which it keeps: not to be taken for a
    // leak.
    try {
      new ServerSocket(0, 1, InetAddress.getLoopbackAddress()).close();
      TEMPORARY = Path.of(System.getProperty("java.io.tmpdir")).toRealPath();
    } catch (IOException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** What there is at one moment. */
  record Snapshot(Set<Long> threads, Set<String> opened, Map<String, Long> anonymous) {

    static Snapshot take() {
      Set<Long> threads = new HashSet<>();
      AllThreads.list().forEach(each -> threads.add(each.threadId()));
      Collection<String> descriptors = descriptors();
      Set<String> opened = new HashSet<>(descriptors);
      opened.removeIf(each -> !isOpenedByTests(each));
      return new Snapshot(threads, opened, anonymousIn(descriptors));
    }

    /** What is there now and was not there then; empty if nothing. */
    List<String> leaks(Predicate<String> ignoredThreads) {
      List<String> leaks = new ArrayList<>();
      threadsLeft(ignoredThreads).forEach(each -> leaks.add("thread " + AllThreads.describe(each)));
      Collection<String> descriptors = descriptors();
      for (String each : openedAndLeft(descriptors)) {
        leaks.add(
            "descriptor of a "
                + (isSocket(each) ? each + ", " + SocketTable.describe(each) : "file, " + each));
      }
      moreOf(descriptors).forEach((kind, more) -> leaks.add(more + " descriptors of " + kind));
      return leaks;
    }

    /** Fails if there still are leaks after some seconds. */
    void assertNoLeaks(Predicate<String> ignoredThreads) {
      long start = System.nanoTime();
      while (!isClean(ignoredThreads)) {
        if (System.nanoTime() - start > Bounds.LONG.toNanos()) {
          List<String> leaks = leaks(ignoredThreads);
          Kit.check(leaks.isEmpty(), "left behind:\n" + String.join("\n\n", leaks));
          return; // at the last moment
        }
        Bounds.pause();
      }
    }

    /** Whether there are no leaks. Costs far less than to describe them. */
    private boolean isClean(Predicate<String> ignoredThreads) {
      Collection<String> descriptors = descriptors();
      return openedAndLeft(descriptors).isEmpty()
          && moreOf(descriptors).isEmpty()
          && threadsLeft(ignoredThreads).isEmpty();
    }

    private List<Thread> threadsLeft(Predicate<String> ignored) {
      return AllThreads.list().stream()
          .filter(each -> !threads.contains(each.threadId()))
          .filter(each -> !each.equals(Thread.currentThread()))
          .filter(each -> !isOthers(each.getName()) && !ignored.test(each.getName()))
          .toList();
    }

    private Map<String, Long> moreOf(Collection<String> descriptors) {
      Map<String, Long> more = new TreeMap<>(anonymousIn(descriptors));
      more.replaceAll((kind, now) -> now - anonymous.getOrDefault(kind, 0L));
      more.values().removeIf(each -> each <= 0);
      return more;
    }

    private List<String> openedAndLeft(Collection<String> descriptors) {
      return descriptors.stream()
          .filter(each -> isOpenedByTests(each) && !opened.contains(each))
          .toList();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getStore(NAMESPACE).put("before", Snapshot.take());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Snapshot before = context.getStore(NAMESPACE).remove("before", Snapshot.class);
    if (before != null && context.getExecutionException().isEmpty()) {
      before.assertNoLeaks(thread -> false);
    }
  }

  private static boolean isOthers(String thread) {
    return thread.contains("Poller") || OTHERS.stream().anyMatch(thread::startsWith);
  }

  private static boolean isOpenedByTests(String descriptor) {
    return isSocket(descriptor) || TEMPORARY.equals(Path.of(descriptor).getParent());
  }

  private static boolean isSocket(String descriptor) {
    return descriptor.startsWith("socket:");
  }

  /** How many ends of pipes are open; other JVMs, which rules share, have some. */
  static long pipes() {
    return descriptors().stream().filter(each -> each.startsWith("pipe:")).count();
  }

  /** How many there are of each kind of the kernel's own. */
  private static Map<String, Long> anonymousIn(Collection<String> descriptors) {
    return descriptors.stream()
        .filter(each -> each.startsWith("anon_inode:"))
        .collect(Collectors.groupingBy(each -> each, Collectors.counting()));
  }

  private static List<String> descriptors() {
    List<String> targets = new ArrayList<>();
    if (!Files.isDirectory(DESCRIPTORS)) {
      return targets;
    }
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        try {
          targets.add(Files.readSymbolicLink(each).toString());
        } catch (IOException e) {
          // closed in the meantime
        }
      }
    } catch (IOException e) {
      throw new AssertionError("cannot list " + DESCRIPTORS, e);
    }
    return targets;
  }
}
