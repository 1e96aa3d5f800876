package io.heddle.bench.scenarios;

import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Syscalls;
import io.heddle.bench.measure.Timeline;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Gathers what the parts of a run find, and shows how far they are. Any thread may ask it. */
public final class Recorder {

  private final PrintStream out;
  private final List<Cell> cells = new ArrayList<>();
  private final List<Timeline> timelines = new ArrayList<>();
  private final List<Syscalls> syscalls = new ArrayList<>();
  private final Map<String, String> jvms = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();
  private final Map<String, ProgressLine> lines = new HashMap<>(); // each tells once, or goes on
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
    lines
        .computeIfAbsent(what, each -> new ProgressLine(out, each))
        .accept(steps == 0 ? 0 : Math.min(1, done / (double) steps));
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

  /** Keeps what was counted, unless it is too late. */
  synchronized void add(Syscalls counted) {
    if (!isClosed) {
      syscalls.add(counted);
    }
  }

  /** Keeps what a JVM runs with, if it says so: the first of a kind speaks for all. */
  public synchronized void jvm(String what, String flags) {
    if (!flags.isEmpty()) {
      jvms.putIfAbsent(what, flags);
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

  public synchronized List<Syscalls> syscalls() {
    return List.copyOf(syscalls);
  }

  public synchronized Map<String, String> jvms() {
    return Collections.unmodifiableMap(new LinkedHashMap<>(jvms));
  }

  public synchronized List<String> notes() {
    return List.copyOf(notes);
  }
}
