package io.heddle.conformance;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All threads of this JVM and their stacks, virtual ones included. Made by the JVM's own dump,
 * since {@link Thread#getAllStackTraces()} knows only platform threads.
 */
final class ThreadDump {

  /** One thread in the dump. */
  record Entry(long id, String name, boolean virtual, String text) {

    /** Whether code of this package or class is on the stack. */
    boolean isIn(String prefix) {
      return text.lines().anyMatch(line -> frame(line).startsWith(prefix));
    }

    /** A frame's line without what stands before the class. */
    private static String frame(String line) {
      String frame = line.strip();
      return frame.startsWith("at ") ? frame.substring(3) : frame;
    }
  }

  private static final Pattern HEAD = Pattern.compile("#(\\d+) \"(.*)\"( virtual)?.*");

  private ThreadDump() {}

  static List<Entry> take() {
    return Arrays.stream(text().split("\n\n", -1))
        .map(ThreadDump::entry)
        .filter(e -> e.id() > 0)
        .toList();
  }

  static String text() {
    try {
      Path directory = Files.createTempDirectory("heddle");
      Path file = directory.resolve("threads.txt");
      try {
        Objects.requireNonNull(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class))
            .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
        return Files.readString(file);
      } finally {
        Files.deleteIfExists(file);
        Files.delete(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Entry entry(String text) {
    Matcher head = HEAD.matcher(text.lines().findFirst().orElse(""));
    return head.matches()
        ? new Entry(Long.parseLong(head.group(1)), head.group(2), head.group(3) != null, text)
        : new Entry(-1, "", false, text);
  }
}
