package io.heddle.conformance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Structured concurrency (JEP 505): when one subtask of a scope fails, the scope is cancelled, and
 * the calls of the others end on the wire, and so does the scope. In a JVM of its own, of JDK 25
 * and with {@code --enable-preview}; by reflection, as sources of such a class file run nowhere
 * else.
 *
 * <p>Its arguments are names of drivers. It prints a line for each of them and each wire, and fails
 * at the first that does not do.
 */
public final class ScopedCalls {

  private static final int CALLS = 5;

  /** From the failure of the one subtask to the end of the others, and of the scope. */
  private static final Duration WITHIN = Bounds.patient(Duration.ofSeconds(1));

  private static final class Failing extends Exception {
    private static final long serialVersionUID = 1L;

    Failing() {
      super("the subtask that fails");
    }
  }

  private ScopedCalls() {}

  /** See above. */
  public static void main(String[] drivers) throws Exception {
    for (Wire wire : List.of(Wire.HTTP_1_1, Wire.H2_TLS)) {
      try (FaultServer server = FaultServer.start(wire)) {
        for (String each : drivers) {
          ClientDriver driver =
              Class.forName(each)
                  .asSubclass(ClientDriver.class)
                  .getDeclaredConstructor()
                  .newInstance();
          ClientSettings.Builder settings =
              ClientSettings.of(wire).trust(wire.isTls() ? Certificates.RIGHT.certificate() : null);
          try (Client client = driver.open(settings.build())) {
            long millis = cancelled(client, server);
            System.out.println(
                driver.getClass().getSimpleName() + " " + wire + " " + millis + " ms");
          }
        }
      }
    }
    System.exit(0); // a library may have threads that do not end
  }

  /** How long the calls and their scope took to end, in ms. */
  private static long cancelled(Client client, FaultServer server) throws Exception {
    URI stalled = server.uri(Script.ok().fault(Script.Fault.STALL));
    long[] failedAt = {0};
    try (Scope scope = Scope.open()) {
      for (int i = 0; i < CALLS; i++) {
        scope.fork(() -> client.prepare(Call.get(stalled).build()).execute().status());
      }
      scope.fork(
          () -> {
            Bounds.await(
                Bounds.LONG,
                "all calls stand",
                () -> server.seen(stalled).stream().filter(Seen::isStalled).count() == CALLS);
            failedAt[0] = System.nanoTime();
            throw new Failing();
          });
      scope.joinFailing();
    }
    Bounds.await(
        WITHIN,
        "the server sees the end of all calls",
        () -> server.seen(stalled).stream().allMatch(Seen::isAborted));
    long millis = Duration.ofNanos(System.nanoTime() - failedAt[0]).toMillis();
    Kit.check(millis <= WITHIN.toMillis(), "the scope and its calls ended after " + millis + " ms");
    return millis;
  }

  /** {@code java.util.concurrent.StructuredTaskScope} of JDK 25. */
  private record Scope(Class<?> type, Object scope) implements AutoCloseable {

    static Scope open() throws Exception {
      Class<?> type = Class.forName("java.util.concurrent.StructuredTaskScope");
      return new Scope(type, type.getMethod("open").invoke(null));
    }

    void fork(Callable<?> task) throws Exception {
      type.getMethod("fork", Callable.class).invoke(scope, task);
    }

    void joinFailing() throws Exception {
      Method join = type.getMethod("join");
      try {
        join.invoke(scope);
      } catch (InvocationTargetException e) {
        Throwable cause = e.getCause() == null ? null : e.getCause().getCause();
        if (cause instanceof Failing) {
          return;
        }
        throw e;
      }
      throw new AssertionError("the scope has not failed");
    }

    /** Waits for all subtasks. */
    @Override
    public void close() throws ReflectiveOperationException {
      type.getMethod("close").invoke(scope);
    }
  }
}
