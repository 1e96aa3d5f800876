package io.heddle.packaging;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Compiles a user's code. */
final class Compiled {

  private Compiled() {}

  /** Fails with the compiler's messages. */
  static void to(Path classes, List<Path> sources, String... options) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertNotNull(compiler, "this test needs a JDK with a compiler");
    List<String> all = new ArrayList<>(List.of("--release", "21", "-d", classes.toString()));
    all.addAll(List.of(options));
    StringWriter messages = new StringWriter();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(messages, files, null, all, null, files.getJavaFileObjectsFromPaths(sources))
              .call();
      assertTrue(compiled, messages::toString);
    }
  }
}
