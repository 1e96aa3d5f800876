package io.heddle.bench.scenarios;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.AnswerTimes;
import io.heddle.bench.load.Callers;
import io.heddle.bench.load.OneCall;
import io.heddle.bench.load.OpenLoop;
import io.heddle.bench.load.Tally;
import io.heddle.bench.load.Target;
import io.heddle.bench.load.TargetProcess;
import io.heddle.bench.load.Task;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.FrontMeter;
import io.heddle.bench.measure.Timeline;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A service that calls A, which takes 10 ms, for each request, and B for four of five, while B
 * turns from 10 ms to 5 s and then to 20 s: what becomes of the requests that need only A? On three
 * web servers, with their pool of 200 platform threads and a stock client, and with virtual threads
 * and a stock client or Heddle: what helps is the virtual thread, and the picture is to show so. In
 * the full size with the clients of all libraries, else with those of the first.
 *
 * <p>Requests come when they come, 400 a second, from the bench's own process; latency counts from
 * then.
 */
public final class ServicePart {

  static final String SCENARIO = "service-";
  public static final List<Mode> MODES =
      List.of(Mode.STOCK_PLATFORM, Mode.STOCK_VIRTUAL, Mode.HEDDLE);
  private static final int POOL = 200;
  private static final int PER_SECOND = 400;
  private static final int ONLY_A = 5; // every fifth
  private static final int A_MILLIS = 10;
  private static final long HEAP_MEGABYTES = 3_000;
  private static final int SLOT_MILLIS = 500;
  private static final int MOST_CALLS = 20_000;

  private final Size size;
  private final TargetProcess server;
  private final Recorder recorder;
  private final List<Library> libraries;

  public ServicePart(Size size, TargetProcess server, Recorder recorder, List<Library> libraries) {
    this.size = size;
    this.server = server;
    this.recorder = recorder;
    this.libraries = libraries;
  }

  static String scenario(FrontServer.Kind kind) {
    return SCENARIO + kind.label();
  }

  private List<Contestant> contestants() {
    return Matrix.contestants(size, libraries, MODES, each -> isIn(size, each));
  }

  public static boolean isIn(Size size, Contestant contestant) {
    return size == Size.FULL || contestant.wire() == Wire.HTTP_1;
  }

  /** How many steps {@link #run} will take. */
  public int steps() {
    return contestants().size() * FrontServer.Kind.values().length;
  }

  /** When B turns, in ms since the start, and when all ends. */
  private long[] phases() {
    return size.pick(
        new long[] {500, 1_000, 1_500},
        new long[] {1_000, 3_000, 5_000},
        new long[] {10_000, 30_000, 60_000});
  }

  public void run() throws InterruptedException {
    if (size != Size.FULL) {
      recorder.note(
          String.format(
              Locale.ROOT,
              "service: %.1f s for each web server and client instead of 60 s: %s",
              phases()[2] / 1e3,
              size.label()));
    }
    for (FrontServer.Kind kind : FrontServer.Kind.values()) {
      Matrix.absent(size, scenario(kind), "", libraries, MODES, each -> isIn(size, each))
          .forEach(recorder::add);
      for (Contestant contestant : contestants()) {
        recorder.step(scenario(kind) + ": " + contestant.name());
        measure(kind, contestant);
      }
    }
  }

  private void measure(FrontServer.Kind kind, Contestant contestant) throws InterruptedException {
    List<URI> a = server.uris(1, "/?delay=" + A_MILLIS);
    // On HTTP/2 several addresses, so that the server's limit of streams is not what is measured.
    List<URI> b = server.uris(11, "/b").subList(1, 11);
    FrontProcess.Order order =
        new FrontProcess.Order(
            kind,
            contestant.mode() == Mode.STOCK_PLATFORM ? POOL : 0,
            contestant.library(),
            contestant.mode(),
            contestant.wire(),
            List.of(a, b));
    List<Figures> figures = List.of();
    String absence = "";
    try (FrontProcess front = FrontProcess.start(order, HEAP_MEGABYTES)) {
      recorder.jvm("Services' JVMs, service", front.jvm());
      figures = List.of(measure(kind, contestant, front));
    } catch (IOException e) {
      absence = "the service did not run: " + e.getMessage();
    }
    recorder.add(
        new Cell(
            scenario(kind),
            "",
            contestant.library(),
            contestant.mode(),
            contestant.wire(),
            figures,
            "",
            absence));
  }

  private Figures measure(FrontServer.Kind kind, Contestant contestant, FrontProcess front)
      throws IOException, InterruptedException {
    Contestant callers = Task.contestant(Library.AHC, Mode.ASYNC, Wire.HTTP_1);
    Target target = new Target(server.uri(), server.pid());
    target.turnB(A_MILLIS);
    try (Contestant.Running client = callers.open(ask(front), MOST_CALLS)) {
      Contestant.Async async = (Contestant.Async) client;
      warmUp(async);
      front.seen(); // what pinned while it was cold is not of interest
      try (FrontMeter meter = FrontMeter.start(front.pid(), server.pid())) {
        return measure(kind, contestant, front, target, async, meter);
      }
    } finally {
      target.turnB(A_MILLIS);
    }
  }

  /**
   * Every fifth request needs only A. All go by one client, so that both kinds share connections,
   * as they do behind a load balancer: web servers treat those that they know better than new ones.
   */
  private static Ask ask(FrontProcess front) {
    List<URI> uris = new ArrayList<>();
    for (URI base : front.uris()) {
      uris.add(base.resolve("/1"));
      for (int i = 1; i < ONLY_A; i++) {
        uris.add(base.resolve("/"));
      }
    }
    return new Ask(uris, Ask.GET, false);
  }

  private void warmUp(Contestant.Async client) throws InterruptedException {
    int calls = size.pick(50, 400, 1_000); // a multiple of the fifth
    CountDownLatch ended = new CountDownLatch(calls);
    Tally unseen = new Tally();
    OpenLoop.Schedule schedule = new OpenLoop.Schedule(System.nanoTime(), PER_SECOND);
    try (Callers none = Callers.forMode(Mode.ASYNC)) {
      for (int i = 0; i < calls; i++) {
        LockSupport.parkNanos(schedule.startOf(i) - System.nanoTime());
        OneCall.start(client, none, schedule.startOf(i), unseen, ended);
      }
      boolean unused = ended.await(5, TimeUnit.SECONDS); // if not, the figures will tell
    }
  }

  private Figures measure(
      FrontServer.Kind kind,
      Contestant contestant,
      FrontProcess front,
      Target target,
      Contestant.Async client,
      FrontMeter meter)
      throws IOException, InterruptedException {
    long[] phases = phases();
    int calls = (int) (phases[2] * PER_SECOND / 1_000);
    AnswerTimes answers = new AnswerTimes(calls);
    Tally others = new Tally();
    CountDownLatch unseen = new CountDownLatch(calls);
    List<Timeline.Turn> turns = new ArrayList<>();
    long start = System.nanoTime();
    OpenLoop.Schedule schedule = new OpenLoop.Schedule(start, PER_SECOND);
    try (Callers none = Callers.forMode(Mode.ASYNC)) {
      for (int i = 0; i < calls; i++) {
        long intended = schedule.startOf(i);
        LockSupport.parkNanos(intended - System.nanoTime());
        long now = (intended - start) / 1_000_000;
        if (turns.size() < 2 && now >= phases[turns.size()]) {
          long to = turns.isEmpty() ? 5_000 : 20_000;
          target.turnB(to);
          turns.add(new Timeline.Turn(now, to));
        }
        if (i % ONLY_A == 0) {
          answers.start(client, intended);
        } else {
          OneCall.start(client, none, intended, others, unseen);
        }
      }
    }
    Thread.sleep(SLOT_MILLIS);
    long end = System.nanoTime();
    recorder.add(
        new Timeline(
            kind.label(),
            contestant.library(),
            contestant.mode(),
            contestant.wire(),
            answers.slots(start, phases[2], SLOT_MILLIS),
            turns));
    return meter.stop(answers.measured(end - start), front.seen());
  }
}
