package io.heddle.bench.scenarios;

import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.contestants.Library;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.contestants.Wire;
import io.heddle.bench.load.Json;
import io.heddle.bench.load.Jvm;
import io.heddle.bench.load.Task;
import io.heddle.bench.measure.Meter;
import io.heddle.pinning.PinningRecorder;
import io.heddle.pinning.PinningReport;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A service, {@link FrontServer} with {@link FrontWork}, in a JVM of its own. */
public final class FrontProcess implements AutoCloseable {

  private final Process process;
  private final BufferedReader answers;
  private final BufferedWriter wishes;
  private final Started started;

  private FrontProcess(Process process) throws IOException {
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.wishes = process.outputWriter(StandardCharsets.UTF_8);
    this.started = ask(Started.class);
  }

  /**
   * What it is told to be.
   *
   * @param poolSize of platform threads; 0 for a virtual thread for each request
   * @param services the addresses of each of the services that it calls
   */
  record Order(
      FrontServer.Kind kind,
      int poolSize,
      Library library,
      Mode mode,
      Wire wire,
      List<List<URI>> services) {}

  /**
   * What it says first.
   *
   * @param jvm what it runs with
   */
  private record Started(List<URI> uris, String jvm) {}

  /**
   * What it saw since it was asked before.
   *
   * @param pinnedAt frames that pinned
   */
  public record Seen(int pins, List<String> pinnedAt, int carriers) {}

  /** Starts it and waits until it listens. */
  static FrontProcess start(Order order, long heapMegabytes) throws IOException {
    Process process =
        Jvm.start(FrontProcess.class, List.of("-Xmx" + heapMegabytes + "m"), Json.line(order))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    try {
      return new FrontProcess(process);
    } catch (IOException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  List<URI> uris() {
    return started.uris();
  }

  /** What its JVM runs with. */
  String jvm() {
    return started.jvm();
  }

  long pid() {
    return process.pid();
  }

  /** Asks what it saw. */
  Seen seen() throws IOException {
    wishes.newLine();
    wishes.flush();
    return ask(Seen.class);
  }

  private <T> T ask(Class<T> type) throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the service has ended");
    }
    return Json.read(line, type);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** The service's own JVM. It ends with the process that started it, whose pipe it reads. */
  public static void main(String[] args) throws Exception {
    PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    System.setOut(System.err); // what libraries print
    java.util.logging.LogManager.getLogManager().reset();
    Order order = Json.read(args[0], Order.class);
    Contestant contestant = Task.contestant(order.library(), order.mode(), order.wire());
    FrontWork work = new FrontWork(contestant, order.services());
    FrontServer server = order.kind().start(work, order.poolSize());
    out.println(Json.line(new Started(server.uris(), Jvm.flags())));
    out.flush();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PinningRecorder recorder = PinningRecorder.start();
    while (in.readLine() != null) {
      PinningReport report = Meter.ofCalls(recorder.stop());
      out.println(
          Json.line(
              new Seen(
                  report.events().size(),
                  report.events().stream()
                      .map(event -> event.culprit())
                      .distinct()
                      .limit(5)
                      .toList(),
                  report.peakCarriers())));
      out.flush();
      recorder = PinningRecorder.start();
    }
    Runtime.getRuntime().halt(0); // whatever still waits
  }
}
