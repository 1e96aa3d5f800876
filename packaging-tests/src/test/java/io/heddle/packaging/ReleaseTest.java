package io.heddle.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What {@code mvn -Prelease verify} leaves in {@code target/release} is whole, and enough: modular
 * applications, one for each adapter, and the examples build with Maven from it, and from nothing
 * else of ours, and run; and its recipes migrate a project.
 */
class ReleaseTest {

  private static final Path RELEASE = Path.of("../target/release").toAbsolutePath().normalize();
  private static final String VERSION = System.getProperty("heddle.version");

  /** What else a user chooses, by consumer. */
  private static final Map<String, String> BESIDES =
      Map.of("jersey", "org.glassfish.jersey.inject:jersey-hk2:" + System.getProperty("jersey"));

  // ---- the files ------------------------------------------------------------------------------

  /** The modules that the BOM names. */
  static List<String> modules() throws IOException {
    List<String> modules = new ArrayList<>();
    Matcher named =
        Pattern.compile("<artifactId>(heddle-[a-z-]+)</artifactId>\\s*<version>\\$")
            .matcher(Files.readString(Path.of("../bom/pom.xml")));
    while (named.find()) {
      modules.add(named.group(1));
    }
    return modules;
  }

  @Test
  void theBomNamesWhatIsThere() throws IOException {
    List<String> wanted = new ArrayList<>(modules());
    wanted.addAll(List.of("heddle-bom", "heddle-parent"));

    try (Stream<Path> each = Files.list(RELEASE.resolve("io/heddle"))) {
      assertEquals(
          wanted.stream().sorted().toList(),
          each.map(path -> path.getFileName().toString()).sorted().toList());
    }
  }

  @ParameterizedTest
  @MethodSource("modules")
  void eachModuleHasAllThatCentralWants(String module) throws IOException {
    for (String end : List.of(".pom", ".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json")) {
      Path file = file(module, end);
      assertTrue(Files.size(file) > 0, file::toString);
      assertTrue(Files.exists(Path.of(file + ".sha1")), () -> file + " has no checksum");
      assertEquals(isSigned(), Files.exists(Path.of(file + ".asc")), () -> file + ".asc");
    }
    String pom = Files.readString(file(module, ".pom"));
    assertTrue(pom.contains("<name>"), "name");
    assertTrue(pom.contains("<description>"), "description");
  }

  @Test
  void theParentAndTheBomSayWhoseTheyAre() throws IOException {
    for (String module : List.of("heddle-parent", "heddle-bom")) {
      String pom = Files.readString(file(module, ".pom"));
      for (String element : List.of("name", "description", "url", "license", "developer", "scm")) {
        assertTrue(pom.contains("<" + element), () -> module + " has no " + element);
      }
      assertTrue(
          VERSION.endsWith("-SNAPSHOT") || !pom.contains(".example"),
          () -> module + ": .example is nobody's address");
    }
  }

  private static boolean isSigned() throws IOException {
    return Files.exists(Path.of(file("heddle-bom", ".pom") + ".asc"));
  }

  /** Of the newest build. */
  private static Path file(String module, String end) throws IOException {
    Path directory = RELEASE.resolve("io/heddle").resolve(module).resolve(VERSION);
    String number = VERSION.replace("-SNAPSHOT", "");
    Pattern name = Pattern.compile(module + "-" + number + "(-[0-9.]+-[0-9]+)?" + end);
    try (Stream<Path> each = Files.list(directory)) {
      return each.filter(path -> name.matcher(path.getFileName().toString()).matches())
          .max(Path::compareTo)
          .orElseThrow(() -> new AssertionError("no " + module + end + " in " + directory));
    }
  }

  // ---- a user ---------------------------------------------------------------------------------

  @Test
  void applicationsBuildFromItAlone(@TempDir Path project) throws Exception {
    Map<String, Path> consumers = new TreeMap<>();
    for (String name : ModulePathTest.consumers()) {
      Path consumer = project.resolve(name);
      consumers.put(name, consumer);
      copy(Path.of("src/test/resources/consumers", name), consumer.resolve("src/main/java"));
      Files.writeString(consumer.resolve("pom.xml"), consumerPom(name));
    }
    Files.writeString(project.resolve("pom.xml"), projectPom(consumers.keySet()));

    build(project, "package");

    try (HelloServer server = new HelloServer()) {
      for (Map.Entry<String, Path> each : consumers.entrySet()) {
        Path target = each.getValue().resolve("target");
        String path = Files.readString(target.resolve("path"));
        String said =
            run(
                project,
                java(),
                "-p",
                path + File.pathSeparator + target.resolve("classes"),
                "-m",
                "consumer/consumer.Main",
                server.url());
        assertTrue(said.contains("hello"), () -> each.getKey() + ": " + said);
      }
    }
  }

  /** With a repository of its own; the class path of each module is left in target/path. */
  private static void build(Path project, String phase) throws Exception {
    List<String> command = maven(project);
    command.addAll(
        List.of(
            phase,
            System.getProperty("dependency.plugin") + ":build-classpath",
            "-Dmdep.outputFile=target/path"));
    String built = run(project, command.toArray(String[]::new));
    assertTrue(Files.isDirectory(project.resolve("repository/io/heddle/heddle-core")), built);
  }

  private static List<String> maven(Path project) {
    return new ArrayList<>(
        List.of(
            Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(),
            "-B",
            "-ntp",
            "-Dmaven.repo.local=" + project.resolve("repository")));
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  // ---- the examples ---------------------------------------------------------------------------

  private static final Path EXAMPLES = Path.of("../examples");

  /**
   * What {@code build.gradle.kts} of the example says, as Maven has it: there is no Gradle here.
   */
  private static final Pattern GRADLE_DEPENDENCY =
      Pattern.compile("(?m)^ *implementation\\(\"(io\\.heddle):(heddle-[a-z]+)\"\\)$");

  static List<String> examples() throws IOException {
    try (Stream<Path> each = Files.list(EXAMPLES)) {
      return each.filter(Files::isDirectory)
          .map(path -> path.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void examplesBuildFromItAloneAndRun(@TempDir Path project) throws Exception {
    StringBuilder modules = new StringBuilder();
    for (String name : examples()) {
      modules.append("<module>").append(name).append("</module>");
      Path example = project.resolve(name);
      copy(EXAMPLES.resolve(name), example);
      Path pom = example.resolve("pom.xml");
      String said =
          Files.exists(example.resolve("build.gradle.kts"))
              ? pomOf(Files.readString(example.resolve("build.gradle.kts")))
              : Files.readString(pom);
      assertTrue(said.contains("<version>" + VERSION + "<"), () -> name + " is not of " + VERSION);
      Files.writeString(pom, said.replace("</project>", repositories() + "</project>"));
    }
    Files.writeString(
        project.resolve("pom.xml"),
        "<project><modelVersion>4.0.0</modelVersion><groupId>com.example</groupId>"
            + "<artifactId>examples</artifactId><version>1</version><packaging>pom</packaging>"
            + "<modules>%s</modules>%s</project>".formatted(modules, repositories()));

    build(project, "compile");

    try (HelloServer server = new HelloServer()) {
      for (String name : examples()) {
        Path target = project.resolve(name).resolve("target");
        List<String> java =
            List.of(
                java(),
                "-cp",
                Files.readString(target.resolve("path"))
                    + File.pathSeparator
                    + target.resolve("classes"));
        if (name.startsWith("spring-boot")) {
          assertServes(project, java, server.url());
        } else {
          List<String> command = new ArrayList<>(java);
          command.add(name.contains("kotlin") ? "example.MainKt" : "example.Main");
          command.add(server.url());
          String said = run(project, command.toArray(String[]::new));
          assertTrue(said.contains("hello"), () -> name + ": " + said);
        }
      }
    }
  }

  /** An example of Spring Boot is a service: it is asked, and ended. */
  private static void assertServes(Path project, List<String> java, String other) throws Exception {
    Path output = project.resolve("service");
    List<String> command = new ArrayList<>(java);
    command.addAll(List.of("example.Main", "--server.port=0", "--other.url=" + other));
    Process service =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      Pattern started = Pattern.compile("Tomcat started on port (\\d+) ");
      Matcher port = started.matcher("");
      for (int i = 0; i < 600 && service.isAlive() && !port.find(); i++) {
        Thread.sleep(100);
        port = started.matcher(Files.readString(output));
      }
      assertTrue(port.reset().find(), Files.readString(output));
      URI uri = URI.create("http://localhost:" + port.group(1) + "/");
      try (HttpClient client = HttpClient.newHttpClient()) {
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60)).build();
        assertEquals("The other says: hello", client.send(request, BodyHandlers.ofString()).body());
      }
    } finally {
      service.destroyForcibly();
    }
  }

  private static String pomOf(String gradle) {
    Matcher kotlin = Pattern.compile("kotlin\\(\"jvm\"\\) version \"([0-9.]+)\"").matcher(gradle);
    Matcher bom = Pattern.compile("platform\\(\"io.heddle:heddle-bom:(.*)\"\\)").matcher(gradle);
    Matcher heddle = GRADLE_DEPENDENCY.matcher(gradle);
    assertTrue(kotlin.find() && bom.find() && heddle.find(), gradle);
    return """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>com.example</groupId>
          <artifactId>gradle-kotlin</artifactId>
          <version>1</version>
          <dependencies>
            <dependency>
              <groupId>%1$s</groupId>
              <artifactId>%2$s</artifactId>
              <version>%3$s</version>
            </dependency>
            <dependency>
              <groupId>org.jetbrains.kotlin</groupId>
              <artifactId>kotlin-stdlib</artifactId>
              <version>%4$s</version>
            </dependency>
          </dependencies>
          <build>
            <sourceDirectory>src/main/kotlin</sourceDirectory>
            <plugins>
              <plugin>
                <groupId>org.jetbrains.kotlin</groupId>
                <artifactId>kotlin-maven-plugin</artifactId>
                <version>%4$s</version>
                <configuration><jvmTarget>21</jvmTarget><useDaemon>false</useDaemon></configuration>
                <executions>
                  <execution><goals><goal>compile</goal></goals></execution>
                </executions>
              </plugin>
            </plugins>
          </build>
        </project>
        """
        .formatted(heddle.group(1), heddle.group(2), bom.group(1), kotlin.group(1));
  }

  // ---- the recipes ----------------------------------------------------------------------------

  /** The command of docs/migrating.md, on the plain example as it was before Heddle. */
  @Test
  void theRecipeMigratesAnExampleAsItsPageSays(@TempDir Path project) throws Exception {
    copy(EXAMPLES.resolve("plain"), project);
    Path main = project.resolve("src/main/java/example/Main.java");
    Files.writeString(main, stock(Files.readString(main)));
    Path pom = project.resolve("pom.xml");
    Files.writeString(
        pom, stockPom(Files.readString(pom)).replace("</project>", repositories() + "</project>"));
    Matcher page =
        Pattern.compile("(?m)^mvn (org\\.openrewrite\\.(?:.*\\\\\\n)*.*)$")
            .matcher(Files.readString(Path.of("../docs/migrating.md")));
    assertTrue(page.find(), "the page has the command");
    List<String> command = maven(project);
    command.addAll(List.of(page.group(1).replace("\\\n", " ").split(" +")));

    run(project, command.toArray(String[]::new));

    String migrated = Files.readString(main);
    assertTrue(migrated.contains("= BlockingHttpClients.custom()"), migrated);
    assertTrue(Files.readString(pom).contains("heddle-apache"), () -> "no dependency");
    build(project, "compile");
    try (HelloServer server = new HelloServer()) {
      Path target = project.resolve("target");
      String path = Files.readString(target.resolve("path"));
      String all = path + File.pathSeparator + target.resolve("classes");
      String said = run(project, java(), "-cp", all, "example.Main", server.url());
      assertTrue(said.contains("100 times: hello"), said);
    }
  }

  /** A stock client has no deadline, and so none of our exceptions. */
  private static String stock(String main) {
    String stock =
        main.replace("BlockingHttpClients.custom(Timeout.ofSeconds(5))", "HttpClients.custom()")
            .replace("io.heddle.apache.Blocking", "org.apache.hc.client5.http.impl.classic.")
            .replace("import io.heddle.DeadlineExceededException;\n", "")
            .replace("DeadlineExceededException", "java.net.SocketTimeoutException");
    assertTrue(!stock.contains("heddle") && !stock.equals(main), stock);
    return stock;
  }

  private static String stockPom(String pom) {
    String stock =
        pom.replaceFirst("(?s)<dependencyManagement>.*</dependencyManagement>", "")
            .replace("<groupId>io.heddle<", "<groupId>org.apache.httpcomponents.client5<")
            .replace(
                "<artifactId>heddle-apache</artifactId>",
                "<artifactId>httpclient5</artifactId><version>"
                    + System.getProperty("httpclient5")
                    + "</version>");
    assertTrue(!stock.contains("io.heddle"), stock);
    return stock;
  }

  // ---- what all need --------------------------------------------------------------------------

  private static String repositories() {
    return """
        <repositories>
          <repository><id>release</id><url>%1$s</url></repository>
          <repository><id>seen</id><url>%2$s</url></repository>
        </repositories>
        <pluginRepositories>
          <pluginRepository><id>seen</id><url>%2$s</url></pluginRepository>
        </pluginRepositories>
        """
        .formatted(RELEASE.toUri(), seen());
  }

  private static String projectPom(Iterable<String> names) {
    StringBuilder modules = new StringBuilder();
    for (String each : names) {
      modules.append("<module>").append(each).append("</module>");
    }
    return """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>com.example</groupId>
          <artifactId>project</artifactId>
          <version>1</version>
          <packaging>pom</packaging>
          <modules>%1$s</modules>
          <properties>
            <maven.compiler.release>21</maven.compiler.release>
            <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
          </properties>
          %2$s
          <dependencyManagement>
            <dependencies>
              <dependency>
                <groupId>io.heddle</groupId>
                <artifactId>heddle-bom</artifactId>
                <version>%3$s</version>
                <type>pom</type>
                <scope>import</scope>
              </dependency>
            </dependencies>
          </dependencyManagement>
          <build>
            <pluginManagement>
              <plugins>
                <plugin>
                  <artifactId>maven-compiler-plugin</artifactId>
                  <version>3.16.0</version>
                </plugin>
              </plugins>
            </pluginManagement>
          </build>
        </project>
        """
        .formatted(modules, repositories(), VERSION);
  }

  /** What Maven has fetched before, so that others' artifacts need not come anew. */
  private static String seen() {
    return Path.of(System.getProperty("local.repository")).toUri().toString();
  }

  private static String consumerPom(String name) {
    String[] more = BESIDES.getOrDefault(name, "").split(":");
    return """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <parent>
            <groupId>com.example</groupId>
            <artifactId>project</artifactId>
            <version>1</version>
          </parent>
          <artifactId>%1$s</artifactId>
          <dependencies>
            <dependency><groupId>io.heddle</groupId><artifactId>heddle-%1$s</artifactId></dependency>
            %2$s
          </dependencies>
        </project>
        """
        .formatted(
            name,
            more.length < 3
                ? ""
                : "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>"
                    .formatted((Object[]) more));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> each = Files.walk(from)) {
      for (Path file : each.filter(Files::isRegularFile).toList()) {
        Path copy = to.resolve(from.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
  }

  /** What it says, on both streams. */
  private static String run(Path directory, String... command) throws Exception {
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    // They end before the better compiler would pay, as the tests' own JVM does.
    builder.environment().put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(10, TimeUnit.MINUTES), () -> "does not end: " + command[0]);
      String said = Files.readString(output);
      assertEquals(0, process.exitValue(), said);
      return said;
    } finally {
      process.destroyForcibly();
    }
  }
}
