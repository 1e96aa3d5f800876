package io.heddle.pinning;

import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/** What {@link NoPinning} does: a recording around each body. */
final class NoPinningExtension implements InvocationInterceptor {

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
    NoPinning rule = nearestRule(context);
    for (int i = 0; i < rule.warmUps(); i++) {
      body.run();
    }
    try (PinningRecorder recorder = PinningRecorder.start()) {
      try {
        invocation.proceed();
      } catch (Throwable failure) {
        try {
          verify(recorder, rule);
        } catch (RuntimeException | AssertionError pinned) {
          failure.addSuppressed(pinned);
        }
        throw failure;
      }
      verify(recorder, rule);
    }
  }

  private static void verify(PinningRecorder recorder, NoPinning rule) {
    PinningReport report = recorder.stop();
    for (NoPinning.Ignored each : rule.ignoring()) {
      report = report.ignoring(each.frame(), each.because());
    }
    report.assertClean();
  }

  private static NoPinning nearestRule(ExtensionContext context) {
    Optional<ExtensionContext> next = Optional.of(context);
    while (next.isPresent()) {
      Optional<NoPinning> rule =
          AnnotationSupport.findAnnotation(next.get().getElement(), NoPinning.class);
      if (rule.isPresent()) {
        return rule.get();
      }
      next = next.get().getParent();
    }
    throw new IllegalStateException("no @NoPinning to be found");
  }
}
