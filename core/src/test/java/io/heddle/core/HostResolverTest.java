package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostResolverTest {

  private static final Deadline NONE = Deadline.none();
  private final Deadline soon = Deadline.after(Duration.ofSeconds(30));

  private final HostResolver<String> resolver = new HostResolver<>("test-resolver", 2);
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger interrupts = new AtomicInteger();
  private final CountDownLatch answer = new CountDownLatch(1);

  @AfterEach
  void close() {
    answer.countDown();
    resolver.close();
  }

  /** A native call: takes until the test says, and heeds no interrupt. */
  private String slow() {
    calls.incrementAndGet();
    while (true) {
      try {
        answer.await();
        return "address";
      } catch (InterruptedException e) {
        interrupts.incrementAndGet(); // getaddrinfo would not hear it
      }
    }
  }

  private Caller<String> startSlow(String host) {
    return Caller.start(Caller.Kind.VIRTUAL, () -> resolver.resolve(host, this::slow).await(NONE));
  }

  private void awaitCalls(int expected) throws Exception {
    await(() -> calls.get() >= expected, () -> "calls: " + calls);
  }

  private static void await(BooleanSupplier holds, Supplier<String> state) throws Exception {
    long end = System.nanoTime() + Caller.PATIENCE.toNanos();
    while (!holds.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, state);
      Thread.sleep(1);
    }
  }

  @Test
  void looksUpOnItsOwnDaemonThreadWhileTheCallerParks() throws Exception {
    AtomicReference<@Nullable Thread> ran = new AtomicReference<>();
    Exchange<String> looking =
        resolver.resolve(
            "host",
            () -> {
              ran.set(Thread.currentThread());
              return "address";
            });
    assertEquals("address", looking.await(NONE));
    Thread thread = ran.get();
    assertTrue(thread != null && thread.getName().startsWith("test-resolver-"));
    assertTrue(thread.isDaemon());
    assertFalse(thread.isVirtual());
  }

  @Test
  void overlappingLookUpsOfOneNameAreOneCall() throws Exception {
    List<Caller<String>> callers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      callers.add(startSlow("host").awaitParked());
    }
    answer.countDown();
    for (Caller<String> each : callers) {
      assertEquals("address", each.result());
    }
    assertEquals(1, calls.get());
  }

  @Test
  void laterLookUpsAskAgain() throws Exception {
    answer.countDown();
    startSlow("host").result();
    startSlow("host").result();
    assertEquals(2, calls.get());
  }

  @Test
  void aFailureReachesAllWhoWait() throws Exception {
    UnknownHostException unknown = new UnknownHostException("host");
    CountDownLatch joined = new CountDownLatch(1);
    Exchange<String> first =
        resolver.resolve(
            "host",
            () -> {
              joined.await();
              throw unknown;
            });
    Exchange<String> second = resolver.resolve("host", () -> "not asked");
    joined.countDown();
    assertSame(unknown, assertThrows(ExecutionException.class, () -> first.await(NONE)).getCause());
    assertSame(
        unknown, assertThrows(ExecutionException.class, () -> second.await(NONE)).getCause());
  }

  @Test
  void aCallerThatGivesUpLeavesTheOthers() throws Exception {
    Caller<String> patient = startSlow("host").awaitParked();
    Exchange<String> hasty = resolver.resolve("host", this::slow);
    assertThrows(TimeoutException.class, () -> hasty.await(Deadline.after(Duration.ofMillis(10))));
    answer.countDown();
    assertEquals("address", patient.result());
  }

  @Test
  void aThreadThatIsIdleTakesTheNextName() throws Exception {
    Set<Thread> used = new HashSet<>();
    try (HostResolver<Thread> threads = new HostResolver<>("test-threads", 8)) {
      for (int i = 0; i < 20; i++) {
        Thread its = threads.resolve("host " + i, Thread::currentThread).await(soon);
        used.add(its);
        await(() -> its.getState() == Thread.State.TIMED_WAITING, () -> "not idle: " + its);
      }
    }
    assertEquals(1, used.size());
  }

  /** Two threads, of which each takes what waits once it is free. */
  @Test
  void namesWaitWhileAllThreadsAreBusy() throws Exception {
    for (int i = 0; i < 10; i++) {
      startSlow("host " + i).awaitParked();
    }
    awaitCalls(2);
    Thread.sleep(50);
    assertEquals(2, calls.get());
    answer.countDown();
    awaitCalls(10);
    assertEquals("address", resolver.resolve("last", this::slow).await(soon));
  }

  @Test
  void aNameThatNobodyWaitsForAnyMoreIsNotLookedUp() throws Exception {
    startSlow("a").awaitParked();
    startSlow("b").awaitParked();
    awaitCalls(2); // both threads are taken
    Exchange<String> queued = resolver.resolve("c", this::slow);
    assertThrows(TimeoutException.class, () -> queued.await(Deadline.after(Duration.ofMillis(10))));
    answer.countDown();
    assertEquals("fresh", resolver.resolve("d", () -> "fresh").await(NONE));
    assertEquals(2, calls.get());
  }

  @Test
  void closeWakesThoseWhoWaitAndRefusesMore() throws Exception {
    Caller<String> waiting = startSlow("host").awaitParked();
    resolver.close();
    assertInstanceOf(CancellationException.class, waiting.failure());
    assertThrows(IllegalStateException.class, () -> resolver.resolve("host", this::slow));
    resolver.close();
  }

  @Test
  void aNumberOfThreadsMustBePositive() {
    assertThrows(IllegalArgumentException.class, () -> new HostResolver<>("none", 0));
  }

  @Test
  void tellsOneWhoDoesNotWait() throws Exception {
    Exchange<String> told = new Exchange<>();
    resolver.resolve("host", () -> "address", (answer, failure) -> told.complete(answer + failure));
    assertEquals("addressnull", told.await(NONE));
    Exchange<String> failed = new Exchange<>();
    resolver.resolve(
        "host",
        () -> {
          throw new UnknownHostException("host");
        },
        (answer, failure) -> failed.complete(answer + " " + failure));
    assertEquals("null java.net.UnknownHostException: host", failed.await(NONE));
  }

  @Test
  void closeTellsOneWhoDoesNotWait() throws Exception {
    Exchange<Boolean> told = new Exchange<>();
    resolver.resolve(
        "host",
        this::slow,
        (answer, failure) -> told.complete(failure instanceof CancellationException));
    awaitCalls(1);
    resolver.close();
    assertTrue(told.await(NONE));
  }

  @Test
  void aThreadThatCannotBeMadeFailsThatLookupAndNoLaterOne() throws Exception {
    AtomicInteger threads = new AtomicInteger();
    OutOfMemoryError none = new OutOfMemoryError("unable to create native thread");
    try (HostResolver<String> poor =
        new HostResolver<>(
            1,
            work -> {
              if (threads.incrementAndGet() == 1) {
                throw none;
              }
              return Thread.ofPlatform().daemon().unstarted(work);
            })) {
      Exchange<String> first = poor.resolve("host", () -> "address");
      assertSame(
          none,
          assertThrows(ExecutionException.class, () -> first.await(soon)).getCause(),
          "why there is no answer");
      assertEquals("address", poor.resolve("host", () -> "address").await(soon));
    }
  }

  @Test
  void aThreadInheritsNothingFromWhoStartsIt() throws Exception {
    InheritableThreadLocal<String> owner = new InheritableThreadLocal<>();
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    owner.set("who asked first");
    Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0]));
    try {
      String seen =
          resolver
              .resolve(
                  "host", () -> owner.get() + ", " + Thread.currentThread().getContextClassLoader())
              .await(soon);
      assertEquals("null, " + ClassLoader.getSystemClassLoader(), seen);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
      owner.remove();
    }
  }

  @Test
  void oneWhoThrowsDoesNotKeepOthersFromTheAnswer() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    resolver.resolve(
        "host",
        () -> {
          asked.await();
          return "address";
        },
        (found, failure) -> {
          Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {});
          throw new IllegalStateException("torn");
        });
    Exchange<String> second = resolver.resolve("host", () -> "another");
    asked.countDown();
    assertEquals("address", second.await(soon));
  }
}
