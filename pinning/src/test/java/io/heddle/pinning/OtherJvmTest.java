package io.heddle.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What depends on how a JVM was started. The class path there holds the module, and no JUnit. */
class OtherJvmTest {

  static final class Program {
    public static void main(String[] args) {
      try {
        System.out.println(
            PinningRecorder.record(0, () -> Pins.onVirtualThread("pinned", Pins::pin)).describe());
      } catch (IllegalStateException e) {
        System.out.println("! " + e.getMessage());
      }
    }
  }

  private static String run(String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.add("-cp");
    command.add(
        Stream.of(PinningRecorder.class, Program.class)
            .map(OtherJvmTest::whereIs)
            .collect(Collectors.joining(File.pathSeparator)));
    command.add(Program.class.getName());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output;
  }

  private static String whereIs(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Test
  void theRecorderNeedsNoJUnit() throws Exception {
    String output = run();
    assertTrue(output.startsWith("1 pin in 1 place during "), output);
  }

  @Test
  void withoutJfrItSaysSo() throws Exception {
    String output = run("--limit-modules", "java.base,java.management");
    assertTrue(
        output.startsWith(
            "! pinning is recorded by JDK Flight Recorder, which this JVM does not have"),
        output);
  }

  /** There, virtual threads are platform threads in disguise, which nothing can pin. */
  @Test
  void itIsBlindWhereVirtualThreadsHaveNoCarriers() throws Exception {
    String output = run("-XX:+UnlockExperimentalVMOptions", "-XX:-VMContinuations");
    assertTrue(
        output.contains("! recorder is blind: JFR did not show the park that was pinned"), output);
  }

  @Test
  void itIsBlindWhereTheStackDepthHidesTheControl() throws Exception {
    String output = run("-XX:FlightRecorderOptions:stackdepth=3");
    assertTrue(
        output.contains("! recorder is blind: ")
            && output.contains("(-XX:FlightRecorderOptions:stackdepth)"),
        output);
  }

  @Test
  void aStackThatTheJvmCutEndsInDots() throws Exception {
    String output = run("-XX:FlightRecorderOptions:stackdepth=12");
    assertTrue(output.contains("        at ..."), output);
  }
}
