package io.heddle.bench.load;

import io.heddle.bench.contestants.Contestant;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A worker for each contestant, which live side by side, so that contestants can be measured in
 * turn and none has to warm up twice.
 */
public final class Crew implements AutoCloseable {

  /** Seconds for which the JDK's client keeps what sleeps: others are measured meanwhile. */
  private static final String KEEP_ALIVE = "-Djdk.httpclient.keepalive.timeout=600";

  private static final Duration AFTER_LOSS = Duration.ofMillis(500);

  private final String heap;
  private final Map<Contestant, WorkerProcess> workers = new LinkedHashMap<>();

  public Crew(long heapMegabytes) {
    this.heap = "-Xmx" + heapMegabytes + "m";
  }

  /** The option that its JVMs have for it. */
  public String heap() {
    return heap;
  }

  /** Measures; a worker that is lost by it is followed by a new one. */
  public WorkerProcess.Outcome run(Task task) throws InterruptedException {
    Contestant contestant = task.contestant();
    WorkerProcess worker = workers.get(contestant);
    if (worker == null) {
      try {
        worker = WorkerProcess.start(List.of(heap, KEEP_ALIVE));
      } catch (IOException e) {
        return WorkerProcess.Outcome.lost("no process to measure in: " + e.getMessage());
      }
      workers.put(contestant, worker);
    }
    WorkerProcess.Outcome outcome = worker.run(task, limit(task.load()));
    if (outcome.isLost()) {
      dismiss(contestant);
      Thread.sleep(AFTER_LOSS); // if all of us are being ended, this is where we end
    }
    return outcome;
  }

  /** Longer than a worker takes that gives up by itself. */
  private static Duration limit(Task.Load load) {
    double nominal = load.perSecond() > 0 ? load.calls() / load.perSecond() : 0;
    return Duration.ofMillis(load.millis() + load.warmUpMillis())
        .plusSeconds((long) nominal + 3 * load.patienceSeconds() + 60);
  }

  /** Ends the contestant's worker. */
  public void dismiss(Contestant contestant) {
    WorkerProcess worker = workers.remove(contestant);
    if (worker != null) {
      worker.close();
    }
  }

  @Override
  public void close() {
    List<Contestant> all = new ArrayList<>(workers.keySet());
    all.forEach(this::dismiss);
  }
}
