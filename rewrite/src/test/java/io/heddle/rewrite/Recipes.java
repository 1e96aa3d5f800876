package io.heddle.rewrite;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.openrewrite.Recipe;
import org.openrewrite.RecipeRun;
import org.openrewrite.Result;
import org.openrewrite.SourceFile;
import org.openrewrite.config.Environment;
import org.openrewrite.config.YamlResourceLoader;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.marker.JavaSourceSet;
import org.openrewrite.java.tree.J;
import org.openrewrite.marker.Marker;
import org.openrewrite.test.RecipeSpec;

/** The recipes as users name them, run on sources that see the real libraries. */
final class Recipes {

  /** What the recipes themselves are made and tested with. */
  private static final Pattern OURS =
      Pattern.compile(
          "openrewrite|kotlin-|jackson|classgraph|byte-buddy|lombok|antlr|assertj|/jna");

  static final List<Path> CLASS_PATH =
      Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
          .filter(each -> !OURS.matcher(each).find())
          .map(Path::of)
          .toList();

  private Recipes() {}

  /** Runs this recipe, and compiles with the real libraries, ours too, what comes out. */
  static void run(RecipeSpec spec, String recipe) {
    spec.recipe(named(recipe))
        .parser(JavaParser.fromJavaVersion().classpath(CLASS_PATH))
        .cycles(3)
        .expectedCyclesThatMakeChanges(1)
        .afterRecipe(Recipes::compile);
  }

  static Recipe named(String name) {
    try (InputStream yaml = Recipes.class.getResourceAsStream("/META-INF/rewrite/heddle.yml")) {
      assertNotNull(yaml);
      return Environment.builder()
          .load(new YamlResourceLoader(yaml, URI.create("heddle.yml"), new Properties()))
          .build()
          .activateRecipes(name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What Maven and Gradle tell OpenRewrite of a source, whose class path has this artifact. */
  static Marker classPath(String coordinates) {
    return new JavaSourceSet(UUID.randomUUID(), "main", List.of(), Map.of(coordinates, List.of()));
  }

  /** Gives the directory of the classes. */
  static Path compile(RecipeRun run) throws IOException {
    Path directory = Files.createTempDirectory(Path.of("target"), "outcome");
    List<Path> sources = new ArrayList<>();
    for (Result each : run.getChangeset().getAllResults()) {
      SourceFile after = each.getAfter();
      if (after instanceof J.CompilationUnit) {
        Path source = directory.resolve(after.getSourcePath());
        Files.createDirectories(source.getParent());
        sources.add(Files.writeString(source, after.printAll()));
      }
    }
    if (!sources.isEmpty()) {
      compile(directory, sources);
    }
    return directory;
  }

  private static void compile(Path directory, List<Path> sources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of(
            "--release",
            "21",
            "-proc:none",
            "-d",
            directory.toString(),
            "-cp",
            System.getProperty("java.class.path"));
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  messages, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
              .call();
      assertTrue(compiled, messages::toString);
    }
  }
}
