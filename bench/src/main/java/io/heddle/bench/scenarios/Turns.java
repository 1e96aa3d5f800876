package io.heddle.bench.scenarios;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.Crew;
import io.heddle.bench.load.Strace;
import io.heddle.bench.load.Task;
import io.heddle.bench.load.WorkerProcess;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Syscalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Contestants that are measured in turn, round by round, each in its own JVM, and the cell that
 * comes of each: the one method of all commands. All are warm before the first round, so that its
 * rounds are as near to each other as later ones. Every other round goes the other way round, so
 * that a machine that gets slower favours nobody.
 */
public final class Turns {

  /** As few as an interval with a confidence of more than 95 % takes: {@code Spread}. */
  public static final int ROUNDS = 6;

  /** All rounds of a contestant together. */
  public static final Duration MEASURED = Duration.ofSeconds(5);

  /** How long a client may warm up. On two processors it takes 5 to 10 s in a new JVM. */
  public static final Duration WARM_UP = Duration.ofSeconds(15);

  /** The JDK's own client: a baseline for all others. */
  public static final Contestant BASELINE =
      Task.contestant(Library.JDK, Mode.STOCK_VIRTUAL, Wire.HTTP_1);

  private final String scenario;
  private final Crew crew;
  private final Recorder recorder;
  private final List<Turn> turns = new ArrayList<>();

  /**
   * Nobody yet.
   *
   * @param scenario its key
   */
  public Turns(String scenario, Crew crew, Recorder recorder) {
    this.scenario = scenario;
    this.crew = crew;
    this.recorder = recorder;
  }

  /**
   * Adds one.
   *
   * @param variant within the scenario; empty if it has none
   * @param task the same in each round
   * @param notes what a reader should know of it
   */
  public void add(String variant, Task task, List<String> notes) {
    turns.add(new Turn(variant, task, notes));
  }

  /** Measures, and keeps what was found. */
  public void run(int rounds) throws InterruptedException {
    recorder.measuring(() -> turns.stream().map(Turn::cell).toList());
    for (Turn turn : turns) {
      turn.warmUp();
    }
    List<Turn> order = new ArrayList<>(turns);
    for (int round = 0; round < rounds; round++) {
      for (Turn turn : order) {
        turn.measure();
      }
      Collections.reverse(order);
    }
    recorder.measuring(List::of);
    turns.forEach(turn -> recorder.add(turn.cell()));
  }

  /** Counts each one's system calls, if that can be done here. */
  void trace(Duration time) throws InterruptedException {
    if (!Strace.isThere()) {
      recorder.note("system calls are not counted: there is no strace on the PATH");
      return;
    }
    for (Turn turn : turns) {
      String refusal = turn.trace(time);
      if (refusal != null) {
        recorder.note("system calls are not counted: " + refusal);
        return;
      }
    }
  }

  /** One contestant's. */
  private final class Turn {
    private final String variant;
    private final Task task;
    private final Contestant contestant;
    private final List<String> notes;
    private final List<Figures> rounds = new CopyOnWriteArrayList<>();
    private volatile String failure = "";
    private boolean isOver;

    Turn(String variant, Task task, List<String> notes) {
      this.variant = variant;
      this.task = task;
      this.contestant = task.contestant();
      this.notes = notes;
    }

    void warmUp() throws InterruptedException {
      if (task.load().isClosed()) {
        step(task.warmUp(), ", warm-up");
      }
    }

    void measure() throws InterruptedException {
      step(task, "");
      if (task.load().isHeld()) {
        crew.dismiss(contestant); // memory of the next is measured from the start
      }
    }

    private void step(Task task, String more) throws InterruptedException {
      String where = scenario + (variant.isEmpty() ? "" : " " + variant);
      recorder.step(where + ": " + contestant.name() + more);
      if (isOver) {
        return;
      }
      WorkerProcess.Outcome outcome = run(task);
      if (outcome.failure() != null) {
        failure = outcome.failure();
      }
      if (outcome.figures() != null) {
        rounds.add(outcome.figures());
      }
      isOver = outcome.isLost(); // what stalls once need not do so again
    }

    /** Why it cannot; null if it can. */
    @Nullable String trace(Duration time) throws InterruptedException {
      if (isOver) {
        return null;
      }
      WorkerProcess.Outcome outcome = run(task.traced(time));
      Strace.Counted counted = outcome.counted();
      if (counted == null) {
        return String.valueOf(outcome.failure());
      }
      recorder.add(new Syscalls(cell(List.of(), "", ""), counted.calls(), counted.counts()));
      return null;
    }

    private WorkerProcess.Outcome run(Task task) throws InterruptedException {
      WorkerProcess.Outcome outcome = crew.run(task);
      recorder.jvm("Clients' JVMs, " + crew.heap(), outcome.jvm());
      return outcome;
    }

    Cell cell() {
      List<String> all = new ArrayList<>(notes);
      double bound = task.load().warmUpMillis() / 1e3;
      if (bound > 0 && rounds.stream().anyMatch(each -> each.warmUpSeconds() >= bound)) {
        all.add(String.format("not warm after %.1f s", bound));
      }
      if (!failure.isEmpty()) {
        all.add(failure);
      }
      return cell(rounds, String.join("; ", all), rounds.isEmpty() ? failure : "");
    }

    private Cell cell(List<Figures> figures, String note, String absence) {
      return new Cell(
          scenario,
          variant,
          contestant.library(),
          contestant.mode(),
          contestant.wire(),
          figures,
          note,
          absence);
    }
  }
}
