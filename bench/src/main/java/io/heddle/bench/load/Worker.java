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

  private Worker() {}

  /**
   * What a worker says.
   *
   * @param figures null if there was a failure
   * @param failure null if there was none
   */
  record Answer(@Nullable Figures figures, @Nullable String failure) {}

  /** Runs until the input ends. */
  public static void main(String[] args) throws IOException {
    PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    System.setOut(System.err); // what libraries print
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(Json.line(answer(Json.read(line, Task.class))));
      out.flush();
    }
    Runtime.getRuntime().halt(0); // whatever threads a contestant has left
  }

  @SuppressWarnings("CatchAndPrintStackTrace") // for the one who looks, beside the answer
  private static Answer answer(Task task) {
    try {
      return new Answer(measure(task), null);
    } catch (Exception | OutOfMemoryError e) {
      e.printStackTrace();
      return new Answer(null, Tally.kindOf(e));
    }
  }

  /** Measures, here. */
  static Figures measure(Task task) throws InterruptedException {
    Task.Load load = task.load();
    return switch (load.kind()) {
      case CLOSED -> closed(task, load);
      case OPEN -> open(task, load);
      case HELD -> held(task, load);
    };
  }

  private static Figures closed(Task task, Task.Load load) throws InterruptedException {
    Contestant contestant = task.contestant();
    Contestant.Running client = contestant.open(task.ask(), load.calls());
    try {
      prime(contestant, client, task.ask());
      ClosedLoop loop = new ClosedLoop(contestant, client, load.calls(), task.target().pid());
      if (load.warmUpMillis() > 0) {
        loop.warmUp(Duration.ofMillis(load.warmUpMillis()), Worker::unseen);
      }
      return Figures.of(loop.run(Duration.ofMillis(load.millis()), Worker::unseen), null);
    } finally {
      close(client);
    }
  }

  private static Figures open(Task task, Task.Load load) throws InterruptedException {
    Contestant contestant = task.contestant();
    Contestant.Running client = contestant.open(task.ask(), load.calls());
    try {
      prime(contestant, client, task.ask());
      OpenLoop loop = loop(task, contestant, client);
      loop.warmUp(load.warmUpCalls(), warmUpRate(load), Worker::unseen);
      return Figures.of(loop.run(load.calls(), load.perSecond(), Worker::unseen), null);
    } finally {
      close(client);
    }
  }

  private static double warmUpRate(Task.Load load) {
    return Math.max(2_000, Math.min(load.perSecond(), 5_000));
  }

  private static OpenLoop loop(Task task, Contestant contestant, Contestant.Running client) {
    return new OpenLoop(
        contestant, client, task.target().pid(), Duration.ofSeconds(task.load().patienceSeconds()));
  }

  private static Figures held(Task task, Task.Load load) throws InterruptedException {
    Contestant contestant = task.contestant();
    Contestant.Running warmUp = contestant.open(task.ask(), load.warmUpCalls());
    try {
      prime(contestant, warmUp, task.ask());
      loop(task, contestant, warmUp).warmUp(load.warmUpCalls(), 5_000, Worker::unseen);
    } finally {
      close(warmUp);
    }
    HeldLoad held =
        new HeldLoad(
            contestant, task.ask(), task.target(), Duration.ofSeconds(load.patienceSeconds()));
    held.run(Math.min(load.calls(), FEW_HELD), Worker::unseen); // what it takes is loaded then
    HeldLoad.Held found = held.run(load.calls(), Worker::unseen);
    return Figures.of(
        found.measured(),
        new Figures.Held(
            found.held(),
            found.rampNanos() / 1e9,
            found.heapBase(),
            found.heapHeld(),
            found.rssBase(),
            found.rssHeld()));
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

  /** Progress is shown by the one who asked. */
  private static void unseen(double done) {}

  private static void close(Contestant.Running client) throws InterruptedException {
    Thread closing = Thread.ofPlatform().daemon().name("closing").start(client::close);
    closing.join(CLOSING);
  }
}
