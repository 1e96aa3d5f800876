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
import io.heddle.bench.load.WorkerProcess;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The scenarios in which each contestant calls one server: closed loops, open loops, and many calls
 * at once. Contestants of one library take turns, round by round.
 */
public final class LoadPart {

  private static final long HEAP_MEGABYTES = 1_500;
  private static final long MOST_HELD_HEAP_MEGABYTES = 8_000;

  /** Fewer than a server's streams for each connection, so that one connection does for all. */
  private static final int CALLS_PER_ADDRESS = 800;

  private final Size size;
  private final Fit fit;
  private final TargetProcess server;
  private final Recorder recorder;
  private final Set<LoadScenario> scenarios;

  public LoadPart(
      Size size, Fit fit, TargetProcess server, Recorder recorder, Set<LoadScenario> scenarios) {
    this.size = size;
    this.fit = fit;
    this.server = server;
    this.recorder = recorder;
    this.scenarios = scenarios;
  }

  /** How many steps {@link #run} will take. */
  public int steps(List<Library> libraries) {
    int steps = 0;
    for (Library library : libraries) {
      for (LoadScenario scenario : scenarios) {
        if (scenario.isIn(size)) {
          steps += contestants(library).size() * rounds(scenario);
        }
      }
    }
    return steps;
  }

  private int rounds(LoadScenario scenario) {
    return scenario.warmUpRounds(size) + scenario.rounds(size);
  }

  private List<Contestant> contestants(Library library) {
    return contestants(size, library);
  }

  public static List<Contestant> contestants(Size size, Library library) {
    return library.all().stream().filter(each -> Matrix.isIn(size, each)).toList();
  }

  public void run(List<Library> libraries) throws InterruptedException {
    for (Library library : libraries) {
      noteAbsences(library);
      try (Crew crew = new Crew(HEAP_MEGABYTES)) {
        for (LoadScenario scenario : scenarios) {
          if (scenario.isIn(size) && scenario != LoadScenario.LONG) {
            run(scenario, contestants(library), crew);
          }
        }
      }
      if (scenarios.contains(LoadScenario.LONG)) {
        long heap =
            Math.min(MOST_HELD_HEAP_MEGABYTES, fit.machine().availableBytes() / 2 / (1 << 20));
        try (Crew crew = new Crew(heap)) {
          run(LoadScenario.LONG, contestants(library), crew);
        }
      }
    }
  }

  private void noteAbsences(Library library) {
    for (LoadScenario scenario : scenarios) {
      for (Mode mode : Mode.values()) {
        for (Wire wire : Wire.values()) {
          String why = absence(size, scenario, library, mode, wire);
          if (!why.isEmpty()) {
            recorder.add(new Cell(scenario.key(), "", library, mode, wire, List.of(), "", why));
          }
        }
      }
    }
  }

  /** Why there can be no figures; empty if there can. */
  public static String absence(
      Size size, LoadScenario scenario, Library library, Mode mode, Wire wire) {
    String impossible = Matrix.impossible(library, mode, wire);
    if (!impossible.isEmpty()) {
      return impossible;
    }
    boolean isIn =
        scenario.isIn(size)
            && contestants(size, library).stream()
                .anyMatch(each -> each.mode() == mode && each.wire() == wire);
    return isIn ? "" : Matrix.NOT_IN_SIZE;
  }

  /** Words for those that have no cell, since the run was interrupted before. */
  public static List<Cell> notReached(
      List<Cell> reached, Size size, List<Library> libraries, Set<LoadScenario> scenarios) {
    List<Cell> rest = new ArrayList<>();
    for (Library library : libraries) {
      for (LoadScenario scenario : scenarios) {
        for (Mode mode : Mode.values()) {
          for (Wire wire : Wire.values()) {
            String absence = absence(size, scenario, library, mode, wire);
            Cell words =
                new Cell(
                    scenario.key(),
                    "",
                    library,
                    mode,
                    wire,
                    List.of(),
                    "",
                    absence.isEmpty() ? Matrix.NOT_REACHED : absence);
            if (reached.stream().noneMatch(words::isSameCell)) {
              rest.add(words);
            }
          }
        }
      }
    }
    return rest;
  }

  private void run(LoadScenario scenario, List<Contestant> contestants, Crew crew)
      throws InterruptedException {
    List<Trial> trials = contestants.stream().map(each -> new Trial(scenario, each, crew)).toList();
    recorder.measuring(() -> trials.stream().map(Trial::cell).toList());
    for (int round = 0; round < rounds(scenario); round++) {
      boolean counts = round >= scenario.warmUpRounds(size);
      for (Trial trial : trials) {
        trial.round(counts);
      }
    }
    recorder.measuring(List::of);
    trials.forEach(trial -> recorder.add(trial.cell()));
  }

  /** One contestant in one scenario. */
  private final class Trial {
    private final LoadScenario scenario;
    private final Contestant contestant;
    private final Crew crew;
    private final Fit.Plan plan;
    private final Ask ask;
    private final List<Figures> rounds = new CopyOnWriteArrayList<>();
    private volatile String failure = "";
    private boolean isOver;

    Trial(LoadScenario scenario, Contestant contestant, Crew crew) {
      this.scenario = scenario;
      this.contestant = contestant;
      this.crew = crew;
      int calls = scenario.calls(size);
      int addresses =
          scenario.isClosed()
              ? 1
              : Math.clamp(calls / CALLS_PER_ADDRESS + 1, 1, TargetProcess.ADDRESSES);
      this.plan = fit.plan(contestant, calls, addresses);
      this.ask = new Ask(server.uris(addresses, scenario.path()), Ask.GET, false);
    }

    /** Of which the figures count, or which only warms up. */
    void round(boolean counts) throws InterruptedException {
      recorder.step(scenario.key() + ": " + contestant.name());
      if (isOver || plan.isRefused()) {
        return;
      }
      Task task =
          new Task(
              contestant.library(),
              contestant.mode(),
              contestant.wire(),
              ask,
              scenario.load(size, plan.calls(), !crew.isWarm(contestant)),
              new Target(server.uri(), server.pid()));
      WorkerProcess.Outcome outcome = crew.run(contestant, task);
      if (outcome.figures() == null) {
        failure = String.valueOf(outcome.failure());
      } else if (counts) {
        rounds.add(outcome.figures());
      }
      isOver = outcome.isLost(); // what stalls once need not do so again
      if (scenario == LoadScenario.LONG) {
        crew.dismiss(contestant); // memory of the next is measured from the start
      }
    }

    Cell cell() {
      List<String> notes = new ArrayList<>();
      if (scenario.calls(size) < scenario.fullCalls()) {
        notes.add(
            String.format(
                "%,d instead of %,d calls: %s",
                scenario.calls(size), scenario.fullCalls(), size.label()));
      }
      if (!plan.note().isEmpty()) {
        notes.add(plan.note());
        recorder.note(scenario.key() + ": " + plan.note());
      }
      if (!failure.isEmpty()) {
        notes.add(failure);
      }
      String absence = rounds.isEmpty() ? plan.isRefused() ? plan.note() : failure : "";
      return new Cell(
          scenario.key(),
          "",
          contestant.library(),
          contestant.mode(),
          contestant.wire(),
          rounds,
          String.join("; ", notes),
          absence);
    }
  }
}
