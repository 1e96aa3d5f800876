package io.heddle.pinning;

import io.heddle.pinning.NoPinning.Ignored;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * The JUnit extension behind {@link NoPinning}, which can also apply it to a whole suite.
 *
 * <p>For a suite, put this into {@code junit-platform.properties}:
 *
 * <pre>
 * junit.jupiter.extensions.autodetection.enabled=true
 * heddle.pinning.atMost=0
 * heddle.pinning.warmUps=1
 * </pre>
 *
 * <p>{@value #AT_MOST} switches the suite's limit on, with the meaning of {@link NoPinning#atMost}.
 * {@value #WARM_UPS} has the meaning of {@link NoPinning#warmUps}; default 0. Everything else has
 * the annotation's defaults. A test with an annotation on its method or an enclosing class keeps to
 * that one; {@code @NoPinning(atMost = NoPinning.ANY)} exempts it. Name pins to ignore in
 * annotations, where they occur; there is no list for the suite.
 *
 * <p>Tests without the annotation do not run alone. If JUnit runs them in parallel, a pin fails
 * each test that ran at the time. Without {@value #AT_MOST} the extension only does what
 * annotations ask for.
 */
@SuppressWarnings("exports") // a user who has no JUnit never names this type
public final class NoPinningExtension
    implements BeforeAllCallback, InvocationInterceptor, ParameterResolver, AfterAllCallback {

  /** The configuration parameter that switches the suite's limit on. */
  public static final String AT_MOST = "heddle.pinning.atMost";

  /** The configuration parameter for the number of warm-ups in the suite. */
  public static final String WARM_UPS = "heddle.pinning.warmUps";

  /** As the annotation has it. */
  private static final int CONTENTION_MILLIS = 20;

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(NoPinningExtension.class);

  /**
   * What holds for a test.
   *
   * @param ofClass where the class's annotation finds what its tests have matched; null for the
   *     rule of a method or of the suite
   */
  private record Rule(
      int warmUps,
      int atMost,
      int contentionMillis,
      List<Ignored> ignoring,
      @Nullable OfClass ofClass) {}

  /** What the tests of an annotated class have matched. */
  private static final class OfClass {
    final Set<Ignored> matched = ConcurrentHashMap.newKeySet();
    volatile boolean judged;
    volatile boolean failed;
  }

  /** Called by JUnit. */
  public NoPinningExtension() {}

  @Override
  public void beforeAll(ExtensionContext context) {
    if (annotation(context).isPresent()) {
      context.getStore(NAMESPACE).put(OfClass.class, new OfClass());
    }
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    intercept(invocation, () -> invoke(method), context);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    intercept(invocation, () -> invoke(method), context);
  }

  @Override
  public void interceptDynamicTest(
      Invocation<@Nullable Void> invocation,
      DynamicTestInvocationContext test,
      ExtensionContext context)
      throws Throwable {
    intercept(invocation, () -> test.getExecutable().execute(), context);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == PinningRecorder.class
        && parameter.getDeclaringExecutable().equals(context.getTestMethod().orElse(null))
        && !AnnotationSupport.isAnnotated(parameter.getDeclaringExecutable(), TestFactory.class)
        && nearestRule(context) != null;
  }

  @Override
  public PinningRecorder resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (Objects.requireNonNull(nearestRule(context)).warmUps > 0) {
      throw new ParameterResolutionException(
          "a test that takes a PinningRecorder has no warmUps: warm up in @BeforeEach");
    }
    ExtensionContext.Store store = context.getStore(NAMESPACE);
    PinningRecorder recorder = store.get(PinningRecorder.class, PinningRecorder.class);
    if (recorder == null) {
      recorder = PinningRecorder.start();
      store.put(PinningRecorder.class, recorder); // JUnit closes it, even if the test never runs
    }
    return recorder;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Optional<NoPinning> annotation = annotation(context);
    OfClass tests = context.getStore(NAMESPACE).get(OfClass.class, OfClass.class);
    if (annotation.isPresent() && tests != null && tests.judged && !tests.failed) {
      for (Ignored each : annotation.get().ignoring()) {
        if (!each.sometimes() && !tests.matched.contains(each)) {
          throw new AssertionError(
              PinningReport.unmatched(each.frame(), each.because()) + ", in any test of the class");
        }
      }
    }
  }

  /** An {@link Invocation} proceeds once; to warm up, the method behind it is called as well. */
  private static void invoke(ReflectiveInvocationContext<Method> method) {
    ReflectionSupport.invokeMethod(
        method.getExecutable(), method.getTarget().orElse(null), method.getArguments().toArray());
  }

  private static void intercept(
      Invocation<@Nullable Void> invocation,
      PinningRecorder.Body<Throwable> body,
      ExtensionContext context)
      throws Throwable {
    Rule rule = nearestRule(context);
    if (rule == null) {
      invocation.proceed();
      return;
    }
    for (int i = 0; i < rule.warmUps; i++) {
      body.run();
    }
    PinningRecorder handedOut =
        context.getStore(NAMESPACE).get(PinningRecorder.class, PinningRecorder.class);
    try (PinningRecorder recorder = handedOut == null ? PinningRecorder.start() : handedOut) {
      try {
        invocation.proceed();
      } catch (Throwable failure) {
        try {
          judge(recorder.stop(), rule, true);
        } catch (RuntimeException | AssertionError pinned) {
          failure.addSuppressed(pinned);
        }
        throw failure;
      }
      judge(recorder.stop(), rule, false);
    }
  }

  private static void judge(PinningReport all, Rule rule, boolean failed) {
    PinningReport report = all;
    List<Ignored> unmatched = new ArrayList<>();
    for (Ignored each : rule.ignoring) {
      PinningReport others = all.ignoring(each.frame(), each.because()); // two may match one pin
      if (others.events().size() == all.events().size()) {
        unmatched.add(each);
      }
      report = report.ignoring(each.frame(), each.because());
    }
    OfClass ofClass = rule.ofClass;
    if (ofClass != null) {
      ofClass.judged = true;
      ofClass.failed |= failed;
      rule.ignoring.stream()
          .filter(each -> !unmatched.contains(each))
          .forEach(ofClass.matched::add);
    }
    report.ignoringContention(Duration.ofMillis(rule.contentionMillis)).assertAtMost(rule.atMost);
    if (ofClass == null && !failed) { // a body that failed may not have come so far
      for (Ignored each : unmatched) {
        if (!each.sometimes()) {
          all.ignoringKnown(each.frame(), each.because());
        }
      }
    }
  }

  private static Optional<NoPinning> annotation(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getElement(), NoPinning.class);
  }

  /** The method's, else that of the nearest class around it, else the suite's; null if none. */
  private static @Nullable Rule nearestRule(ExtensionContext context) {
    Optional<ExtensionContext> next = Optional.of(context);
    while (next.isPresent()) {
      Optional<NoPinning> annotation = annotation(next.get());
      if (annotation.isPresent()) {
        NoPinning rule = annotation.get();
        return new Rule(
            rule.warmUps(),
            rule.atMost(),
            rule.contentionMillis(),
            List.of(rule.ignoring()),
            next.get().getTestMethod().isPresent()
                ? null
                : next.get().getStore(NAMESPACE).get(OfClass.class, OfClass.class));
      }
      next = next.get().getParent();
    }
    return context
        .getConfigurationParameter(AT_MOST)
        .map(
            atMost ->
                new Rule(
                    number(context, WARM_UPS),
                    number(context, AT_MOST),
                    CONTENTION_MILLIS,
                    List.of(),
                    null))
        .orElse(null);
  }

  private static int number(ExtensionContext context, String parameter) {
    String value = context.getConfigurationParameter(parameter).orElse("0");
    try {
      int number = Integer.parseInt(value.strip());
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new ExtensionConfigurationException(
        parameter + " must be a whole number from 0 on: " + value);
  }
}
