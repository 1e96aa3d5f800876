package io.heddle.bench.load;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;

/** Further JVMs: this Java, this class path, another main class. */
public final class Jvm {

  private Jvm() {}

  /** What starts one. */
  public static ProcessBuilder start(Class<?> main, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  /** The options of this one, and what it chose by itself. */
  public static String flags() {
    String chosen;
    try {
      chosen =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "vmFlags",
                      new Object[] {new String[0]},
                      new String[] {String[].class.getName()});
    } catch (JMException e) {
      chosen = e.toString(); // not HotSpot
    }
    List<String> options = ManagementFactory.getRuntimeMXBean().getInputArguments();
    return String.join(" ", options) + "; in all " + chosen.strip();
  }

  /** Ends one, with force if it does not by itself within 5 s. */
  static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
