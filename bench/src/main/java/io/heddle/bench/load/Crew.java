package io.heddle.bench.load;

import io.heddle.bench.contestants.Contestant;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A worker for each contestant, which live side by side, so that contestants can be measured in
 * turn and none has to warm up twice.
 */
public final class Crew implements AutoCloseable {

  private static final Duration AFTER_LOSS = Duration.ofMillis(500);

  private final long heapMegabytes;
  private final Map<Contestant, WorkerProcess> workers = new LinkedHashMap<>();
  private final Set<Contestant> warm = new HashSet<>();

  public Crew(long heapMegabytes) {
    this.heapMegabytes = heapMegabytes;
  }

  /** Whether its worker has measured before. */
  public boolean isWarm(Contestant contestant) {
    return warm.contains(contestant);
  }

  /** Measures; a worker that is lost by it is followed by a new one. */
  public WorkerProcess.Outcome run(Contestant contestant, Task task) throws InterruptedException {
    WorkerProcess worker = workers.get(contestant);
    if (worker == null) {
      try {
        worker = WorkerProcess.start(heapMegabytes);
      } catch (IOException e) {
        return WorkerProcess.Outcome.lost("no process to measure in: " + e.getMessage());
      }
      workers.put(contestant, worker);
    }
    WorkerProcess.Outcome outcome = worker.run(task, limit(task.load()));
    if (outcome.isLost()) {
      dismiss(contestant);
      Thread.sleep(AFTER_LOSS); // if all of us are being ended, this is where we end
    } else {
      warm.add(contestant);
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
    warm.remove(contestant);
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
