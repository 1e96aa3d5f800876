package io.heddle.conformance;

import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Structured concurrency (JEP 505): when one subtask of a scope fails, the scope is cancelled, and
 * the calls of the others end on the wire, and so does the scope: calls that wait for the head of
 * their response, for more of its body, or for the server to take more of theirs. In a JVM of its
 * own, of JDK 25 and with {@code --enable-preview}; by reflection, as sources of such a class file
 * run nowhere else.
 *
 * <p>Its arguments are names of drivers. It prints a line for each of them, each wire and each such
 * place, and fails at the first that does not do.
 */
public final class ScopedCalls {

  private static final List<Standstill> PLACES =
      List.of(Standstill.HEAD, Standstill.BODY, Standstill.UPLOAD);

  private static final int CALLS = 5;

  private static final int BODY = 10_000;

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
            for (Standstill place : PLACES) {
              long millis = cancelled(client, server, place);
              System.out.printf(
                  "%s %s %s %d ms%n", driver.getClass().getSimpleName(), wire, place, millis);
            }
          }
        }
      }
    }
    System.exit(0); // a library may have threads that do not end
  }

  /** How long the calls and their scope took to end, in ms. */
  private static long cancelled(Client client, FaultServer server, Standstill place)
      throws Exception {
    URI uri = server.uri(script(place));
    AtomicLong moved = new AtomicLong();
    long[] failedAt = {0};
    try (Scope scope = Scope.open()) {
      for (int i = 0; i < CALLS; i++) {
        scope.fork(() -> call(client, uri, place, moved));
      }
      scope.fork(
          () -> {
            Bounds.await(Bounds.LONG, "all calls stand", () -> stand(place, server, uri, moved));
            if (place == Standstill.UPLOAD) {
              Bounds.settled(moved::get); // what lies between the two is full
            }
            failedAt[0] = System.nanoTime();
            throw new Failing();
          });
      scope.joinFailing();
    }
    List<Seen> seen = server.seen(uri);
    seen.forEach(Seen::readOn);
    Bounds.await(
        WITHIN,
        "the server sees the end of all calls: " + seen,
        () -> seen.stream().allMatch(Seen::isAborted));
    long millis = Duration.ofNanos(System.nanoTime() - failedAt[0]).toMillis();
    Kit.check(millis <= WITHIN.toMillis(), "the scope and its calls ended after " + millis + " ms");
    Kit.check(
        place != Standstill.UPLOAD || seen.stream().noneMatch(Seen::isBodyComplete),
        "an upload that was cut is taken for a whole one");
    return millis;
  }

  private static Script script(Standstill place) {
    Script script = Script.ok().body(BODY);
    return switch (place) {
      case HEAD -> script.fault(Script.Fault.STALL);
      case BODY -> script.fault(Script.Fault.STALL, Standing.READ);
      case UPLOAD -> script.take(Standing.READ);
      default -> throw new IllegalArgumentException("no script for " + place);
    };
  }

  /** Makes the call, and counts the bytes of the body that it reads or writes. */
  private static int call(Client client, URI uri, Standstill place, AtomicLong moved)
      throws Exception {
    Call.Builder call = Call.get(uri);
    if (place == Standstill.UPLOAD) {
      BodyWriter endless =
          out -> {
            while (true) {
              out.write(Contents.array(), 0, Contents.PIECE);
              moved.addAndGet(Contents.PIECE);
            }
          };
      call = Call.post(uri, new Body.Writer(endless));
    }
    try (Reply reply = client.prepare(call.build()).execute()) {
      InputStream in = reply.body();
      byte[] buffer = new byte[BODY];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        moved.addAndGet(n);
      }
      return reply.status();
    }
  }

  /** Whether the server holds all calls, and they have come as far as it lets them. */
  private static boolean stand(Standstill place, FaultServer server, URI uri, AtomicLong moved) {
    List<Seen> seen = server.seen(uri);
    if (seen.size() < CALLS) {
      return false;
    }
    return switch (place) {
      case BODY ->
          seen.stream().allMatch(Seen::isStalled) && moved.get() == (long) CALLS * Standing.READ;
      case UPLOAD -> seen.stream().allMatch(each -> each.bodyBytes() >= Standing.READ);
      default -> seen.stream().allMatch(Seen::isStalled);
    };
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
