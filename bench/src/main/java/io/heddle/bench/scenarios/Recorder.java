package io.heddle.bench.scenarios;

import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Timeline;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Gathers what the parts of a run find, and shows how far they are. Any thread may ask it. */
public final class Recorder {

  private final PrintStream out;
  private final List<Cell> cells = new ArrayList<>();
  private final List<Timeline> timelines = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private int steps;
  private int done;
  private boolean isClosed;
  private Supplier<List<Cell>> current = List::of;

  public Recorder(PrintStream out) {
    this.out = out;
  }

  /** So many further steps are to come. */
  public synchronized void expect(int more) {
    steps += more;
  }

  /** A step begins. */
  synchronized void step(String what) {
    new ProgressLine(out, what).accept(steps == 0 ? 0 : Math.min(1, done / (double) steps));
    done++;
  }

  /** Keeps a cell, unless it is too late. */
  synchronized void add(Cell cell) {
    if (!isClosed) {
      cells.add(cell);
    }
  }

  /** Keeps a timeline, unless it is too late. */
  synchronized void add(Timeline timeline) {
    if (!isClosed) {
      timelines.add(timeline);
    }
  }

  /** What is being measured now, round by round, to be kept if there is no time for the rest. */
  synchronized void measuring(Supplier<List<Cell>> cells) {
    current = cells;
  }

  /**
   * Keeps what is being measured, as far as it came. What comes from now on is the end of processes
   * that were ended, and no finding.
   */
  public synchronized void close() {
    if (!isClosed) {
      current.get().stream().filter(cell -> !cell.rounds().isEmpty()).forEach(cells::add);
      isClosed = true;
    }
  }

  public synchronized boolean isClosed() {
    return isClosed;
  }

  public synchronized List<Timeline> timelines() {
    return List.copyOf(timelines);
  }

  /** What the reader should know; said once, however often it is told. */
  synchronized void note(String note) {
    if (!notes.contains(note)) {
      notes.add(note);
      ProgressLine.clear(out);
      out.println(note);
    }
  }

  public synchronized List<Cell> cells() {
    return List.copyOf(cells);
  }

  public synchronized List<String> notes() {
    return List.copyOf(notes);
  }
}
