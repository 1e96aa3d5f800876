package io.heddle.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code docs/settings.md} has all that a client adds to its library, and leaves no cell empty. */
class SettingsPageTest {

  private static final Path PAGE = Path.of("../docs/settings.md");
  private static final Pattern CODE = Pattern.compile("`([^`]*)`");
  private static final Pattern NAME = Pattern.compile("\\w+");

  /** Of which classes of ours are twins, method by method, although they do not extend them. */
  private static final List<Class<?>> TWINS =
      List.of(
          HttpClients.class,
          PoolingHttpClientConnectionManager.class,
          PoolingHttpClientConnectionManagerBuilder.class);

  private static List<List<String>> rows() throws IOException {
    return Files.readAllLines(PAGE).stream()
        .filter(line -> line.startsWith("|") && !line.startsWith("|---"))
        .map(line -> Arrays.asList(line.substring(1).split(" *\\| *", -1)))
        .toList();
  }

  static List<String> adapters() throws IOException {
    try (Stream<Path> each = Files.list(Path.of(".."))) {
      return each.map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith("adapter-"))
          .map(name -> name.replace("adapter-", ""))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("adapters")
  void itHasAllThatAClientAdds(String adapter) throws Exception {
    List<List<String>> rows = rows();
    int column = rows.get(0).stream().map(SettingsPageTest::pageOf).toList().indexOf(adapter);
    assertTrue(column > 0, () -> "no column for " + adapter);
    Set<String> missing = new TreeSet<>(added(adapter));
    for (List<String> row : rows) {
      Matcher code = CODE.matcher(row.get(column));
      while (code.find()) {
        NAME.matcher(code.group(1)).results().forEach(name -> missing.remove(name.group()));
      }
    }
    assertEquals(Set.of(), missing, () -> "say in docs/settings.md what the others have for it");
  }

  @Test
  void noCellIsEmpty() throws IOException {
    List<List<String>> rows = rows();
    for (List<String> row : rows.subList(1, rows.size())) {
      assertEquals(rows.get(0).size(), row.size(), () -> "columns of: " + row);
      if (!row.get(0).strip().startsWith("**")) { // the name of a group
        assertFalse(row.subList(0, row.size() - 1).contains(""), row::toString);
      }
    }
  }

  /** Of a heading such as [Apache](apache.md). */
  private static String pageOf(String heading) {
    return heading.replaceAll(".*\\((.*)\\.md\\).*", "$1").toLowerCase(Locale.ROOT);
  }

  // ---- what there is ----------------------------------------------------------------------------

  private static Set<String> added(String adapter) throws Exception {
    ModuleReference module =
        ModuleFinder.of(JarsTest.ours().toArray(Path[]::new))
            .find("io.heddle." + adapter)
            .orElseThrow();
    Set<String> names = new TreeSet<>();
    try (ModuleReader reader = module.open();
        Stream<String> files = reader.list()) {
      for (String file : files.filter(each -> each.endsWith(".class")).toList()) {
        if (!file.contains("$") && file.startsWith("io/heddle/" + adapter + "/")) {
          addAll(names, Class.forName(file.replace('/', '.').replace(".class", "")));
        }
      }
    }
    return names;
  }

  private static void addAll(Set<String> names, Class<?> type) {
    if (!Modifier.isPublic(type.getModifiers())) {
      return;
    }
    names.add(type.getSimpleName());
    for (Method each : type.getDeclaredMethods()) {
      if (Modifier.isPublic(each.getModifiers()) && !each.isSynthetic() && !isKnown(type, each)) {
        names.add(each.getName());
      }
    }
    for (Field each : type.getDeclaredFields()) {
      if (Modifier.isPublic(each.getModifiers())) {
        names.add(each.getName());
      }
    }
  }

  /** Whether somebody who knows the library knows it: it is the library's own, or its twin's. */
  private static boolean isKnown(Class<?> type, Method method) {
    List<Class<?>> known = new ArrayList<>(TWINS);
    known.removeIf(each -> !isTwin(type, each));
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      known.add(each);
      interfaces(each).forEach(known::add);
    }
    return known.stream()
        .filter(each -> !each.getName().startsWith("io.heddle."))
        .flatMap(each -> Stream.of(each.getMethods()))
        .anyMatch(each -> each.getName().equals(method.getName()));
  }

  private static Stream<Class<?>> interfaces(Class<?> type) {
    return Stream.of(type.getInterfaces())
        .flatMap(each -> Stream.concat(Stream.of(each), interfaces(each)));
  }

  /** BlockingConnectionManager of PoolingHttpClientConnectionManager, and so on. */
  private static boolean isTwin(Class<?> type, Class<?> librarys) {
    return librarys
        .getSimpleName()
        .replace("PoolingHttpClient", "")
        .equals(type.getSimpleName().replace("Blocking", ""));
  }
}
