package io.heddle.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An application that is a module compiles, without a warning, and runs with each adapter, on the
 * module path, and names no other module but that. JSpecify is not there: nobody needs it.
 *
 * <p>The module path holds all that all our modules depend on, as JDK and compiler take from it
 * what is required; automatic modules they take all.
 */
class ModulePathTest {

  /** One directory for each, with a main class {@code consumer.Main} that calls a URL. */
  private static final Path CONSUMERS = Path.of("src/test/resources/consumers");

  private static HelloServer server;

  @BeforeAll
  static void serve() throws IOException {
    server = new HelloServer();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static Set<String> consumers() throws IOException {
    return names(CONSUMERS, "");
  }

  @Test
  void everyAdapterHasAConsumer() throws IOException {
    assertEquals(names(Path.of(".."), "adapter-"), consumers());
  }

  @ParameterizedTest
  @MethodSource("consumers")
  void aModularApplicationCompilesAndRuns(String name, @TempDir Path classes) throws Exception {
    compile(name, classes);

    assertSaysHello(classes, server.url());
  }

  /** OkHttp's module hides what its connections are: whoever looks gets an error. */
  @Test
  void overHttp2OkHttpsLimitsDoWithoutItsInternals(@TempDir Path classes) throws Exception {
    compile("okhttp", classes);

    try (FaultServer http2 = FaultServer.start(Wire.H2C)) {
      assertSaysHello(classes, http2.uri(Script.ok().body(5)).toString(), "H2_PRIOR_KNOWLEDGE");
    }
  }

  /** On each JVM, all at a time. */
  private static void assertSaysHello(Path classes, String... arguments) throws Exception {
    Map<String, Process> runs = new LinkedHashMap<>();
    for (String java : javas()) {
      runs.put(java, start(java, classes, output(classes, runs.size()), arguments));
    }
    int number = 0;
    for (Map.Entry<String, Process> each : runs.entrySet()) {
      assertEquals("hello", said(each.getValue(), output(classes, number++)), each::getKey);
    }
  }

  private static Path output(Path classes, int number) {
    return classes.resolve("output" + number);
  }

  private static void compile(String name, Path classes) throws IOException {
    try (Stream<Path> sources = Files.walk(CONSUMERS.resolve(name))) {
      Compiled.to(
          classes,
          sources.filter(each -> each.toString().endsWith(".java")).toList(),
          "-Xlint:all",
          "-Werror",
          "-p",
          modulePath());
    }
  }

  private static Process start(String java, Path classes, Path output, String... arguments)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                java,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-p",
                modulePath() + File.pathSeparator + classes,
                "-m",
                "consumer/consumer.Main"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectOutput(output.toFile())
        .redirectError(new File(output + ".err"))
        .start();
  }

  private static String said(Process process, Path output) throws Exception {
    try {
      assertTrue(process.waitFor(90, TimeUnit.SECONDS), "does not end");
      String said = Files.readString(output);
      assertEquals(0, process.exitValue(), said + Files.readString(Path.of(output + ".err")));
      return said.strip();
    } finally {
      process.destroyForcibly();
    }
  }

  private static List<String> javas() {
    List<String> javas = new ArrayList<>();
    javas.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    String second = System.getProperty("heddle.second.jvm");
    if (second != null) {
      javas.add(second);
    }
    return javas;
  }

  /** What the page of recipes brings. */
  private static final List<String> RECIPES =
      List.of(
          "/resilience4j/",
          "/com/google/",
          "/com/azure/",
          "/com/fasterxml/",
          "/io/projectreactor/",
          "/org/reactivestreams/",
          "/io/grpc/",
          "/io/opencensus/",
          "/io/micrometer/",
          "/org/hdrhistogram/",
          "/org/latencyutils/",
          "/org/checkerframework/",
          "/httpclient5-cache/",
          "/httpclient5-observation/");

  /** What this test's class path has, but for the tests themselves, and what they are made with. */
  private static String modulePath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(each -> !each.endsWith("test-classes"))
        .filter(each -> Files.exists(Path.of(each)))
        .filter(
            each ->
                Stream.of(
                        "/org/junit/",
                        "/opentest4j/",
                        "/apiguardian/",
                        "/jspecify/",
                        "/conformance/target/")
                    .noneMatch(each.replace(File.separatorChar, '/')::contains))
        .filter(each -> RECIPES.stream().noneMatch(each.replace(File.separatorChar, '/')::contains))
        .filter(each -> !Path.of(each).startsWith(Path.of("target").toAbsolutePath()))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static Set<String> names(Path directory, String prefix) throws IOException {
    try (Stream<Path> each = Files.list(directory)) {
      return each.filter(path -> Files.isDirectory(path))
          .map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith(prefix))
          .map(name -> name.substring(prefix.length()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
