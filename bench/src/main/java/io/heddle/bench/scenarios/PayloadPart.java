package io.heddle.bench.scenarios;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

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
import io.heddle.bench.measure.Cell;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Bodies of several lengths, sent and received, plain and over TLS, on both wires: each client
 * beside the JDK's own. For each kind of body the clients take turns.
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
  private static final Duration LONG_TIME = ofMillis(1_500);
  private static final Duration LONG_WARM_UP = ofSeconds(6);

  /** A kind of body. */
  public record Body(boolean isPost, int bytes, boolean isTls) {

    public String variant() {
      return (isPost ? "POST " : "GET ") + length() + (isTls ? " TLS" : " plain");
    }

    private String length() {
      return bytes < 1024 ? bytes + " B" : bytes < 1 << 20 ? (bytes >> 10) + " KiB" : "1 MiB";
    }
  }

  /**
   * How each kind of body is measured.
   *
   * @param rounds one makes no interval; there are many bodies
   * @param first how long a client may warm up in a JVM that is new
   * @param next … in one that has run, with a body of another kind
   */
  private record Way(int rounds, Duration round, Duration first, Duration next) {

    static Way of(Size size) {
      return switch (size) {
        case SMOKE -> new Way(1, ofMillis(150), ofMillis(200), ofMillis(20));
        case DEFAULT -> new Way(1, ofMillis(250), ofMillis(2_500), ofMillis(80));
        case PROMISES ->
            new Way(
                Turns.ROUNDS,
                Turns.MEASURED.dividedBy(Turns.ROUNDS),
                Turns.WARM_UP,
                Turns.WARM_UP.dividedBy(3));
        case FULL -> new Way(Turns.ROUNDS, ofSeconds(2), Turns.WARM_UP, Turns.WARM_UP);
      };
    }
  }

  private final Size size;
  private final Way way;
  private final TargetProcess server;
  private final Recorder recorder;
  private final List<Library> libraries;

  public PayloadPart(Size size, TargetProcess server, Recorder recorder, List<Library> libraries) {
    this.size = size;
    this.way = Way.of(size);
    this.server = server;
    this.recorder = recorder;
    this.libraries = libraries;
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
    return switch (size) {
      case SMOKE -> body.bytes() == 1 << 10;
      case DEFAULT -> body.bytes() == 1 << 10 || (body.bytes() == 64 << 10 && !body.isTls());
      case PROMISES -> body.bytes() > 1 && !body.isTls();
      case FULL -> true;
    };
  }

  /** Stock and ours, and the JDK's own client in any case, as a baseline. */
  private List<Contestant> contestants(Wire wire) {
    return Library.MEASURED.stream()
        .filter(library -> libraries.contains(library) || library == Library.JDK)
        .flatMap(library -> library.all().stream())
        .filter(
            each ->
                each.mode() == Mode.STOCK_VIRTUAL
                    || (each.isOurs() && libraries.contains(each.library())))
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
  public int steps() {
    int bodies = (int) bodies().stream().filter(this::isIn).count();
    int steps = 0;
    for (Wire wire : Wire.values()) {
      steps += contestants(wire).size() * bodies * (way.rounds() + 1);
    }
    return steps;
  }

  /** How many steps {@link #runLong} will take. */
  public int longSteps() {
    return contestants(Wire.HTTP_1).size() * 2 * (Turns.ROUNDS + 1);
  }

  public void run() throws InterruptedException {
    for (Wire wire : Wire.values()) {
      noteAbsences(wire);
      List<Contestant> contestants = contestants(wire);
      boolean isNew = true;
      try (Crew crew = new Crew(HEAP_MEGABYTES)) {
        for (Body body : bodies()) {
          if (isIn(body)) {
            run(
                crew,
                contestants,
                SCENARIO,
                body.variant(),
                way.rounds(),
                ask(body),
                Task.Load.closed(CALLERS, way.round(), isNew ? way.first() : way.next()));
            isNew = false;
          }
        }
      }
    }
  }

  /** One body of 200 MiB at a time, as the stock client and as Heddle has it. */
  public void runLong() throws InterruptedException {
    List<Contestant> contestants = contestants(Wire.HTTP_1);
    Ask get = new Ask(List.of(server.uri().resolve("/?bytes=" + LONG_BYTES)), Ask.GET, true);
    Ask post = new Ask(List.of(server.uri().resolve("/?bytes=1")), LONG_BYTES, true);
    Task.Load load = Task.Load.closed(1, LONG_TIME, LONG_WARM_UP);
    try (Crew crew = new Crew(LONG_HEAP_MEGABYTES)) {
      run(crew, contestants, LONG, LONG_GET, Turns.ROUNDS, get, load);
      run(crew, contestants, LONG, LONG_POST, Turns.ROUNDS, post, load);
    }
  }

  private Ask ask(Body body) {
    URI base = body.isTls() ? server.tlsUri() : server.uri();
    return body.isPost()
        ? new Ask(List.of(base.resolve("/?bytes=1")), body.bytes(), false)
        : new Ask(List.of(base.resolve("/?bytes=" + body.bytes())), Ask.GET, false);
  }

  private void noteAbsences(Wire wire) {
    for (Library library : libraries) {
      for (Mode mode : List.of(Mode.STOCK_VIRTUAL, Mode.HEDDLE)) {
        String why = Matrix.impossible(library, mode, wire);
        boolean isLeftOut =
            why.isEmpty()
                && contestants(wire).stream()
                    .noneMatch(each -> each.library() == library && each.mode() == mode);
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
      Crew crew,
      List<Contestant> contestants,
      String scenario,
      String variant,
      int rounds,
      Ask ask,
      Task.Load load)
      throws InterruptedException {
    Turns turns = new Turns(scenario, crew, recorder);
    for (Contestant each : contestants) {
      Target target = new Target(server.uri(), server.pid());
      turns.add(variant, Task.of(each, ask, load, target), List.of());
    }
    turns.run(rounds);
  }
}
