package io.heddle.bench.load;

import io.heddle.bench.measure.Figures;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link Worker}, as the one that tells it what to do sees it. */
public final class WorkerProcess implements AutoCloseable {

  private final Process process;
  private final BufferedWriter tasks;
  private final BlockingQueue<Optional<String>> answers = new LinkedBlockingQueue<>();

  private WorkerProcess(Process process) {
    this.process = process;
    this.tasks = process.outputWriter(StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("worker-answers").start(this::listen);
  }

  /** Starts one with these options of its JVM. */
  static WorkerProcess start(List<String> options) throws IOException {
    Process process =
        Jvm.start(Worker.class, options).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return new WorkerProcess(process);
  }

  private void listen() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        answers.add(Optional.of(line));
      }
    } catch (IOException e) {
      // it has ended
    }
    answers.add(Optional.empty());
  }

  /** Measures; after a failure that says {@link Outcome#isLost} the process is not fit for more. */
  Outcome run(Task task, Duration limit) throws InterruptedException {
    try {
      tasks.write(Json.line(task));
      tasks.newLine();
      tasks.flush();
    } catch (IOException e) {
      return Outcome.lost("the process that measures has ended");
    }
    Optional<String> line = answers.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
    if (line == null) {
      return Outcome.lost("stalled: no end within " + limit.toSeconds() + " s");
    }
    if (line.isEmpty()) {
      return Outcome.lost("the process that measures has ended with " + exitValue());
    }
    Worker.Answer answer = Json.read(line.get(), Worker.Answer.class);
    return Outcome.of(task, answer);
  }

  private String exitValue() throws InterruptedException {
    return process.waitFor(1, TimeUnit.SECONDS) ? "code " + process.exitValue() : "no word";
  }

  /**
   * How a task ended.
   *
   * @param figures null if they were not asked for, or there was a failure; as {@code counted}
   * @param failure null if there was none
   * @param isLost whether another process is needed for what comes next
   * @param jvm what it runs with; empty if it did not say
   */
  public record Outcome(
      @Nullable Figures figures,
      Strace.@Nullable Counted counted,
      @Nullable String failure,
      boolean isLost,
      String jvm) {

    /** It stays as it was if strace may not trace it. */
    static Outcome of(Task task, Worker.Answer answer) {
      Figures figures = answer.figures();
      boolean hasFailed = answer.failure() != null && task.load().kind() != Task.Kind.TRACED;
      boolean isLost = hasFailed || (figures != null && figures.hasStalled());
      return new Outcome(figures, answer.counted(), answer.failure(), isLost, answer.jvm());
    }

    static Outcome lost(String failure) {
      return new Outcome(null, null, failure, true, "");
    }
  }

  @Override
  public void close() {
    try {
      tasks.close();
    } catch (IOException | UncheckedIOException e) {
      // it has ended
    }
    process.destroyForcibly();
  }
}
