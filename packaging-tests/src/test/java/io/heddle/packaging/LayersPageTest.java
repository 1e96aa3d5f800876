package io.heddle.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The picture in {@code docs/layers.md} has each package that users get, and whom its classes know:
 * no arrow less, none more. {@code -Dheddle.picture=write} draws it anew.
 */
class LayersPageTest {

  private static final Path PAGE = Path.of("../docs/layers.md");
  private static final String BEGIN = "```mermaid\n";
  private static final String END = "```\n";

  private static final ImportOption OURS =
      place -> JarsTest.ours().stream().anyMatch(each -> place.contains(each.toString()));

  /** Others, by how their packages begin; what is not told here has its own name. */
  private static final Map<String, String> OTHERS = new LinkedHashMap<>();

  static {
    OTHERS.put("java.net.http", "the JDK's HttpClient");
    OTHERS.put("jdk.jfr", "JDK Flight Recorder");
    OTHERS.put("java", ""); // and javax: everybody may
    OTHERS.put("org.jspecify", "");
    OTHERS.put("org.apache.hc", "Apache HttpClient 5");
    OTHERS.put("okhttp3", "OkHttp");
    OTHERS.put("okio", "OkHttp");
    OTHERS.put("kotlin", "OkHttp");
    OTHERS.put("org.asynchttpclient", "AsyncHttpClient");
    OTHERS.put("io.netty", "Netty");
    OTHERS.put("org.eclipse.jetty", "Jetty");
    OTHERS.put("org.glassfish.jersey", "Jersey");
    OTHERS.put("jakarta", "Jersey");
    OTHERS.put("io.micrometer", "Micrometer");
    OTHERS.put("org.junit", "JUnit");
    OTHERS.put("org.slf4j", "SLF4J");
  }

  @Test
  void thePictureIsOfThisCode() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    int to = page.indexOf(END, from);
    String drawn = draw();
    if ("write".equals(System.getProperty("heddle.picture"))) {
      Files.writeString(PAGE, page.substring(0, from) + drawn + page.substring(to));
    } else {
      assertEquals(
          drawn,
          page.substring(from, to),
          "mvn verify -pl packaging-tests -am -Dtest=LayersPageTest"
              + " -Dsurefire.failIfNoSpecifiedTests=false -Dheddle.picture=write draws it anew");
    }
  }

  private static String draw() {
    Set<String> arrows = new TreeSet<>();
    for (JavaClass each : new ClassFileImporter(List.of(OURS)).importPackages("io.heddle")) {
      for (Dependency known : each.getDirectDependenciesFromSelf()) {
        String to = node(known.getTargetClass().getBaseComponentType().getPackageName());
        String from = node(each.getPackageName());
        if (!to.isEmpty() && !to.equals(from)) {
          arrows.add("  " + from + " --> " + to + "\n");
        }
      }
    }
    return "flowchart LR\n" + String.join("", arrows);
  }

  private static String node(String name) {
    if (name.startsWith("io.heddle")) {
      return name;
    }
    String label =
        OTHERS.entrySet().stream()
            .filter(each -> name.startsWith(each.getKey()))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse(name);
    return label.isEmpty()
        ? ""
        : label
                .chars()
                .filter(Character::isLetterOrDigit)
                .mapToObj(Character::toString)
                .collect(Collectors.joining())
            + "([\""
            + label
            + "\"])";
  }
}
