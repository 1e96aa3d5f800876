package io.heddle.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Meter;
import io.heddle.pinning.PinnedEvent;
import io.heddle.pinning.PinningReport;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls are held by the server until all have arrived, and then all are answered. */
@Timeout(120)
class HeldLoadTest {

  private static final int CALLS = 150;

  private TargetServer server;

  @BeforeEach
  void start() throws InterruptedException {
    server = new TargetServer(2, 1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void allAreInFlightAtOnce() throws Exception {
    for (Mode mode : List.of(Mode.HEDDLE, Mode.ASYNC)) {
      Figures figures = measure(mode, CALLS);

      Figures.Held held = held(figures);
      assertEquals(CALLS, held.calls());
      assertEquals(CALLS, figures.successes());
      assertEquals(CALLS, figures.maxInFlight());
      assertEquals(0, figures.errorCount());
      assertTrue(held.heapPerCall() > 500, () -> "heap for a call: " + held.heapPerCall());
    }
  }

  /** What is released once is held anew the next time. */
  @Test
  void canBeDoneAgain() throws Exception {
    assertEquals(CALLS, held(measure(Mode.HEDDLE, CALLS)).calls());
    assertEquals(10, held(measure(Mode.HEDDLE, 10)).calls());
  }

  private static Figures.Held held(Figures figures) {
    return Objects.requireNonNull(figures.held());
  }

  private Figures measure(Mode mode, int calls) throws InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + "/");
    Ask ask = Ask.get(uri.resolve("/?hold=1"));
    Target target = new Target(uri, Meter.NO_SERVER);
    Task.Load load = new Task.Load(Task.Kind.HELD, calls, 0, 0, 5, 0, 30);
    return new Worker().measure(new Task(Library.APACHE, mode, Wire.HTTP_1, ask, load, target));
  }

  @Test
  void aClassThatIsLoadedIsNoPinOfACall() {
    PinnedEvent loading = pin("java.lang.ClassLoader.loadClass(ClassLoader.java:490)");
    PinnedEvent waiting = pin("com.example.Native.wait(Native.java)");
    PinningReport all =
        new PinningReport(List.of(loading, waiting), List.of(), 2, 2, 2, Duration.ofSeconds(1));

    assertEquals(List.of(waiting), Meter.ofCalls(all).events());
  }

  private static PinnedEvent pin(String frame) {
    return new PinnedEvent(Duration.ofMillis(1), "#1", null, null, null, List.of(frame));
  }
}
