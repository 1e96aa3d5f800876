package io.heddle.conformance;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * Runs each rule of a suite: on a virtual thread, within its time limit, with a {@link Kit} of its
 * own, and upside down where the suite has a {@link Deviation}.
 */
final class RuleExtension
    implements BeforeAllCallback, BeforeEachCallback, ParameterResolver, InvocationInterceptor {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(RuleExtension.class);

  private static final Path DUMPS = Path.of("target", "thread-dumps");

  /** Lives as long as its suite. */
  record Shared(FaultServer server, OtherJvm otherJvm, @Nullable Throwable broken)
      implements AutoCloseable {

    static Shared start(ConformanceSuite suite) {
      FaultServer server = FaultServer.start(suite.wire());
      OtherJvm otherJvm = new OtherJvm(suite.driver(), suite.wire());
      try {
        warmUp(suite, server, otherJvm);
        return new Shared(server, otherJvm, null);
      } catch (Exception | AssertionError e) {
        return new Shared(server, otherJvm, e); // told to each rule, and not tried again for each
      }
    }

    /** What the JDK and the library set up once, and keep, is not to be taken for a leak. */
    private static void warmUp(ConformanceSuite suite, FaultServer server, OtherJvm otherJvm)
        throws Exception {
      Caller<Integer> poller = new Caller<>(Thread.ofVirtual(), Shared::readFromSocket);
      poller.start().result(Bounds.LONG);
      Kit kit = new Kit(suite.driver(), suite.wire(), server, otherJvm);
      Client client = kit.open();
      kit.assertWorks(client);
      kit.end(null);
    }

    /** On a virtual thread this starts the JDK's own poller. */
    static int readFromSocket() throws IOException {
      try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
          Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
          Socket accepted = listener.accept()) {
        Thread.startVirtualThread(
            () -> {
              Bounds.pause();
              try {
                accepted.getOutputStream().write(1);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
        return client.getInputStream().read();
      }
    }

    @Override
    public void close() {
      otherJvm.close();
      server.close();
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    Class<?> suite = context.getRequiredTestClass();
    for (Deviation each : deviations(suite)) {
      Kit.check(
          Arrays.stream(suite.getMethods())
              .map(method -> method.getAnnotation(Rule.class))
              .anyMatch(rule -> rule != null && rule.value().equals(each.rule())),
          each.rule() + " is no rule of this suite, which deviates from it");
      Kit.check(
          each.failure().length > 0 && Arrays.stream(each.failure()).noneMatch(String::isBlank),
          "the deviation from " + each.rule() + " does not say what it fails with");
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    Throwable broken = shared(context).broken();
    if (broken != null) {
      throw new AssertionError("the client cannot make its first call", broken);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Kit.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    ConformanceSuite suite = suite(context);
    Shared shared = shared(context);
    Kit kit = new Kit(suite.driver(), suite.wire(), shared.server(), shared.otherJvm());
    context.getStore(NAMESPACE).put(Kit.class, kit);
    return kit;
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    Rule rule = Kit.present(method.getExecutable().getAnnotation(Rule.class), "@Rule");
    Kit kit = Kit.present(context.getStore(NAMESPACE).get(Kit.class, Kit.class), "kit");
    LeakCheck.Snapshot before = LeakCheck.Snapshot.take();
    Throwable failure = run(invocation, rule, context);
    try {
      kit.end(failure);
      if (failure == null) {
        before.assertNoLeaks(kit.driver()::outlivesClients);
      }
    } catch (Throwable left) {
      failure = firstOf(failure, left);
    }
    judge(rule.value(), failure, context.getRequiredTestClass());
  }

  /** Those that the suite bears, and those of its annotations. */
  static List<Deviation> deviations(Class<?> suite) {
    return AnnotationSupport.findRepeatableAnnotations(suite, Deviation.class);
  }

  /** Throws the failure, or what a deviation of the suite makes of it. */
  static void judge(String rule, @Nullable Throwable failure, Class<?> suite) throws Throwable {
    for (Deviation each : deviations(suite)) {
      if (each.rule().equals(rule)) {
        if (failure == null) {
          throw new AssertionError(rule + " holds: remove the deviation \"" + each.reason() + "\"");
        }
        if (!isExpected(each, failure)) {
          throw new AssertionError(
              rule + " fails, but not with " + said(each) + ": " + failure, failure);
        }
        throw new TestAbortedException(rule + " is not kept: " + each.reason(), failure);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static boolean isExpected(Deviation deviation, Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (Arrays.stream(deviation.failure()).anyMatch(each.toString()::contains)) {
        return true;
      }
    }
    return false;
  }

  private static String said(Deviation deviation) {
    return Arrays.stream(deviation.failure())
        .map(each -> '"' + each + '"')
        .collect(Collectors.joining(" or "));
  }

  private static @Nullable Throwable run(
      Invocation<@Nullable Void> invocation, Rule rule, ExtensionContext context)
      throws InterruptedException, IOException {
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread thread =
        Thread.ofVirtual()
            .name("rule " + rule.value())
            .start(
                () -> {
                  try {
                    invocation.proceed();
                  } catch (Throwable t) {
                    failure.set(t);
                  }
                });
    if (thread.join(Bounds.limit(rule))) {
      return failure.get();
    }
    AssertionError hangs =
        new AssertionError(
            rule.value()
                + " has not ended within "
                + Bounds.limit(rule).toSeconds()
                + " s; all threads are in "
                + dump(rule, context)
                + ", those of the rule are\n"
                + threadsOfRule());
    thread.interrupt();
    return hangs;
  }

  private static Path dump(Rule rule, ExtensionContext context) throws IOException {
    Files.createDirectories(DUMPS);
    String name = context.getRequiredTestClass().getSimpleName() + "-" + rule.value() + ".txt";
    return Files.writeString(DUMPS.resolve(name), AllThreads.dump());
  }

  private static String threadsOfRule() {
    return AllThreads.list().stream()
        .filter(each -> each.getName().startsWith("rule ") || each.getName().equals("caller"))
        .map(AllThreads::describe)
        .limit(20)
        .collect(Collectors.joining("\n"));
  }

  private static Throwable firstOf(@Nullable Throwable first, Throwable second) {
    if (first == null) {
      return second;
    }
    first.addSuppressed(second);
    return first;
  }

  private static ConformanceSuite suite(ExtensionContext context) {
    return (ConformanceSuite) context.getRequiredTestInstance();
  }

  private static Shared shared(ExtensionContext context) {
    ConformanceSuite suite = suite(context);
    ExtensionContext ofClass = Kit.present(context.getParent().orElse(null), "the class's context");
    return ofClass
        .getStore(NAMESPACE)
        .computeIfAbsent(Shared.class, key -> Shared.start(suite), Shared.class);
  }
}
