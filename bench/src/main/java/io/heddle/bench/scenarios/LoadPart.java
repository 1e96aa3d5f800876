package io.heddle.bench.scenarios;

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
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The scenarios in which each contestant calls one server: closed loops, open loops, and many calls
 * at once. Contestants of one library take turns, and in closed loops the JDK's own client with
 * them.
 */
public final class LoadPart {

  /** Of a closed loop's client. */
  public static final long HEAP_MEGABYTES = 1_500;

  private static final long MOST_HELD_HEAP_MEGABYTES = 8_000;

  /** How long system calls are counted. */
  private static final Duration TRACED = Duration.ofSeconds(2);

  /** Fewer than a server's streams for each connection, so that one connection does for all. */
  private static final int CALLS_PER_ADDRESS = 800;

  private final Choice choice;
  private final Fit fit;
  private final TargetProcess server;
  private final Recorder recorder;

  /**
   * What is to be done.
   *
   * @param run scenarios that are run
   * @param shown those, and others of which the report says that they are not
   */
  public record Choice(
      Size size, List<Library> libraries, Set<LoadScenario> run, Set<LoadScenario> shown) {

    /**
     * Of what is asked for.
     *
     * @param named scenarios, whatever the size; null for those of the size
     */
    public static Choice of(Size size, List<Library> libraries, @Nullable Set<LoadScenario> named) {
      return named == null
          ? new Choice(size, libraries, LoadScenario.in(size), EnumSet.allOf(LoadScenario.class))
          : new Choice(size, libraries, named, named);
    }
  }

  public LoadPart(Choice choice, Fit fit, TargetProcess server, Recorder recorder) {
    this.choice = choice;
    this.fit = fit;
    this.server = server;
    this.recorder = recorder;
  }

  /** How many steps {@link #run} will take. */
  public int steps() {
    int steps = 0;
    for (Library library : choice.libraries()) {
      for (LoadScenario scenario : choice.run()) {
        int contestants = contestants(choice.size(), scenario, library).size();
        steps +=
            (contestants + (hasBaseline(scenario, library) ? 1 : 0))
                * (scenario.rounds(choice.size()) + (scenario.isClosed() ? 1 : 0));
      }
    }
    return steps;
  }

  /** Those of a library that a scenario has in this size. */
  public static List<Contestant> contestants(Size size, LoadScenario scenario, Library library) {
    return library.all().stream()
        .filter(each -> Matrix.isIn(size, each))
        .filter(each -> size != Size.PROMISES || !scenario.isFew() || each.mode() != Mode.ASYNC)
        .toList();
  }

  /** In turn with each library where there are ratios; else once, if it is not there anyway. */
  private boolean hasBaseline(LoadScenario scenario, Library library) {
    List<Library> all = choice.libraries();
    return scenario.isClosed()
        ? library != Library.JDK
        : !all.contains(Library.JDK) && library == all.get(0);
  }

  public void run() throws InterruptedException {
    for (Library library : choice.libraries()) {
      words(choice, library, "").stream()
          .filter(each -> !each.absence().isEmpty())
          .forEach(recorder::add);
      try (Crew crew = new Crew(HEAP_MEGABYTES)) {
        for (LoadScenario scenario : choice.run()) {
          if (scenario != LoadScenario.LONG) {
            run(scenario, library, crew);
          }
        }
      }
      if (choice.run().contains(LoadScenario.LONG)) {
        long heap =
            Math.min(MOST_HELD_HEAP_MEGABYTES, fit.machine().availableBytes() / 2 / (1 << 20));
        try (Crew crew = new Crew(heap)) {
          run(LoadScenario.LONG, library, crew);
        }
      }
    }
  }

  private void run(LoadScenario scenario, Library library, Crew crew) throws InterruptedException {
    Size size = choice.size();
    Turns turns = new Turns(scenario.key(), crew, recorder);
    for (Contestant each : contestants(size, scenario, library)) {
      add(turns, "", scenario, each);
    }
    if (hasBaseline(scenario, library)) {
      add(turns, Cell.beside(library), scenario, Turns.BASELINE);
    }
    turns.run(scenario.rounds(size));
    if (scenario == LoadScenario.CLOSED_100) {
      turns.trace(size.pick(Duration.ofMillis(100), TRACED, TRACED));
    }
  }

  private void add(Turns turns, String variant, LoadScenario scenario, Contestant contestant) {
    Size size = choice.size();
    int calls = scenario.calls(size);
    int addresses =
        scenario.isClosed()
            ? 1
            : Math.clamp(calls / CALLS_PER_ADDRESS + 1, 1, TargetProcess.ADDRESSES);
    List<String> notes = new ArrayList<>();
    if (calls < scenario.fullCalls()) {
      notes.add(
          String.format("%,d instead of %,d calls: %s", calls, scenario.fullCalls(), size.label()));
    }
    Fit.Plan plan = fit.plan(contestant, calls, addresses);
    if (!plan.note().isEmpty()) {
      notes.add(plan.note());
      recorder.note(scenario.key() + ": " + plan.note());
    }
    if (plan.isRefused()) {
      recorder.add(
          new Cell(
              scenario.key(),
              variant,
              contestant.library(),
              contestant.mode(),
              contestant.wire(),
              List.of(),
              String.join("; ", notes),
              plan.note()));
      return;
    }
    List<URI> uris =
        scenario.isTls()
            ? List.of(server.tlsUri().resolve(scenario.path()))
            : server.uris(addresses, scenario.path());
    turns.add(
        variant,
        Task.of(
            contestant,
            new Ask(uris, Ask.GET, false),
            scenario.load(size, plan.calls()),
            new Target(server.uri(), server.pid())),
        notes);
  }

  // ---- words in the place of figures ----------------------------------------------------------

  /** Why there can be no figures; empty if there can. */
  public static String absence(
      Choice choice, LoadScenario scenario, Library library, Mode mode, Wire wire) {
    String impossible = Matrix.impossible(library, mode, wire);
    if (!impossible.isEmpty()) {
      return impossible;
    }
    boolean isIn =
        choice.run().contains(scenario)
            && contestants(choice.size(), scenario, library).stream()
                .anyMatch(each -> each.mode() == mode && each.wire() == wire);
    return isIn ? "" : Matrix.NOT_IN_SIZE;
  }

  /** Words for those that have no cell, since the run was interrupted before. */
  public static List<Cell> notReached(Choice choice, List<Cell> reached) {
    return choice.libraries().stream()
        .flatMap(library -> words(choice, library, Matrix.NOT_REACHED).stream())
        .filter(words -> reached.stream().noneMatch(words::isSameCell))
        .toList();
  }

  /** A cell for each mode on each wire, with what it says if nothing else is to be said. */
  private static List<Cell> words(Choice choice, Library library, String otherwise) {
    List<Cell> cells = new ArrayList<>();
    for (LoadScenario scenario : choice.shown()) {
      for (Mode mode : Mode.values()) {
        for (Wire wire : Wire.values()) {
          String why = absence(choice, scenario, library, mode, wire);
          String words = why.isEmpty() ? otherwise : why;
          cells.add(new Cell(scenario.key(), "", library, mode, wire, List.of(), "", words));
        }
      }
    }
    return cells;
  }
}
