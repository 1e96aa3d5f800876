package io.heddle.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each jar is a module with a descriptor and an OSGi bundle, and does not say when it was made. */
class JarsTest {

  /** What is made for users: jars, or in a build without them the directories of their classes. */
  static List<Path> ours() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(each -> each.endsWith(".jar") || each.endsWith("classes"))
        .map(Path::of)
        .filter(each -> each.getParent().getFileName().toString().equals("target"))
        .filter(each -> !each.startsWith(Path.of("").toAbsolutePath()))
        .filter(each -> !each.getParent().getParent().endsWith("conformance"))
        .toList();
  }

  @Test
  void thereAreAsManyAsModules() throws IOException {
    try (Stream<Path> each = Files.list(Path.of(".."))) {
      long adapters =
          each.filter(path -> path.getFileName().toString().startsWith("adapter-")).count();
      assertEquals(adapters + 2, ours().size(), () -> ours().toString()); // core and pinning
    }
  }

  @ParameterizedTest
  @MethodSource("ours")
  void isAModule(Path jar) {
    ModuleDescriptor module =
        ModuleFinder.of(jar).findAll().stream().findAny().orElseThrow().descriptor();

    assertFalse(module.isAutomatic(), jar::toString);
    assertTrue(module.name().startsWith("io.heddle."), module::name);
  }

  @ParameterizedTest
  @MethodSource("ours")
  void isABundleAndNotDated(Path jar) throws IOException {
    Attributes manifest = manifest(jar).getMainAttributes();

    assertEquals("2", manifest.getValue("Bundle-ManifestVersion"));
    assertTrue(manifest.getValue("Bundle-SymbolicName").startsWith("io.heddle."));
    assertTrue(manifest.getValue("Export-Package").startsWith("io.heddle"));
    assertTrue(manifest.getValue("Require-Capability").contains("(version=21)"));
    assertNull(manifest.getValue("Bnd-LastModified"));
    assertNull(manifest.getValue("Build-Jdk"));
  }

  private static Manifest manifest(Path jar) throws IOException {
    if (Files.isDirectory(jar)) {
      return manifestIn(jar);
    }
    try (FileSystem files = FileSystems.newFileSystem(jar)) {
      return manifestIn(files.getPath("/"));
    }
  }

  private static Manifest manifestIn(Path root) throws IOException {
    try (InputStream in = Files.newInputStream(root.resolve("META-INF/MANIFEST.MF"))) {
      return new Manifest(in);
    }
  }
}
