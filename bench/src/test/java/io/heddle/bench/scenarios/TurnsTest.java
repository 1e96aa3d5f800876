package io.heddle.bench.scenarios;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.Crew;
import io.heddle.bench.load.Target;
import io.heddle.bench.load.TargetProcess;
import io.heddle.bench.load.Task;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Contestants take turns, each with its own client in its own JVM, and each gets a cell. */
@Timeout(600)
class TurnsTest {

  private static final int ROUNDS = 2;
  private static final Duration TIME = Duration.ofMillis(100);

  private final ByteArrayOutputStream steps = new ByteArrayOutputStream();
  private final Recorder recorder = new Recorder(new PrintStream(steps, true, UTF_8));

  @Test
  void eachGetsACellWithAllItsRounds() throws Exception {
    try (TargetProcess server = TargetProcess.start();
        Crew crew = new Crew(256)) {
      assertTrue(server.jvm().contains("-Xmx1g"), server.jvm());
      Turns turns = new Turns("closed-2", crew, recorder);
      Contestant ours = Task.contestant(Library.JDK, Mode.HEDDLE, Wire.HTTP_1);
      turns.add("", task(ours, server.uri(), server), List.of("a note"));
      turns.add("", task(Turns.BASELINE, server.tlsUri(), server), List.of());
      Contestant apart = Task.contestant(Library.JDK, Mode.ASYNC, Wire.HTTP_1);
      turns.add("", task(apart, nobody(), server), List.of());
      turns.run(ROUNDS);
    }

    List<Boolean> warmUps =
        steps.toString(UTF_8).lines().map(step -> step.endsWith(", warm-up …")).toList();
    assertEquals(List.of(true, true, true, false, false, false), warmUps, "all before the first");
    List<Cell> cells = recorder.cells();
    assertEquals(3, cells.size());
    for (Cell cell : cells) {
      assertEquals(ROUNDS, cell.rounds().size());
      List<Double> seconds = cell.values(Figures::warmUpSeconds);
      assertNotEquals(0, seconds.get(0), "a client is warmed up once");
      assertEquals(0, seconds.get(1));
    }
    assertEquals(0, cells.get(0).errorCount());
    assertEquals(0, cells.get(1).errorCount(), "over TLS");
    assertTrue(cells.get(2).errorCount() > 0);
    assertEquals("a note; not warm after 0.1 s", cells.get(0).note());
    String jvm = recorder.jvms().values().iterator().next();
    assertTrue(jvm.contains("-Xmx256m"), jvm);
  }

  private static URI nobody() {
    return URI.create("http://127.0.0.1:1/");
  }

  private static Task task(Contestant contestant, URI uri, TargetProcess server) {
    return Task.of(
        contestant,
        Ask.get(uri),
        Task.Load.closed(2, TIME, TIME),
        new Target(server.uri(), server.pid()));
  }
}
