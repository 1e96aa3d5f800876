package io.heddle.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.ahc.AhcDriver;
import io.heddle.apache.ApacheDriver;
import io.heddle.conformance.ScopedCalls;
import io.heddle.jdk.JdkDriver;
import io.heddle.jersey.JerseyDriver;
import io.heddle.jetty.JettyDriver;
import io.heddle.okhttp.OkHttpDriver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Structured concurrency, a preview of JDK 25, ends the calls of a scope on the wire. */
@Timeout(180)
class ScopedCallsTest {

  @Test
  void cancellingAScopeEndsItsCalls(@TempDir Path dir) throws Exception {
    assumeTrue(
        Runtime.version().feature() == 25,
        "structured concurrency is another preview in each release: this one is of JDK 25");
    List<String> drivers =
        Stream.of(
                ApacheDriver.class,
                OkHttpDriver.class,
                AhcDriver.class,
                JettyDriver.class,
                JdkDriver.class,
                JerseyDriver.class)
            .map(Class::getName)
            .toList();
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("--enable-preview", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add(
        "-Dheddle.conformance.patience=" + Integer.getInteger("heddle.conformance.patience", 1));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ScopedCalls.class.getName());
    command.addAll(drivers);
    Path output = dir.resolve("output"); // to read a pipe of a scope that hangs would hang as well
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(150, TimeUnit.SECONDS);
      String said = Files.readString(output);
      assertTrue(ended, said);
      assertEquals(0, process.exitValue(), said);
      assertEquals(
          2L * 3 * drivers.size(), said.lines().filter(line -> line.endsWith(" ms")).count(), said);
    } finally {
      process.destroyForcibly();
    }
  }
}
