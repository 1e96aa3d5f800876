package io.heddle.bench.load;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Counts this process's system calls by {@code strace}, if there is one, and it may trace. */
public final class Strace {

  /** A line of its table: part of the time, seconds, µs a call, calls, errors if any, name. */
  private static final Pattern LINE =
      Pattern.compile(" *[0-9.]+ +[0-9.]+ +[0-9]+ +([0-9]+) +(?:[0-9]+ +)?([a-z0-9_]+)");

  private Strace() {}

  /** Whether there is one to be tried. */
  public static boolean isThere() {
    String path = System.getenv().getOrDefault("PATH", "");
    return List.of(path.split(File.pathSeparator, -1)).stream()
        .anyMatch(each -> Files.isExecutable(Path.of(each, "strace")));
  }

  /**
   * What was counted.
   *
   * @param calls that ended meanwhile
   * @param counts of system calls, by name
   */
  public record Counted(long calls, Map<String, Long> counts) {}

  /**
   * Counts for this long.
   *
   * @param calls how many have ended
   * @throws UncheckedIOException if it cannot: it says why
   */
  static Counted count(Duration time, LongSupplier calls) throws InterruptedException {
    String self = Long.toString(ProcessHandle.current().pid());
    try {
      Process strace =
          new ProcessBuilder("strace", "-f", "-c", "-p", self).redirectErrorStream(true).start();
      try (BufferedReader out = strace.inputReader()) {
        String line = out.readLine();
        if (line == null || !line.contains("attached")) {
          throw new IOException(String.valueOf(line));
        }
        long before = calls.getAsLong();
        Thread.sleep(time);
        long after = calls.getAsLong();
        strace.toHandle().destroy(); // it writes its table then; the other way nobody could read it
        return new Counted(after - before, parse(out.lines()));
      } finally {
        strace.destroy();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  /** The lines of its table. */
  static Map<String, Long> parse(Stream<String> lines) {
    return lines
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .filter(line -> !line.group(2).equals("total"))
        .collect(Collectors.toMap(line -> line.group(2), line -> Long.valueOf(line.group(1))));
  }
}
