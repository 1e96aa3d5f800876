package io.heddle.bench.load;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Contestant;
import io.heddle.bench.measure.Figures;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures in a JVM of its own, so that one contestant's memory, threads and compiled code are not
 * another's, and so that one that stalls can be ended.
 *
 * <p>It reads a {@link Task} from each line of its input, and writes an {@link Answer} to its
 * output.
 */
final class Worker {

  /** A client that does not close within this is left. */
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private static final int FEW_HELD = 50;

  /** Of closed loops; null before the first, and if something else was measured since. */
  private @Nullable SteadyClient steady;

  /**
   * What a worker says.
   *
   * @param figures null if they were not asked for, or there was a failure; as {@code counted}
   * @param failure null if there was none
   * @param jvm what it runs with
   */
  record Answer(
      @Nullable Figures figures,
      Strace.@Nullable Counted counted,
      @Nullable String failure,
      String jvm) {}

  /** Runs until the input ends. */
  public static void main(String[] args) throws IOException {
    PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    System.setOut(System.err); // what libraries print
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Worker worker = new Worker();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(Json.line(worker.answer(Json.read(line, Task.class))));
      out.flush();
    }
    Runtime.getRuntime().halt(0); // whatever threads a contestant has left
  }

  @SuppressWarnings("CatchAndPrintStackTrace") // for the one who looks, beside the answer
  private Answer answer(Task task) {
    try {
      Figures figures = null;
      Strace.Counted counted = null;
      switch (task.load().kind()) {
        case CLOSED, OPEN, HELD -> figures = measure(task);
        case WARM_UP -> steady(task);
        case TRACED -> counted = steady(task).count(task.load().time());
      }
      return new Answer(figures, counted, null, Jvm.flags());
    } catch (Exception | OutOfMemoryError e) {
      e.printStackTrace();
      return new Answer(null, null, Tally.kindOf(e), Jvm.flags());
    }
  }

  /** Measures, here. */
  Figures measure(Task task) throws InterruptedException {
    return switch (task.load().kind()) {
      case CLOSED -> steady(task).measure(task.load().time());
      case OPEN -> open(task, task.load());
      case HELD -> held(task, task.load());
      case WARM_UP, TRACED -> throw new IllegalArgumentException("has no figures: " + task);
    };
  }

  private SteadyClient steady(Task task) throws InterruptedException {
    SteadyClient client = steady;
    if (client == null || !client.isFor(task)) {
      closeSteady();
      client = new SteadyClient(task);
      steady = client;
    }
    return client;
  }

  /** At the latest when something else is to be measured. */
  void closeSteady() throws InterruptedException {
    if (steady != null) {
      steady.close();
      steady = null;
    }
  }

  private Figures open(Task task, Task.Load load) throws InterruptedException {
    closeSteady();
    Contestant contestant = task.contestant();
    Contestant.Running client = contestant.open(task.ask(), load.calls());
    try {
      prime(contestant, client, task.ask());
      OpenLoop loop = loop(task, contestant, client);
      loop.run(load.warmUpCalls(), Math.clamp(load.perSecond(), 2_000, 5_000));
      return Figures.of(loop.run(load.calls(), load.perSecond()), null, 0);
    } finally {
      close(client);
    }
  }

  private static OpenLoop loop(Task task, Contestant contestant, Contestant.Running client) {
    return new OpenLoop(
        contestant, client, task.target().pid(), Duration.ofSeconds(task.load().patienceSeconds()));
  }

  private Figures held(Task task, Task.Load load) throws InterruptedException {
    closeSteady();
    Contestant contestant = task.contestant();
    Contestant.Running warmUp = contestant.open(task.ask(), load.warmUpCalls());
    try {
      prime(contestant, warmUp, task.ask());
      loop(task, contestant, warmUp).run(load.warmUpCalls(), 5_000);
    } finally {
      close(warmUp);
    }
    HeldLoad held =
        new HeldLoad(
            contestant, task.ask(), task.target(), Duration.ofSeconds(load.patienceSeconds()));
    held.run(Math.min(load.calls(), FEW_HELD)); // what it takes is loaded then
    HeldLoad.Held found = held.run(load.calls());
    return Figures.of(
        found.measured(),
        new Figures.Held(
            found.held(),
            found.rampNanos() / 1e9,
            found.heapBase(),
            found.heapHeld(),
            found.rssBase(),
            found.rssHeld()),
        0);
  }

  /**
   * Makes one call to each address, one after the other: a client that has connections to share has
   * them then. How they fail is seen when it is measured.
   */
  static void prime(Contestant contestant, Contestant.Running client, Ask ask)
      throws InterruptedException {
    Tally unseen = new Tally();
    try (Callers threads = Callers.forMode(contestant.mode())) {
      for (int i = 0; i < ask.uris().size(); i++) {
        CountDownLatch ended = new CountDownLatch(1);
        OneCall.start(client, threads, System.nanoTime(), unseen, ended);
        if (!ended.await(10, TimeUnit.SECONDS)) {
          return;
        }
      }
    }
  }

  static void close(Contestant.Running client) throws InterruptedException {
    Thread closing = Thread.ofPlatform().daemon().name("closing").start(client::close);
    closing.join(CLOSING);
  }
}
