package io.heddle.bench;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Which part of Heddle knows which, and which of them may wait. The test stands here because the
 * bench has all adapters on its class path.
 */
class LayersTest {

  /** What users meet, and what adapters share. */
  private static final String USERS = "io.heddle";

  private static final String CORE = "io.heddle.core";

  /** Each adapter's package, and the packages of its library and of what that is made of. */
  private static final Map<String, Set<String>> ADAPTERS =
      Map.of(
          "io.heddle.apache", Set.of("org.apache.hc.."),
          "io.heddle.okhttp", Set.of("okhttp3..", "okio..", "kotlin.."),
          "io.heddle.ahc", Set.of("org.asynchttpclient..", "io.netty..", "org.slf4j.."),
          "io.heddle.jetty", Set.of("org.eclipse.jetty.."),
          "io.heddle.jdk", Set.of());

  /** Methods that wait: their names, by the class or interface that has them. */
  private static final Map<Class<?>, String> WAITING =
      Map.of(
          LockSupport.class, "park.*",
          Thread.class, "sleep|join",
          Object.class, "wait",
          Condition.class, "await.*",
          CountDownLatch.class, "await",
          Semaphore.class, "(acquire|tryAcquire).*",
          BlockingQueue.class, "take|put");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(
              location -> !location.contains("test-classes") && !location.contains("-tests.jar"))
          .importPackages(USERS);

  static Set<Map.Entry<String, Set<String>>> adapters() {
    return ADAPTERS.entrySet();
  }

  @Test
  void coreKnowsTheJdkAlone() {
    assertTrue(CLASSES.contain("io.heddle.core.Exchange"));
    classes()
        .that()
        .resideInAnyPackage(USERS, CORE)
        .and()
        .doNotHaveFullyQualifiedName("io.heddle.CallMetrics") // for those who have Micrometer
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(USERS, CORE, "java..", "jdk.jfr..", "org.jspecify..")
        .check(CLASSES);
  }

  @ParameterizedTest
  @MethodSource("adapters")
  void anAdapterKnowsCoreAndItsLibrary(Map.Entry<String, Set<String>> adapter) {
    String own = adapter.getKey();
    String[] known =
        Stream.concat(
                Stream.of(USERS, CORE, own, "java..", "javax.net..", "org.jspecify.."),
                adapter.getValue().stream())
            .toArray(String[]::new);
    classes()
        .that()
        .resideInAPackage(own)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(known)
        .check(CLASSES);
  }

  @Test
  void whatUsersMeetKnowsNothingOfTheRest() {
    noClasses()
        .that()
        .resideInAPackage(USERS)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.heddle.*..")
        .check(CLASSES);
  }

  @Test
  void nothingKnowsTheBench() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.heddle.bench..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.heddle.bench..")
        .check(CLASSES);
  }

  @Test
  void nobodyWaitsButTheWaiter() {
    noClasses()
        .that()
        .resideInAnyPackage(
            Stream.concat(Stream.of(USERS, CORE), ADAPTERS.keySet().stream())
                .toArray(String[]::new))
        .and()
        .doNotHaveFullyQualifiedName("io.heddle.core.Waiter")
        .and()
        .doNotHaveFullyQualifiedName("io.heddle.core.DeadlineWatch") // a thread of its own sleeps
        .should()
        .callMethodWhere(describe("waits", (JavaMethodCall call) -> waits(call.getTarget())))
        .check(CLASSES);
  }

  private static boolean waits(AccessTarget.MethodCallTarget target) {
    return WAITING.entrySet().stream()
        .anyMatch(
            each ->
                target.getOwner().isAssignableTo(each.getKey())
                    && target.getName().matches(each.getValue()));
  }
}
