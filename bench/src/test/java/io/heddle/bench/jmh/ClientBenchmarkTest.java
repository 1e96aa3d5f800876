package io.heddle.bench.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.bench.contestants.Library;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ClientBenchmarkTest {

  @Test
  void everyContestantIsInTheBenchmark() throws NoSuchFieldException {
    Set<String> all =
        Library.MEASURED.stream()
            .flatMap(library -> library.all().stream())
            .map(ClientBenchmark::idOf)
            .collect(Collectors.toSet());
    assertEquals(all, Set.copyOf(ClientBenchmark.known()));
  }

  @Test
  void aBatchIsMadeWholeByThreadsAndByCallbacks() throws Exception {
    for (String id : new String[] {"JDK-STOCK_VIRTUAL-HTTP_1", "JDK-ASYNC-HTTP_1"}) {
      ClientBenchmark benchmark = new ClientBenchmark();
      benchmark.contestant = id;
      benchmark.bytes = 10;
      benchmark.callers = 10;
      benchmark.start();
      try {
        benchmark.call();
      } finally {
        benchmark.stop();
      }
      assertThrows(Exception.class, benchmark::call, "calls to nobody, through " + id);
    }
  }

  @Test
  void eachKindOfWorkersMakesCalls() throws Exception {
    for (WorkersBenchmark.Workers workers : WorkersBenchmark.Workers.values()) {
      WorkersBenchmark benchmark = new WorkersBenchmark();
      benchmark.workers = workers;
      benchmark.callers = 10;
      benchmark.start();
      try {
        benchmark.call();
      } finally {
        benchmark.stop();
      }
      assertThrows(Exception.class, benchmark::call, "calls to nobody, by " + workers);
    }
  }
}
