package io.heddle.bench.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Alone in its JVM: what others pin would be counted. */
@Isolated
@Timeout(120)
class PinningCommandTest {

  private final StringWriter printed = new StringWriter();

  private int run(String... args) {
    PrintWriter out = new PrintWriter(printed, true);
    return new CommandLine(new PinningCommand()).setOut(out).setErr(out).execute(args);
  }

  /** Parks within a class initializer, which pins on every JDK; with a fresh class each time. */
  public static final class Pinning implements Runnable {
    @Override
    public void run() {
      URL[] here = {Pinning.class.getProtectionDomain().getCodeSource().getLocation()};
      try (URLClassLoader fresh = new URLClassLoader(here, null)) {
        Class.forName(Initialized.class.getName(), true, fresh);
      } catch (ReflectiveOperationException | IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  static final class Initialized {
    static {
      LockSupport.parkNanos(1);
    }
  }

  /** Parks as one should. */
  public static final class Clean implements Callable<Object>, AutoCloseable {
    static final AtomicInteger CALLS = new AtomicInteger();
    static final AtomicInteger CLOSED = new AtomicInteger();

    @Override
    public Object call() throws InterruptedException {
      CALLS.incrementAndGet();
      Thread.sleep(1);
      return this;
    }

    @Override
    public void close() {
      CLOSED.incrementAndGet();
    }
  }

  /** Fails. */
  public static final class Failing implements Runnable {
    @Override
    public void run() {
      throw new IllegalStateException("no such order");
    }
  }

  private static String nameOf(Class<?> calls) {
    return calls.getName();
  }

  @Test
  void callsOfOnesOwnThatPinAreNamed() {
    assertEquals(1, run("--calls", nameOf(Pinning.class), "--callers", "2", "--rounds", "3"));
    String text = printed.toString();
    assertTrue(text.contains("6 pinned"), text);
    assertTrue(text.contains("Initialized.<clinit>"), text);
    assertTrue(text.contains("FAILED"), text);
  }

  @Test
  void callsOfOnesOwnThatDoNotPinPass() {
    assertEquals(0, run("--calls", nameOf(Clean.class), "--callers", "2", "--rounds", "3"));
    String text = printed.toString();
    assertTrue(text.contains("PASSED"), text);
    assertTrue(text.contains("1 pinned, on purpose"), text);
    assertTrue(Clean.CALLS.get() > 6, "with a warm-up: " + Clean.CALLS);
    assertEquals(1, Clean.CLOSED.get());
  }

  @Test
  void callsThatFailFailTheProof() {
    assertEquals(1, run("--calls", nameOf(Failing.class), "--callers", "2", "--rounds", "1"));
    assertTrue(printed.toString().contains("2 × java.lang.IllegalStateException: no such order"));
  }

  @Test
  void whatCannotBeRunIsSaidInALine() {
    assertEquals(2, run("--calls", "com.example.Nothing"));
    assertEquals(2, run("--calls", "java.lang.String"));
    assertEquals(2, run("--calls", "java.lang.Math"));
    assertEquals(2, run("--calls", nameOf(Clean.class), "--class-path", "no/such.jar"));
    assertEquals(2, run("--class-path", "."));
    assertEquals(2, run("--callers", "0"));
    assertEquals(2, run("--rounds", "-1"));
    String text = printed.toString();
    assertTrue(text.contains("no class com.example.Nothing"), text);
    assertTrue(text.contains("java.lang.String is neither a Runnable nor a Callable"), text);
    assertTrue(text.contains("there is no no/such.jar"), text);
    assertTrue(text.contains("--callers must be positive: 0"), text);
    assertFalse(text.contains("PASSED"), text);
  }

  /** Without TLS the JDK would ask for HTTP/2 by an upgrade, which the server does not speak. */
  @ParameterizedTest
  @CsvSource({"APACHE, Apache, 4", "JDK, JDK, 3"})
  void anAdapterIsTriedOnEveryWire(String library, String name, int wires) {
    assertEquals(
        0, run("--library", library, "--callers", "4", "--rounds", "1"), printed::toString);
    String text = printed.toString();
    assertEquals(
        wires, text.lines().filter(line -> line.startsWith(name + ", HTTP/")).count(), text);
  }
}
