package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The document and the tests name the same rules, each once. */
class RulesTest {

  private static final Pattern IN_DOCUMENT =
      Pattern.compile("^- \\*\\*([A-Z][A-Z0-9]-\\d\\d)\\*\\* ", Pattern.MULTILINE);

  private static final List<Class<?>> SUITES =
      List.of(Http11Suite.class, Http11TlsSuite.class, H2cSuite.class, H2TlsSuite.class);

  @Test
  void documentAndTestsAgree() throws IOException {
    List<String> written =
        IN_DOCUMENT
            .matcher(Files.readString(Path.of("../conformance/CONFORMANCE.md")))
            .results()
            .map(found -> found.group(1))
            .toList();
    List<String> proved = new ArrayList<>();
    for (Method each : rules()) {
      proved.add(each.getAnnotation(Rule.class).value());
    }
    assertFalse(written.isEmpty());
    assertEquals(new TreeSet<>(written), new TreeSet<>(proved));
    assertEquals(written.size(), new HashSet<>(written).size(), "a rule is written twice");
    assertEquals(proved.size(), new HashSet<>(proved).size(), "a rule has two tests");
  }

  private static Set<Method> rules() {
    Set<Method> rules = new HashSet<>();
    for (Class<?> suite : SUITES) {
      for (Method each : suite.getMethods()) {
        if (each.isAnnotationPresent(Rule.class)) {
          rules.add(each);
        }
      }
    }
    return rules;
  }
}
