package io.heddle.bench;

import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.MeasuredLibrary;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.load.TargetProcess;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Figures;
import io.heddle.bench.measure.Machine;
import io.heddle.bench.measure.RunRecord;
import io.heddle.bench.measure.Versions;
import io.heddle.bench.report.ReportFiles;
import io.heddle.bench.scenarios.Fit;
import io.heddle.bench.scenarios.LoadPart;
import io.heddle.bench.scenarios.LoadScenario;
import io.heddle.bench.scenarios.LoomPart;
import io.heddle.bench.scenarios.PayloadPart;
import io.heddle.bench.scenarios.ProgressLine;
import io.heddle.bench.scenarios.Recorder;
import io.heddle.bench.scenarios.ServicePart;
import io.heddle.bench.scenarios.Size;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Everything: all scenarios, and a report. */
@Command(
    name = "report",
    description =
        "Runs all scenarios and writes report.html, run.json, cells.csv and ratios.csv."
            + " Interrupted, it writes what was measured. Ends with 1 if Heddle pinned a carrier.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ReportCommand implements Callable<Integer> {

  @ArgGroup(exclusive = true)
  private @Nullable Sizes chosenSize;

  @Option(
      names = "--part",
      split = ",",
      description = "what to run, of ${COMPLETION-CANDIDATES} (default: what the size has)")
  private @Nullable Set<Part> chosenParts;

  @Option(
      names = "--scenario",
      split = ",",
      description =
          "which of part LOAD, of ${COMPLETION-CANDIDATES}, whatever the size (default: what the"
              + " size has)")
  private @Nullable Set<LoadScenario> chosenScenarios;

  @Option(
      names = "--library",
      split = ",",
      converter = MeasuredLibrary.class,
      completionCandidates = MeasuredLibrary.class,
      description = "which clients, of ${COMPLETION-CANDIDATES} (default: all)")
  private List<Library> libraries = Library.MEASURED;

  @Option(
      names = "--out",
      description = "the directory to write to (default: report, beside the bench's jar)")
  private @Nullable Path directory;

  private final PrintStream out = System.out;
  private final Recorder recorder = new Recorder(out);
  private final Instant started = Instant.now();
  private final AtomicBoolean isWritten = new AtomicBoolean();

  /** What there is to run. */
  enum Part {
    LOAD,
    PAYLOAD,
    SERVICE,
    LOOM,
    LONG_BODY;

    /** Those that a size has unless others are chosen. */
    static Set<Part> in(Size size) {
      return switch (size) {
        case SMOKE, DEFAULT -> EnumSet.of(LOAD, PAYLOAD, SERVICE, LOOM);
        case PROMISES -> EnumSet.of(LOAD, LONG_BODY);
        case FULL -> EnumSet.allOf(Part.class);
      };
    }
  }

  /** At most one of these. */
  static final class Sizes {
    @Option(names = "--full", description = "the full size, which takes hours")
    private boolean full;

    @Option(
        names = "--promises",
        description = "what the table of promises needs, and no more: some 40 minutes")
    private boolean promises;

    @Option(
        names = "--smoke",
        description = "a minute or two, to see that all works; the figures mean little")
    private boolean smoke;
  }

  private static Size size(@Nullable Sizes chosen) {
    if (chosen == null) {
      return Size.DEFAULT;
    }
    if (chosen.full) {
      return Size.FULL;
    }
    return chosen.promises ? Size.PROMISES : chosen.smoke ? Size.SMOKE : Size.DEFAULT;
  }

  @Override
  public Integer call() throws Exception {
    try {
      return measure();
    } catch (Exception e) {
      if (recorder.isClosed()) {
        return 1; // interrupted: the processes that measure have been ended
      }
      throw e;
    }
  }

  private int measure() throws Exception {
    Size size = size(chosenSize);
    Set<Part> parts = chosenParts == null ? Part.in(size) : chosenParts;
    LoadPart.Choice choice = LoadPart.Choice.of(size, libraries, chosenScenarios);
    Machine machine = Machine.here();
    Path to = directory == null ? besideJar() : directory;
    Files.createDirectories(to);
    out.printf(
        Locale.ROOT,
        "%s on %s, %d processors, %,d MiB free, JDK %s%n",
        size.label(),
        machine.os(),
        machine.processors(),
        machine.availableBytes() >> 20,
        Runtime.version());
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> writeOnce(to, choice, parts, machine, true), "last-words"));
    try (TargetProcess server = TargetProcess.start()) {
      recorder.jvm("Server's JVM", server.jvm());
      Fit fit = new Fit(machine, Runtime.version().feature());
      LoadPart load = new LoadPart(choice, fit, server, recorder);
      PayloadPart payload = new PayloadPart(size, server, recorder, libraries);
      ServicePart service = new ServicePart(size, server, recorder, libraries);
      LoomPart loom = new LoomPart(size, fit, server, recorder, libraries);
      List<Work> all =
          Stream.of(
                  new Work(Part.LOAD, load.steps(), load::run),
                  new Work(Part.PAYLOAD, payload.steps(), payload::run),
                  new Work(Part.SERVICE, service.steps(), service::run),
                  new Work(Part.LOOM, loom.steps(), loom::run),
                  new Work(Part.LONG_BODY, payload.longSteps(), payload::runLong))
              .filter(each -> parts.contains(each.part()))
              .toList();
      recorder.expect(all.stream().mapToInt(Work::steps).sum());
      for (Work each : all) {
        each.run().run();
      }
    }
    ProgressLine.clear(out);
    RunRecord run = writeOnce(to, choice, parts, machine, false);
    return run == null || pins(run) > 0 ? 1 : 0;
  }

  /** One part of the run. */
  private record Work(Part part, int steps, Run run) {

    interface Run {
      void run() throws InterruptedException;
    }
  }

  private static long pins(RunRecord run) {
    return run.cells().stream()
        .filter(each -> each.mode() == Mode.HEDDLE)
        .mapToLong(each -> each.sum(Figures::pins))
        .sum();
  }

  /** Writes the files, unless that was done before; at the end, or when the run is interrupted. */
  private @Nullable RunRecord writeOnce(
      Path to, LoadPart.Choice choice, Set<Part> parts, Machine machine, boolean isInterrupted) {
    if (isWritten.getAndSet(true)) {
      return null;
    }
    recorder.close();
    List<String> command = new ArrayList<>(List.of("bench/run", "report"));
    command.addAll(Bench.arguments());
    RunRecord run =
        new RunRecord(
            String.join(" ", command),
            started.truncatedTo(ChronoUnit.SECONDS).toString(),
            ChronoUnit.MILLIS.between(started, Instant.now()) / 1e3,
            choice.size().label(),
            isInterrupted,
            machine,
            Versions.all(),
            recorder.jvms(),
            recorder.notes(),
            cells(choice, parts),
            recorder.syscalls(),
            recorder.timelines());
    try {
      new ReportFiles(run).writeTo(to);
    } catch (IOException e) {
      System.err.println("the report cannot be written: " + e);
      return run;
    }
    out.printf(
        Locale.ROOT,
        "%n%s%s, after %,.0f s%n",
        isInterrupted ? "interrupted; what was measured is in " : "",
        to.resolve(ReportFiles.HTML).toUri(),
        run.seconds());
    return run;
  }

  /** With words for those that were not reached. */
  private List<Cell> cells(LoadPart.Choice choice, Set<Part> parts) {
    List<Cell> cells = new ArrayList<>(recorder.cells());
    if (parts.contains(Part.LOAD)) {
      cells.addAll(LoadPart.notReached(choice, cells));
    }
    return cells;
  }

  private static Path besideJar() {
    Path jar = Path.of(System.getProperty("java.class.path"));
    Path parent = jar.toAbsolutePath().getParent();
    return Files.isRegularFile(jar) && parent != null
        ? parent.resolve("report")
        : Path.of("report");
  }
}
