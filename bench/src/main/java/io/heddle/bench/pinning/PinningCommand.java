package io.heddle.bench.pinning;

import io.heddle.ahc.AhcDriver;
import io.heddle.apache.ApacheDriver;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.MeasuredLibrary;
import io.heddle.conformance.Client;
import io.heddle.conformance.ClientDriver;
import io.heddle.conformance.ClientSettings;
import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Wire;
import io.heddle.jdk.JdkDriver;
import io.heddle.jetty.JettyDriver;
import io.heddle.okhttp.OkHttpDriver;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The proof that nothing pins: every adapter, on every wire, or calls of one's own. */
@Command(
    name = "pinning",
    description = {
      "Makes calls from virtual threads, through every adapter and on every wire, while JDK Flight"
          + " Recorder records pinned carriers without a threshold. Ends with 1 and the offending"
          + " frames if anything pinned, or if a call ended otherwise than it should.",
      "The first row is the control: it pins on purpose, and must be seen."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class PinningCommand implements Callable<Integer> {

  private static final String ROW = "%-28s";
  private static final String CELL = "%11s";

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--library",
      split = ",",
      converter = MeasuredLibrary.class,
      completionCandidates = MeasuredLibrary.class,
      description = "which to try, of ${COMPLETION-CANDIDATES} (default: all)")
  private List<Library> libraries = Library.MEASURED;

  @Option(
      names = "--callers",
      description = "virtual threads that call at a time (default: ${DEFAULT-VALUE})",
      defaultValue = "30")
  private int callers;

  @Option(
      names = "--rounds",
      description = "how often each of them calls while it is recorded (default: ${DEFAULT-VALUE})",
      defaultValue = "3")
  private int rounds;

  @Option(
      names = "--calls",
      paramLabel = "CLASS",
      description =
          "a class of your own that makes calls, in place of the adapters: public, with a public"
              + " constructor without parameters, a Runnable or Callable, which all callers run, and"
              + " AutoCloseable if it likes")
  private @Nullable String ownClass;

  @Option(
      names = "--class-path",
      paramLabel = "PATH",
      split = "[:;]",
      description = "where that class and what it needs are found: jars and directories")
  private List<Path> classPath = List.of();

  private final List<String> offences = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    check(callers > 0, "--callers must be positive: " + callers);
    check(rounds > 0, "--rounds must be positive: " + rounds);
    check(ownClass != null || classPath.isEmpty(), "--class-path is of use with --calls only");
    for (Path each : classPath) {
      check(Files.exists(each), "--class-path: there is no " + each);
    }
    PrintWriter out = spec().commandLine().getOut();
    Object own = ownClass == null ? null : newOwn(ownClass);
    Callable<?> ownCalls = own == null ? null : callsOf(own);
    out.printf(
        Locale.ROOT,
        "%d virtual threads, %d rounds each after a warm-up. JDK %s, %d processors%n%n",
        callers,
        rounds,
        Runtime.version(),
        Runtime.getRuntime().availableProcessors());
    boolean sees = control(out);
    PinningProof proof = new PinningProof(callers, rounds);
    if (ownCalls != null) {
      ownRow(out, proof, ownCalls);
    } else {
      adapterRows(out, proof);
    }
    if (own instanceof AutoCloseable closeable) {
      closeable.close();
    }
    offences.forEach(out::println);
    out.printf("%n%s%n", verdict(sees));
    out.flush();
    return sees && offences.isEmpty() ? 0 : 1;
  }

  private String verdict(boolean sees) {
    String on = ", on JDK " + Runtime.version() + ".";
    if (!sees) {
      return "FAILED: the recorder did not see a carrier pinned on purpose" + on;
    }
    return offences.isEmpty()
        ? "PASSED: nothing pinned, and every call ended as it should" + on
        : "FAILED: see above" + on;
  }

  // ---- rows -----------------------------------------------------------------------------------

  /** Waits in an initializer, where every JDK pins. */
  private static final class Pin {
    static {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Whether a pin was seen that was there. */
  private static boolean control(PrintWriter out) throws IOException, InterruptedException {
    byte[] pin;
    String file = "/" + Pin.class.getName().replace('.', '/') + ".class";
    try (InputStream in = Pin.class.getResourceAsStream(file)) {
      pin = Objects.requireNonNull(in, file).readAllBytes();
    }
    PinningProof.Outcome outcome = // a fresh class, since an initializer runs once
        new PinningProof(1, 1).unwarmed(() -> MethodHandles.lookup().defineHiddenClass(pin, true));
    int pins = outcome.report().events().size();
    out.printf(ROW + "  %s%n%n", "control", pins + " pinned, on purpose");
    return pins > 0;
  }

  private void ownRow(PrintWriter out, PinningProof proof, Callable<?> own)
      throws InterruptedException {
    PinningProof.Outcome outcome = proof.of(own);
    String name = String.valueOf(ownClass);
    out.printf(ROW + "  %s%n", name, outcome.report().events().size() + " pinned");
    note(name, outcome);
  }

  private void adapterRows(PrintWriter out, PinningProof proof) throws Exception {
    out.printf(ROW, "pinned");
    for (PinningCase each : PinningCase.values()) {
      out.printf(CELL, each.name().toLowerCase(Locale.ROOT));
    }
    out.printf(CELL + "%n", "carriers");
    out.flush();
    for (Library library : libraries) {
      for (Wire wire : Wire.values()) {
        if (library != Library.JDK
            || wire != Wire.H2C) { // an upgrade, which the server does not speak
          adapterRow(out, proof, library, wire);
        }
      }
    }
  }

  private void adapterRow(PrintWriter out, PinningProof proof, Library library, Wire wire)
      throws Exception {
    String name = library.label() + ", " + nameOf(wire);
    out.printf(ROW, name);
    out.flush();
    ClientDriver driver = driverOf(library);
    ClientSettings settings =
        ClientSettings.of(wire)
            .trust(wire.isTls() ? FaultServer.certificate() : null)
            .maxConnections(callers)
            .build();
    int carriers = 0;
    try (FaultServer server = FaultServer.start(wire);
        Client client = driver.open(settings)) {
      for (PinningCase each : PinningCase.values()) {
        PinningProof.Outcome outcome =
            proof.of(
                () -> {
                  each.run(client, server);
                  return null;
                });
        int pins = outcome.report().events().size();
        out.printf(CELL, outcome.errors().isEmpty() ? pins : pins + "!");
        out.flush();
        carriers = Math.max(carriers, outcome.report().peakCarriers());
        note(name + ", " + each.name().toLowerCase(Locale.ROOT), outcome);
      }
    }
    out.printf(CELL + "%n", carriers);
    out.flush();
  }

  private static ClientDriver driverOf(Library library) {
    return switch (library) {
      case APACHE -> new ApacheDriver();
      case OKHTTP -> new OkHttpDriver();
      case JETTY -> new JettyDriver();
      case AHC -> new AhcDriver();
      case JDK -> new JdkDriver();
      case JERSEY -> throw new IllegalArgumentException("is not among " + Library.MEASURED);
    };
  }

  private static String nameOf(Wire wire) {
    return switch (wire) {
      case HTTP_1_1 -> "HTTP/1.1";
      case HTTP_1_1_TLS -> "HTTP/1.1 over TLS";
      case H2C -> "HTTP/2";
      case H2_TLS -> "HTTP/2 over TLS";
    };
  }

  private void note(String what, PinningProof.Outcome outcome) {
    if (!outcome.report().isClean()) {
      offences.add(String.format("%n%s: %s", what, outcome.report().describe()));
    }
    if (!outcome.errors().isEmpty()) {
      String kinds =
          outcome.errors().entrySet().stream()
              .map(error -> error.getValue() + " × " + error.getKey())
              .collect(Collectors.joining(", "));
      offences.add(
          String.format(
              "%n%s: %d of %d calls ended otherwise than they should: %s",
              what, outcome.errorCount(), callers * rounds, kinds));
    }
  }

  // ---- a class of one's own -------------------------------------------------------------------

  private Object newOwn(String name) {
    try {
      List<URL> urls = new ArrayList<>();
      for (Path each : classPath) {
        urls.add(each.toUri().toURL());
      }
      ClassLoader loader = // never closed: it loads classes as long as they run
          new URLClassLoader(urls.toArray(URL[]::new), getClass().getClassLoader());
      return loader.loadClass(name).getConstructor().newInstance();
    } catch (ClassNotFoundException e) {
      throw wrong("--calls: no class " + name + " is found; say where by --class-path");
    } catch (InvocationTargetException e) {
      throw wrong("--calls: " + name + " cannot be made: " + e.getCause());
    } catch (ReflectiveOperationException | MalformedURLException e) {
      throw wrong("--calls: " + name + " needs to be public, with a public " + name + "()");
    }
  }

  private Callable<?> callsOf(Object own) {
    if (own instanceof Callable<?> callable) {
      return callable;
    }
    if (own instanceof Runnable runnable) {
      return Executors.callable(runnable);
    }
    throw wrong("--calls: " + own.getClass().getName() + " is neither a Runnable nor a Callable");
  }

  private void check(boolean condition, String otherwise) {
    if (!condition) {
      throw wrong(otherwise);
    }
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec().commandLine(), what);
  }

  private CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return spec;
  }
}
