package io.heddle.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.discovery.MethodSelector;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Runs some rules of a suite within a test, with the driver that the test likes. */
final class Suites {

  private static ClientDriver driver = new ReferenceDriver();

  static class Http11 extends Http11Suite {
    Http11() {
      super(driver);
    }
  }

  static class H2c extends H2cSuite {
    H2c() {
      super(driver);
    }
  }

  private Suites() {}

  /** What becomes of these rules. Not on two threads at a time. */
  static EngineExecutionResults run(
      ClientDriver with, Class<? extends ConformanceSuite> suite, List<String> rules) {
    driver = with;
    try {
      return EngineTestKit.engine("junit-jupiter")
          .selectors(rules.stream().map(each -> test(suite, each)).toArray(MethodSelector[]::new))
          .execute();
    } finally {
      driver = new ReferenceDriver();
    }
  }

  private static MethodSelector test(Class<?> suite, String rule) {
    Method test =
        Arrays.stream(suite.getMethods())
            .filter(each -> each.isAnnotationPresent(Rule.class))
            .filter(each -> each.getAnnotation(Rule.class).value().equals(rule))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no rule " + rule));
    return selectMethod(suite, test);
  }
}
