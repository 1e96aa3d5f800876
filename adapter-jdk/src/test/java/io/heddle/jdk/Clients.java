package io.heddle.jdk;

import io.heddle.conformance.FaultServer;
import io.heddle.conformance.Script;
import io.heddle.conformance.Wire;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The JDK's client and calls, for tests that compare. */
final class Clients {

  /** What ends at all ends in this time, on a busy machine too. */
  static final int LONG_SECONDS = 30;

  /** How often the JDK sends what the server refuses, before it gives up. */
  static final int TRIES = JdkInternals.REPEATS_OFTEN ? 5 : 2;

  private Clients() {}

  static HttpClient.Builder stock(Wire wire) {
    return HttpClient.newBuilder()
        .sslContext(KitClient.trusting(FaultServer.certificate()))
        .version(wire.isMultiplexed() ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1);
  }

  static HttpRequest.Builder request(URI uri) {
    return HttpRequest.newBuilder(uri);
  }

  /** Within this the body never ends. */
  static Script stalledBody() {
    return Script.ok().body(10_000).fault(Script.Fault.STALL, 1000);
  }

  /** Runs the work on a virtual thread. */
  static <T> CompletableFuture<T> start(Callable<T> work) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                outcome.complete(work.call());
              } catch (Throwable t) {
                outcome.completeExceptionally(t);
              }
            });
    return outcome;
  }

  /** Runs the work so many times at once; what each threw, or null. */
  static List<Throwable> together(int times, Callable<?> work) throws Exception {
    List<CompletableFuture<?>> running = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      running.add(start(work));
    }
    List<Throwable> thrown = new ArrayList<>();
    for (CompletableFuture<?> each : running) {
      try {
        each.get(LONG_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        thrown.add(e.getCause());
      }
    }
    return thrown;
  }

  /** What it throws; fails if it succeeds or takes too long. */
  static Throwable failure(CompletableFuture<?> outcome) throws Exception {
    try {
      throw new AssertionError("succeeded with " + outcome.get(LONG_SECONDS, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return Objects.requireNonNull(e.getCause());
    }
  }

  static void await(String what, BooleanSupplier holds) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(LONG_SECONDS).toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not in time: " + what);
      }
      Thread.sleep(2);
    }
  }

  /** Takes so long, whoever unparks the thread meanwhile. */
  static void linger(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      throw new AssertionError("nobody interrupts it", e);
    }
  }
}
