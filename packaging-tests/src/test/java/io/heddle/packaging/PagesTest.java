package io.heddle.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Java code of README and docs compiles and runs. Each block is the body of a method; one that
 * begins with an annotation is a member, and is compiled only. What the blocks of a page do not
 * say, such as imports and the {@code url} that they call, is in {@code pages/PAGE.txt}. The page
 * on Spring Boot is tested where Spring Boot is, by its starter.
 */
class PagesTest {

  private static final Path PRELUDES = Path.of("src/test/resources/pages");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```");

  static List<String> pages() throws IOException {
    return List.copyOf(blocks().keySet());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void theCodeOfAPageCompilesAndRuns(String page, @TempDir Path directory) throws Exception {
    List<String> blocks = blocks().get(page);
    Path source = directory.resolve("Page.java");
    Files.writeString(source, source(page, blocks));
    Compiled.to(directory, List.of(source), "-cp", System.getProperty("java.class.path"));

    try (HelloServer server = new HelloServer();
        URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
      System.setProperty("pages.url", server.url());
      Class<?> compiled = loader.loadClass("Page");
      for (int i = 0; i < blocks.size(); i++) {
        if (!isMember(blocks.get(i))) {
          compiled.getMethod("block" + i).invoke(null);
        }
      }
    }
  }

  @Test
  void noPreludeIsLeftOver() throws IOException {
    try (Stream<Path> each = Files.list(PRELUDES)) {
      assertEquals(
          pages(),
          each.map(path -> path.getFileName().toString().replace(".txt", "")).sorted().toList());
    }
  }

  private static String source(String page, List<String> blocks) throws IOException {
    StringBuilder source =
        new StringBuilder("import static java.lang.System.getProperty;\n")
            .append(Files.readString(PRELUDES.resolve(page + ".txt")).replace("//---", head()));
    for (int i = 0; i < blocks.size(); i++) {
      source.append(
          isMember(blocks.get(i))
              ? blocks.get(i)
              : "public static void block" + i + "() throws Exception {\n" + blocks.get(i) + "}\n");
    }
    return source.append("}\n").toString();
  }

  private static String head() {
    return "public class Page {\n  static final String url = getProperty(\"pages.url\");\n";
  }

  private static boolean isMember(String block) {
    return block.startsWith("@");
  }

  /** The blocks of README and each page of docs that has any. */
  private static Map<String, List<String>> blocks() throws IOException {
    Map<String, List<String>> blocks = new TreeMap<>();
    try (Stream<Path> docs = Files.list(Path.of("../docs"))) {
      List<Path> files = new ArrayList<>(List.of(Path.of("../README.md")));
      docs.filter(each -> each.toString().endsWith(".md"))
          .filter(each -> !each.endsWith("spring-boot.md"))
          .forEach(files::add);
      for (Path each : files) {
        Matcher matcher = BLOCK.matcher(Files.readString(each));
        while (matcher.find()) {
          blocks
              .computeIfAbsent(
                  each.getFileName().toString().replace(".md", ""), page -> new ArrayList<>())
              .add(matcher.group(1));
        }
      }
    }
    return blocks;
  }
}
