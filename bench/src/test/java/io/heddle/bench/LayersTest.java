package io.heddle.bench;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.doNot;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

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
          "io.heddle.jersey",
              Set.of(
                  "io.heddle.apache", // the one adapter that is built on another
                  "org.apache.hc..",
                  "org.glassfish.jersey..",
                  "jakarta.annotation..",
                  "jakarta.ws.rs.."),
          "io.heddle.okhttp", Set.of("okhttp3..", "okio..", "kotlin.."),
          "io.heddle.ahc", Set.of("org.asynchttpclient..", "io.netty..", "org.slf4j.."),
          "io.heddle.jetty", Set.of("org.eclipse.jetty.."),
          "io.heddle.jdk", Set.of());

  private static final Set<String> OURS =
      Stream.concat(Stream.of(USERS, CORE), ADAPTERS.keySet().stream()).collect(toSet());

  /** Methods that wait: their names, by the class or interface that has them. */
  private static final Map<Class<?>, String> WAITING =
      Map.of(
          LockSupport.class, "park.*",
          Thread.class, "sleep|join",
          Object.class, "wait",
          Condition.class, "await.*",
          CountDownLatch.class, "await",
          Semaphore.class, "(acquire|tryAcquire).*",
          BlockingQueue.class, "take|put",
          Future.class, "get",
          CompletableFuture.class, "join",
          ExecutorService.class, "awaitTermination|close");

  /** Methods of ours that may call one of those, each with the reason. */
  private static final Map<String, String> MAY_WAIT =
      Map.of(
          "io.heddle.core.Waiter.waitUntil", "it is who waits",
          "io.heddle.core.DeadlineWatch.sleep", "a thread of its own, with nothing else to do",
          "io.heddle.ahc.AhcFuture.get", "the future is done: a signal said so",
          "io.heddle.ahc.AhcResolver.ask", "on a thread of HostResolver, which may be held",
          "io.heddle.jdk.JdkExchange.sendPushed", "the client's send, for a call with pushes",
          "io.heddle.jetty.WholeResponse.await", "the future is done: Jetty completed it before",
          "io.heddle.jetty.JettyAbort.goesOn", "the future is done: it has been asked");

  /** Methods of ours that may enter a monitor, each with the reason. */
  private static final Map<String, String> MAY_ENTER =
      Map.of(
          "io.heddle.okhttp.OkHttpInternals.leave",
          "OkHttp guards the field by this monitor, and waits for nothing inside");

  /** Classes of ours that may log, each with what: nothing of a request or its response. */
  private static final Map<String, String> MAY_LOG =
      Map.of(
          "io.heddle.ahc.AhcEngine", "a window of HTTP/2 that it has changed",
          "io.heddle.ahc.HandlerFuture", "what a user's handler throws, at DEBUG: AHC drops it");

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

  /** So no secret is in a log by our doing; what the libraries log is theirs. */
  @Test
  void nobodyLogs() {
    noClasses()
        .that()
        .resideInAnyPackage(OURS.toArray(String[]::new))
        .and(doNot(have(nameMatching(String.join("|", MAY_LOG.keySet())))))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.slf4j..", "java.util.logging..")
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(System.Logger.class)
        .orShould(ACCESS_STANDARD_STREAMS)
        .check(CLASSES);
  }

  @Test
  void nobodyWaitsButTheWaiter() {
    noClasses()
        .that()
        .resideInAnyPackage(OURS.toArray(String[]::new))
        .should()
        .callMethodWhere(
            describe(
                "waits, and is not of those that may",
                call -> waits(call.getTarget()) && !MAY_WAIT.containsKey(caller(call))))
        .check(CLASSES);
  }

  @Test
  void whoeverMayWaitDoes() {
    Set<String> waiting =
        CLASSES.stream()
            .flatMap(each -> each.getMethodCallsFromSelf().stream())
            .filter(call -> waits(call.getTarget()))
            .map(LayersTest::caller)
            .collect(toSet());
    assertTrue(
        waiting.containsAll(MAY_WAIT.keySet()), () -> MAY_WAIT + " names one not in " + waiting);
  }

  /** Of the monitors inside the JDK's own classes it sees nothing. */
  @Test
  void nobodyIsSynchronized() throws IOException {
    Set<String> entering = new TreeSet<>();
    for (JavaClass each : CLASSES) {
      if (OURS.contains(each.getPackageName())) {
        addEntering(entering, each.getSource().orElseThrow().getUri().toURL(), each.getName());
      }
    }
    assertEquals(
        MAY_ENTER.keySet(), entering, "before JDK 24, who waits for a monitor holds a carrier");
  }

  @Test
  void bothKindsOfSynchronizedAreSeen() throws IOException {
    Set<String> entering = new TreeSet<>();
    addEntering(
        entering,
        Objects.requireNonNull(LayersTest.class.getResource("LayersTest$Guarded.class")),
        "Guarded");
    assertEquals(Set.of("Guarded.add", "Guarded.get"), entering);
  }

  static final class Guarded {
    private int count;

    synchronized void add() {
      count++;
    }

    int get() {
      synchronized (this) {
        return count;
      }
    }
  }

  private static void addEntering(Set<String> entering, URL file, String owner) throws IOException {
    try (InputStream bytes = file.openStream()) {
      new ClassReader(bytes).accept(new MonitorFinder(owner, entering), ClassReader.SKIP_DEBUG);
    }
  }

  /** Finds the methods that are {@code synchronized}, or have a block that is. */
  private static final class MonitorFinder extends ClassVisitor {
    private final String owner;
    private final Set<String> found;

    MonitorFinder(String owner, Set<String> found) {
      super(Opcodes.ASM9);
      this.owner = owner;
      this.found = found;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String type, String signature, String[] exceptions) {
      if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
        found.add(owner + "." + name);
      }
      return new MethodVisitor(Opcodes.ASM9) {
        @Override
        public void visitInsn(int opcode) {
          if (opcode == Opcodes.MONITORENTER) {
            found.add(owner + "." + name);
          }
        }
      };
    }
  }

  private static String caller(JavaMethodCall call) {
    return call.getOriginOwner().getName() + "." + call.getOrigin().getName();
  }

  private static boolean waits(AccessTarget.MethodCallTarget target) {
    return WAITING.entrySet().stream()
        .anyMatch(
            each ->
                target.getOwner().isAssignableTo(each.getKey())
                    && target.getName().matches(each.getValue()));
  }
}
