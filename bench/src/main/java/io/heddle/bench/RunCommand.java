package io.heddle.bench;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.MeasuredLibrary;
import io.heddle.bench.contestants.OkHttpContestants;
import io.heddle.bench.load.Crew;
import io.heddle.bench.load.Target;
import io.heddle.bench.load.TargetProcess;
import io.heddle.bench.load.Task;
import io.heddle.bench.measure.Cell;
import io.heddle.bench.measure.Meter;
import io.heddle.bench.report.ResultTable;
import io.heddle.bench.scenarios.LoadPart;
import io.heddle.bench.scenarios.ProgressLine;
import io.heddle.bench.scenarios.Recorder;
import io.heddle.bench.scenarios.Turns;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The main job: stock client and Heddle side by side, one table, one verdict. */
@Command(
    name = "run",
    description =
        "Calls a server from virtual threads, through a stock client and through Heddle, and shows"
            + " both. Ends with 1 if Heddle pinned a carrier or had an error.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class RunCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--callers",
      description = "virtual threads that call at a time (default: ${DEFAULT-VALUE})",
      defaultValue = "100")
  private int callers;

  @Option(
      names = "--seconds",
      description =
          "how long each client is measured, in "
              + Turns.ROUNDS
              + " rounds, in turn with the others"
              + " of its library (default: ${DEFAULT-VALUE})")
  private int seconds = (int) Turns.MEASURED.toSeconds();

  @Option(
      names = "--warm-up",
      description =
          "seconds that each client runs before at most, if it is not warm sooner"
              + " (default: ${DEFAULT-VALUE})")
  private int warmUp = (int) Turns.WARM_UP.toSeconds();

  @Option(
      names = "--delay",
      description = "milliseconds until the embedded server answers (default: ${DEFAULT-VALUE})",
      defaultValue = "0")
  private int delay;

  @Option(
      names = "--bytes",
      description = "length of the embedded server's answers (default: ${DEFAULT-VALUE})",
      defaultValue = "128")
  private int bytes;

  @Option(
      names = "--url",
      description =
          "a server of your own, which is sent GET requests, instead of the embedded one;"
              + " over http it must speak HTTP/2 with prior knowledge too")
  private @Nullable URI url;

  @Option(
      names = "--library",
      split = ",",
      converter = MeasuredLibrary.class,
      completionCandidates = MeasuredLibrary.class,
      description = "which to compare, of ${COMPLETION-CANDIDATES} (default: all)")
  private List<Library> libraries = Library.MEASURED;

  private final PrintStream out = System.out;

  @Override
  public Integer call() throws Exception {
    check(callers > 0, "--callers must be positive: " + callers);
    check(seconds > 0, "--seconds must be positive: " + seconds);
    check(warmUp >= 0, "--warm-up must not be negative: " + warmUp);
    check(delay >= 0, "--delay must not be negative: " + delay);
    check(bytes >= 0, "--bytes must not be negative: " + bytes);
    if (url != null) {
      checkReachable(url);
      return measure(url, Meter.NO_SERVER);
    }
    try (TargetProcess server = TargetProcess.start()) {
      return measure(server.uri().resolve("/?bytes=" + bytes + "&delay=" + delay), server.pid());
    }
  }

  private void check(boolean condition, String otherwise) {
    if (!condition) {
      throw new ParameterException(spec().commandLine(), otherwise);
    }
  }

  private void checkReachable(URI uri) {
    String scheme = String.valueOf(uri.getScheme());
    check(
        uri.getHost() != null && (scheme.equals("http") || scheme.equals("https")),
        "--url must be an http or https URL: " + uri);
    int port = uri.getPort() >= 0 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(uri.getHost(), port), 3_000);
    } catch (IOException e) {
      check(false, "no server at " + uri + ": " + e.getMessage());
    }
  }

  private int measure(URI uri, long serverPid) throws InterruptedException {
    out.printf(
        Locale.ROOT,
        "%d virtual threads, %d s for each client in %d rounds, once it is warm, %s%nJDK %s, %d"
            + " processors%n%n",
        callers,
        seconds,
        Turns.ROUNDS,
        uri,
        Runtime.version(),
        Runtime.getRuntime().availableProcessors());
    if (libraries.contains(Library.OKHTTP) && !OkHttpContestants.leftOut().isEmpty()) {
      out.printf("%s%n%n", OkHttpContestants.leftOut());
    }
    Recorder recorder = new Recorder(out);
    recorder.expect(
        libraries.stream().mapToInt(each -> (Turns.ROUNDS + 1) * contestants(each).size()).sum());
    for (Library library : libraries) {
      measure(library, Ask.get(uri), new Target(uri, serverPid), recorder);
    }
    ProgressLine.clear(out);
    ResultTable table = new ResultTable(recorder.cells());
    out.println(table.text());
    out.println();
    out.println(table.verdict());
    return table.isGood() ? 0 : 1;
  }

  private void measure(Library library, Ask ask, Target target, Recorder recorder)
      throws InterruptedException {
    Task.Load load =
        Task.Load.closed(
            callers,
            Duration.ofSeconds(seconds).dividedBy(Turns.ROUNDS),
            Duration.ofSeconds(warmUp));
    try (Crew crew = new Crew(LoadPart.HEAP_MEGABYTES)) {
      Turns turns = new Turns(Cell.CLOSED + callers, crew, recorder);
      for (Contestant each : contestants(library)) {
        String variant = each.library() == library ? "" : Cell.beside(library);
        turns.add(variant, Task.of(each, ask, load, target), List.of());
      }
      turns.run(Turns.ROUNDS);
    }
  }

  private static List<Contestant> contestants(Library library) {
    Stream<Contestant> baseline = library == Library.JDK ? Stream.of() : Stream.of(Turns.BASELINE);
    return Stream.concat(library.contestants().stream(), baseline).toList();
  }

  private CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("not run by picocli");
    }
    return spec;
  }
}
