package io.heddle.conformance;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * All rules for one adapter on one wire. An adapter extends one of the four suites below this one,
 * which add the rules of their wire, and has nothing else to do than to give it a driver:
 *
 * <pre>{@code
 * class ApacheHttp11Test extends Http11Suite {
 *   ApacheHttp11Test() {
 *     super(new ApacheDriver());
 *   }
 * }
 * }</pre>
 */
@ExtendWith(RuleExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayNameGeneration(ConformanceSuite.Names.class)
public abstract class ConformanceSuite
    implements ExchangeRules,
        DeadlineRules,
        CancelRules,
        FailureRules,
        FramingRules,
        IsolationRules,
        ContextRules,
        LifeRules,
        PathRules,
        SeeingInsideRules,
        ThreadRules,
        TraceRules {

  private final ClientDriver driver;
  private final Wire wire;

  ConformanceSuite(ClientDriver driver, Wire wire) {
    this.driver = driver;
    this.wire = wire;
  }

  final ClientDriver driver() {
    return driver;
  }

  final Wire wire() {
    return wire;
  }

  /** Puts a rule's number before its name. */
  static final class Names extends DisplayNameGenerator.Simple {

    @Override
    public String generateDisplayNameForMethod(
        List<Class<?>> enclosing, Class<?> suite, Method method) {
      Rule rule = method.getAnnotation(Rule.class);
      return rule == null ? method.getName() : rule.value() + " " + method.getName();
    }
  }
}
