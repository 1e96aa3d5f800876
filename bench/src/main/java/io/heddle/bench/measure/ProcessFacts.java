package io.heddle.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** What the operating system knows of a process. Where it is not Linux, some facts are 0. */
public final class ProcessFacts {

  private static final long KIBIBYTE = 1024;

  private ProcessFacts() {}

  /** Resident memory, in bytes. */
  public static long rss(long pid) {
    return status(pid, "VmRSS:") * KIBIBYTE;
  }

  /** Virtual size, in bytes. */
  static long virtualSize(long pid) {
    return status(pid, "VmSize:") * KIBIBYTE;
  }

  /** Platform threads. */
  static int threads(long pid) {
    return (int) status(pid, "Threads:");
  }

  private static long status(long pid, String key) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
        if (line.startsWith(key)) {
          return Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
      }
    } catch (IOException e) {
      return 0; // another system, or the process has ended
    }
    return 0;
  }

  /** CPU time so far. */
  static Duration cpu(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(each -> each.info().totalCpuDuration())
        .orElse(Duration.ZERO);
  }
}
