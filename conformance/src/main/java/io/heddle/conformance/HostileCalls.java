package io.heddle.conformance;

import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes calls of servers that mean harm, all at once, in the other JVM, whose heap has 64 MiB and
 * which ends when that is not enough. Says how each ended.
 */
final class HostileCalls implements OtherJvm.Task {

  /** For those that the library does not end by itself. */
  private static final Duration DEADLINE = Bounds.patient(Duration.ofSeconds(2));

  /**
   * How long a flood lasts at most: the good call after it gets its turn on a busy machine, too.
   */
  static final Duration FLOOD = DEADLINE.multipliedBy(3);

  /** Arguments: whether each has to fail, the URI of a good server, and those of the others. */
  @Override
  public void run(ClientDriver driver, Wire wire, List<String> args) throws Exception {
    boolean mustFail = Boolean.parseBoolean(args.get(0));
    URI good = URI.create(args.get(1));
    Map<String, Caller<String>> callers = new LinkedHashMap<>();
    try (Client client = driver.open(OtherJvm.settings(wire).decompress().build())) {
      for (String each : args.subList(2, args.size())) {
        String[] parts = each.split("=", 2);
        URI uri = URI.create(parts[1]);
        callers.put(
            parts[0],
            new Caller<>(Thread.ofVirtual(), () -> end(driver, client, uri, mustFail)).start());
      }
      for (Map.Entry<String, Caller<String>> each : callers.entrySet()) {
        Duration bound = DEADLINE.plus(Bounds.LONG);
        System.out.println(each.getKey() + ": " + each.getValue().result(bound));
      }
      try (Reply reply = client.prepare(Call.get(good).build()).execute()) {
        Kit.check(reply.status() == 200 && Contents.check(reply.body()) == 100, "not the answer");
      }
    }
  }

  private static String end(ClientDriver driver, Client client, URI uri, boolean mustFail) {
    long start = System.nanoTime();
    String end;
    try (Reply reply = client.prepare(Call.get(uri).deadline(DEADLINE).build()).execute()) {
      Kit.check(reply.header("X-Injected") == null, uri + ": a field that was in another's value");
      long bytes = 0;
      byte[] buffer = new byte[Contents.PIECE];
      for (int n = reply.body().read(buffer); n >= 0; n = reply.body().read(buffer)) {
        bytes += n;
      }
      end = "status " + reply.status() + ", " + bytes + " bytes";
      Kit.check(!mustFail, uri + " ends with " + end);
    } catch (Exception e) {
      String told = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      end =
          (driver.isExpected(Failure.DEADLINE, e) ? "the deadline: " : "")
              + e.getClass().getSimpleName()
              + ": "
              + told.substring(0, Math.min(told.length(), 100));
    }
    long took = System.nanoTime() - start;
    Kit.check(
        took < DEADLINE.plus(Bounds.LONG).toNanos(), uri + ": " + took / 1_000_000 + " ms: " + end);
    return end + " (" + took / 1_000_000 + " ms)";
  }
}
