package io.heddle.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.heddle.bench.contestants.Ask;
import io.heddle.bench.contestants.Mode;
import io.heddle.bench.measure.Meter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code strace} counts is read as it is meant. */
@Timeout(60)
class StraceTest {

  private static final Task.Load LOAD = Task.Load.closed(1, Duration.ZERO, Duration.ZERO);
  private static final Target NOBODY = new Target(URI.create("http://some/"), Meter.NO_SERVER);

  @Test
  void itsTableIsRead() {
    String table =
        """
        strace: Process 4711 attached
        % time     seconds  usecs/call     calls    errors syscall
        ------ ----------- ----------- --------- --------- ----------------
         68.02    2.150291         261      8237       721 futex
         10.11    0.319500          31     10200           epoll_wait
          0.00    0.000000           0         1         1 restart_syscall
        ------ ----------- ----------- --------- --------- ----------------
        100.00    3.161217         130     18438       722 total
        """;

    assertEquals(
        Map.of("futex", 8_237L, "epoll_wait", 10_200L, "restart_syscall", 1L),
        Strace.parse(table.lines()));
  }

  /** Else the first to be refused would go on in a new JVM, and the others in a warm one. */
  @Test
  void aRefusalLosesNobody() {
    Task task = Task.of(new Fake(Mode.ASYNC), Ask.get(URI.create("http://some/")), LOAD, NOBODY);
    Worker.Answer refused = new Worker.Answer(null, null, "Operation not permitted", "");

    assertFalse(WorkerProcess.Outcome.of(task.traced(Duration.ofSeconds(1)), refused).isLost());
    assertTrue(WorkerProcess.Outcome.of(task, refused).isLost());
  }

  @Test
  void itSeesThisProcess() throws Exception {
    assumeTrue(Strace.isThere(), "no strace on the PATH");
    AtomicLong calls = new AtomicLong();
    Thread sleeper =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  while (!Thread.currentThread().isInterrupted()) {
                    LockSupport.parkNanos(1_000_000); // by a futex
                    calls.incrementAndGet();
                  }
                });
    try {
      Strace.Counted counted = Strace.count(Duration.ofMillis(500), calls::get);
      assertTrue(counted.calls() > 0, counted::toString);
      assertTrue(counted.counts().getOrDefault("futex", 0L) > 0, counted::toString);
    } catch (UncheckedIOException e) {
      assertTrue(String.valueOf(e.getMessage()).contains("Operation not permitted"), e::toString);
      abort("strace may not trace here: " + e.getMessage());
    } finally {
      sleeper.interrupt();
      sleeper.join();
    }
  }
}
