package io.heddle.bench.scenarios;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.ClosedLoop;
import io.heddle.bench.load.TargetProcess;
import io.heddle.bench.load.Task;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.FrontMeter;
import io.heddle.bench.measure.Measured;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A front end that calls three back ends in a row for each request, 333 ms each, on a growing
 * number of connections: handlers on platform threads, on virtual threads with the stock client, in
 * callbacks, and on virtual threads with Heddle. The server is Jetty; in the full size the clients
 * are those of all libraries, else of the first.
 *
 * <p>Callers are in the bench's own process: AHC's callbacks, one call after the other on each
 * connection.
 */
public final class LoomPart {

  public static final String SCENARIO = "loom";

  public static final List<Mode> MODES =
      List.of(Mode.STOCK_PLATFORM, Mode.STOCK_VIRTUAL, Mode.HEDDLE, Mode.ASYNC);

  private static final int BACK_ENDS = 3;
  private static final int BACK_END_MILLIS = 333;
  private static final long HEAP_MEGABYTES = 6_000;

  /** Fewer than a server's streams for each connection. */
  private static final int CALLS_PER_ADDRESS = 800;

  private static final List<Integer> FULL = List.of(1_000, 2_000, 5_000, 10_000, 15_000, 20_000);

  private final Size size;
  private final Fit fit;
  private final TargetProcess server;
  private final Recorder recorder;
  private final List<Library> libraries;

  public LoomPart(
      Size size, Fit fit, TargetProcess server, Recorder recorder, List<Library> libraries) {
    this.size = size;
    this.fit = fit;
    this.server = server;
    this.recorder = recorder;
    this.libraries = libraries;
  }

  private List<Integer> connections() {
    return size.pick(List.of(100), List.of(250, 2_000), FULL);
  }

  private List<Contestant> inSize() {
    return Matrix.contestants(size, libraries, MODES, each -> isIn(size, each));
  }

  public static boolean isIn(Size size, Contestant contestant) {
    return size == Size.FULL || contestant.wire() == Wire.HTTP_1 || contestant.isOurs();
  }

  /** How many steps {@link #run} will take. */
  public int steps() {
    return inSize().size() * connections().size();
  }

  public void run() throws InterruptedException {
    if (size != Size.FULL) {
      recorder.note(
          "loom: "
              + connections().stream()
                  .map(each -> String.format(Locale.ROOT, "%,d", each))
                  .collect(Collectors.joining("; "))
              + " connections instead of up to 20,000: "
              + size.label());
    }
    noteAbsences();
    for (Contestant contestant : inSize()) {
      for (int connections : connections()) {
        recorder.step(SCENARIO + " " + connections + ": " + contestant.name());
        Fit.Plan plan = fit.planFront(contestant, connections);
        if (plan.calls() < connections) {
          // A point of another number is on the curve already.
          recorder.note(SCENARIO + ": " + contestant.name() + ", " + plan.note());
          add(contestant, connections, List.of(), "not measured: " + plan.note());
        } else {
          measure(contestant, connections);
        }
      }
    }
  }

  private void noteAbsences() {
    for (int connections : FULL) {
      boolean isMeasured = connections().contains(connections);
      Matrix.absent(
              size,
              SCENARIO,
              Integer.toString(connections),
              libraries,
              MODES,
              each -> isMeasured && isIn(size, each))
          .forEach(recorder::add);
    }
  }

  private void add(Contestant contestant, int connections, List<Figures> figures, String absence) {
    recorder.add(
        new Cell(
            SCENARIO,
            Integer.toString(connections),
            contestant.library(),
            contestant.mode(),
            contestant.wire(),
            figures,
            "",
            absence));
  }

  private void measure(Contestant contestant, int connections) throws InterruptedException {
    List<List<URI>> backEnds = new ArrayList<>();
    int addresses = Math.min(connections / CALLS_PER_ADDRESS + 1, TargetProcess.ADDRESSES / 3);
    for (int i = 0; i < BACK_ENDS; i++) {
      backEnds.add(
          server
              .uris((i + 1) * addresses, "/?delay=" + BACK_END_MILLIS)
              .subList(i * addresses, (i + 1) * addresses));
    }
    FrontProcess.Order order =
        new FrontProcess.Order(
            FrontServer.Kind.JETTY,
            contestant.mode() == Mode.STOCK_PLATFORM ? connections : 0,
            contestant.library(),
            contestant.mode(),
            contestant.wire(),
            backEnds);
    try (FrontProcess front =
        FrontProcess.start(order, Math.min(HEAP_MEGABYTES, fit.machine().availableBytes() >> 21))) {
      recorder.jvm("Services' JVMs, " + SCENARIO, front.jvm());
      add(contestant, connections, List.of(measure(front, connections)), "");
    } catch (IOException e) {
      add(contestant, connections, List.of(), "the front end did not run: " + e.getMessage());
    }
  }

  private Figures measure(FrontProcess front, int connections)
      throws IOException, InterruptedException {
    Contestant callers = Task.contestant(Library.AHC, Mode.ASYNC, Wire.HTTP_1);
    List<URI> uris = front.uris().stream().map(each -> each.resolve("/")).toList();
    try (Contestant.Running client = callers.open(new Ask(uris, Ask.GET, false), connections)) {
      ClosedLoop loop = new ClosedLoop(callers, client, connections, server.pid());
      loop.run(Duration.ofMillis(size.pick(100, 500, 5_000))); // to warm up
      front.seen(); // what pinned while it was cold is not of interest
      try (FrontMeter meter = FrontMeter.start(front.pid(), server.pid())) {
        Measured measured = loop.run(Duration.ofMillis(size.pick(1_500, 2_000, 20_000)));
        return meter.stop(measured, front.seen());
      }
    }
  }
}
