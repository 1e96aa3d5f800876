package io.heddle.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Meter;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client is warmed up once, and stays for as long as the same is asked of it. */
@Timeout(120)
class SteadyClientTest {

  private static final int CALLERS = 3;

  @Test
  void aClientStaysFromRoundToRound() throws Exception {
    try (TargetServer server = new TargetServer(1, 1)) {
      Worker worker = new Worker();
      Figures first = worker.measure(task(server, "/", CALLERS));
      assertTrue(first.successes() > 0, first::toString);
      assertNotEquals(0, first.warmUpSeconds());

      Figures second = worker.measure(task(server, "/", CALLERS));
      assertEquals(0, second.warmUpSeconds());
      assertTrue(server.connections() <= CALLERS, () -> server.connections() + " connections");

      assertNotEquals(0, worker.measure(task(server, "/?bytes=1", CALLERS)).warmUpSeconds());
      assertNotEquals(0, worker.measure(task(server, "/?bytes=1", 1)).warmUpSeconds());
      worker.closeSteady();
    }
  }

  private static Task task(TargetServer server, String path, int callers) {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
    Duration time = Duration.ofMillis(200);
    return new Task(
        Library.APACHE,
        Mode.HEDDLE,
        Wire.HTTP_1,
        Ask.get(uri),
        Task.Load.closed(callers, time, time),
        new Target(uri, Meter.NO_SERVER));
  }
}
