package io.heddle.bench.measure;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What the machine has to give.
 *
 * @param cpu its name; empty where the system does not tell
 * @param availableBytes memory that is free to be used
 * @param descriptors files that one process may have open
 * @param ports that connections to one address and port may start from
 * @param threads that may run further
 */
public record Machine(
    String os,
    String cpu,
    int processors,
    long memoryBytes,
    long availableBytes,
    long descriptors,
    int ports,
    long threads,
    String java) {

  /** Where the system does not tell. */
  private static final long USUAL_THREADS = 30_000;

  private static final int LONGEST_FILE = 1 << 20;

  private static final int USUAL_PORTS = 16_384; // as IANA has it; Linux has more, and tells

  /** This one. */
  public static Machine here() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long descriptors =
        system instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : Integer.MAX_VALUE;
    return new Machine(
        system.getName() + " " + system.getVersion() + ", " + system.getArch(),
        field("/proc/cpuinfo", "model name"),
        Runtime.getRuntime().availableProcessors(),
        system.getTotalMemorySize(),
        available(system),
        descriptors,
        portCount(),
        threadCount(),
        System.getProperty("java.vm.name") + " " + Runtime.version());
  }

  /** The JDK's feature number: 25, say. */
  public int javaFeature() {
    return Runtime.Version.parse(java.substring(java.lastIndexOf(' ') + 1)).feature();
  }

  private static long available(OperatingSystemMXBean system) {
    String kilobytes = field("/proc/meminfo", "MemAvailable").replaceAll("[^0-9]", "");
    long free = system.getFreeMemorySize(); // with a container's limit
    return kilobytes.isEmpty() ? free : Math.max(free, Long.parseLong(kilobytes) * 1024);
  }

  private static int portCount() {
    long[] range = numbers("/proc/sys/net/ipv4/ip_local_port_range");
    return range.length == 2 ? (int) (range[1] - range[0] + 1) : USUAL_PORTS;
  }

  private static long threadCount() {
    long most =
        LongStream.of(
                first("/proc/sys/kernel/pid_max"),
                first("/proc/sys/kernel/threads-max"),
                first("/sys/fs/cgroup/pids.max"))
            .filter(each -> each > 0)
            .min()
            .orElse(USUAL_THREADS);
    String load = read("/proc/loadavg"); // "0.1 0.2 0.3 running/all last"
    int slash = load.indexOf('/');
    long running =
        slash < 0 ? 0 : Long.parseLong(load.substring(slash + 1, load.indexOf(' ', slash)));
    return Math.max(0, most - running);
  }

  private static long first(String file) {
    long[] numbers = numbers(file);
    return numbers.length == 0 ? 0 : numbers[0];
  }

  private static long[] numbers(String file) {
    return List.of(read(file).trim().split("\\s+", -1)).stream()
        .filter(each -> each.matches("[0-9]+"))
        .mapToLong(Long::parseLong)
        .toArray();
  }

  private static String field(String file, String name) {
    return read(file)
        .lines()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(line.indexOf(':') + 1).trim())
        .findFirst()
        .orElse("");
  }

  private static String read(String file) {
    // Not Files.readString: it asks for one byte first, and the kernel's settings can be read in
    // one
    // piece only.
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      return new String(in.readNBytes(LONGEST_FILE), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return ""; // another system
    }
  }
}
