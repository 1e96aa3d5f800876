package io.heddle.bench.scenarios;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.OkHttpContestants;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.Crew;
import io.heddle.bench.load.Target;
import io.heddle.bench.load.TargetProcess;
import io.heddle.bench.load.Task;
import io.heddle.bench.load.WorkerProcess;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Bodies of several lengths, sent and received, plain and over TLS, on both wires: each client
 * beside Jetty's. For each kind of body the clients take turns.
 *
 * <p>And one body of 200 MiB at a time, which is read piece by piece.
 */
public final class PayloadPart {

  public static final String SCENARIO = "payload";
  public static final String LONG = "long-body";
  public static final String LONG_GET = "GET 200 MiB";
  public static final String LONG_POST = "POST 200 MiB";

  private static final int CALLERS = 16;
  private static final long HEAP_MEGABYTES = 768;
  private static final long LONG_HEAP_MEGABYTES = 1_500;
  private static final int LONG_BYTES = 200 << 20;
  private static final int LONG_MILLIS = 3_000;
  private static final int LONG_ROUNDS = 3;

  /** A kind of body. */
  public record Body(boolean isPost, int bytes, boolean isTls) {

    public String variant() {
      return (isPost ? "POST " : "GET ") + length() + (isTls ? " TLS" : " plain");
    }

    private String length() {
      return bytes < 1024 ? bytes + " B" : bytes < 1 << 20 ? (bytes >> 10) + " KiB" : "1 MiB";
    }
  }

  private final Size size;
  private final TargetProcess server;
  private final Recorder recorder;

  public PayloadPart(Size size, TargetProcess server, Recorder recorder) {
    this.size = size;
    this.server = server;
    this.recorder = recorder;
  }

  /** The kinds of bodies in all sizes, those of the full size too. */
  public static List<Body> bodies() {
    List<Body> bodies = new ArrayList<>();
    for (boolean isTls : new boolean[] {false, true}) {
      for (boolean isPost : new boolean[] {false, true}) {
        for (int bytes : new int[] {1, 1 << 10, 64 << 10, 1 << 20}) {
          bodies.add(new Body(isPost, bytes, isTls));
        }
      }
    }
    return bodies;
  }

  private boolean isIn(Body body) {
    boolean isIn = body.bytes() == 1 << 10 || (body.bytes() == 64 << 10 && !body.isTls());
    return size.pick(body.bytes() == 1 << 10, isIn, true);
  }

  private static List<Contestant> contestants(List<Library> libraries, Wire wire) {
    return libraries.stream()
        .flatMap(library -> library.all().stream())
        .filter(each -> each.mode() == Mode.HEDDLE || each.mode() == Mode.STOCK_VIRTUAL)
        .filter(each -> each.wire() == wire)
        .filter(PayloadPart::ends)
        .toList();
  }

  /** On older JDKs this one may stall for good. */
  private static boolean ends(Contestant contestant) {
    return OkHttpContestants.STOCK_HTTP2_ENDS
        || contestant.isOurs()
        || contestant.library() != Library.OKHTTP
        || contestant.wire() != Wire.HTTP_2;
  }

  /** How many steps {@link #run} will take. */
  public int steps(List<Library> libraries) {
    int bodies = (int) bodies().stream().filter(this::isIn).count();
    int steps = 0;
    for (Wire wire : Wire.values()) {
      steps += contestants(libraries, wire).size() * bodies * size.pick(1, 1, 3);
    }
    return steps;
  }

  /** How many steps {@link #runLong} will take. */
  public int longSteps(List<Library> libraries) {
    return longContestants(libraries).size() * 2 * LONG_ROUNDS;
  }

  private List<Contestant> longContestants(List<Library> libraries) {
    return contestants(libraries, Wire.HTTP_1).stream()
        .filter(each -> size != Size.PROMISES || Library.bridged().contains(each.library()))
        .toList();
  }

  public void run(List<Library> libraries) throws InterruptedException {
    for (Wire wire : Wire.values()) {
      noteAbsences(libraries, wire);
      List<Contestant> contestants = contestants(libraries, wire);
      try (Crew crew = new Crew(HEAP_MEGABYTES)) {
        for (Body body : bodies()) {
          if (isIn(body)) {
            run(
                contestants,
                crew,
                ask(body),
                SCENARIO,
                body.variant(),
                CALLERS,
                size.pick(1, 1, 3));
          }
        }
      }
    }
  }

  /** One body of 200 MiB at a time, as the stock client and as Heddle has it. */
  public void runLong(List<Library> libraries) throws InterruptedException {
    List<Contestant> contestants = longContestants(libraries);
    Ask get = new Ask(List.of(server.uri().resolve("/?bytes=" + LONG_BYTES)), Ask.GET, true);
    Ask post = new Ask(List.of(server.uri().resolve("/?bytes=1")), LONG_BYTES, true);
    try (Crew crew = new Crew(LONG_HEAP_MEGABYTES)) {
      run(contestants, crew, get, LONG, LONG_GET, 1, LONG_ROUNDS);
      run(contestants, crew, post, LONG, LONG_POST, 1, LONG_ROUNDS);
    }
  }

  private Ask ask(Body body) {
    URI base = body.isTls() ? server.tlsUri() : server.uri();
    return body.isPost()
        ? new Ask(List.of(base.resolve("/?bytes=1")), body.bytes(), false)
        : new Ask(List.of(base.resolve("/?bytes=" + body.bytes())), Ask.GET, false);
  }

  private void noteAbsences(List<Library> libraries, Wire wire) {
    for (Library library : libraries) {
      for (Mode mode : List.of(Mode.STOCK_VIRTUAL, Mode.HEDDLE)) {
        String why = Matrix.impossible(library, mode, wire);
        boolean isLeftOut =
            why.isEmpty()
                && contestants(List.of(library), wire).stream()
                    .noneMatch(each -> each.mode() == mode);
        for (Body body : bodies()) {
          String words = isLeftOut ? OkHttpContestants.leftOut() : why;
          if (words.isEmpty() && !isIn(body)) {
            words = Matrix.NOT_IN_SIZE;
          }
          if (!words.isEmpty()) {
            recorder.add(
                new Cell(SCENARIO, body.variant(), library, mode, wire, List.of(), "", words));
          }
        }
      }
    }
  }

  private void run(
      List<Contestant> contestants,
      Crew crew,
      Ask ask,
      String scenario,
      String variant,
      int callers,
      int rounds)
      throws InterruptedException {
    Map<Contestant, List<Figures>> figures = new LinkedHashMap<>();
    Map<Contestant, String> failures = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (Contestant contestant : contestants) {
        recorder.step(scenario + " " + variant + ": " + contestant.name());
        WorkerProcess.Outcome outcome =
            crew.run(
                contestant, task(contestant, ask, callers, round == 0, crew.isWarm(contestant)));
        Figures found = outcome.figures();
        if (found != null) {
          figures.computeIfAbsent(contestant, each -> new ArrayList<>()).add(found);
        } else {
          failures.put(contestant, String.valueOf(outcome.failure()));
        }
      }
    }
    for (Contestant each : contestants) {
      List<Figures> found = figures.getOrDefault(each, List.of());
      String failure = failures.getOrDefault(each, "");
      recorder.add(
          new Cell(
              scenario,
              variant,
              each.library(),
              each.mode(),
              each.wire(),
              found,
              failure,
              found.isEmpty() ? failure : ""));
    }
  }

  private Task task(
      Contestant contestant, Ask ask, int callers, boolean isFirstRound, boolean isWarm) {
    Duration measured = Duration.ofMillis(callers == 1 ? LONG_MILLIS : size.pick(150, 250, 2_000));
    Duration warmUp =
        Duration.ofMillis(
            !isWarm ? size.pick(200, 2_500, 4_000) : isFirstRound ? size.pick(20, 80, 1_000) : 0);
    return new Task(
        contestant.library(),
        contestant.mode(),
        contestant.wire(),
        ask,
        Task.Load.closed(callers, measured.toMillis(), warmUp.toMillis()),
        new Target(server.uri(), server.pid()));
  }
}
