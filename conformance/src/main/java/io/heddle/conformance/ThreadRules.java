package io.heddle.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** TH: which thread does what, and which must not wait. */
interface ThreadRules {

  @Rule("TH-01")
  default void slowNameLookupHoldsNoCarrier(Kit kit) throws Exception {
    int many = 2 * Runtime.getRuntime().availableProcessors();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicBoolean waitedInVain = new AtomicBoolean();
    NameLookup lookup =
        host -> {
          if (host.startsWith("slow")) {
            begun.countDown();
            if (!HeldCarrier.await(mayEnd)) {
              waitedInVain.set(true);
            }
          }
          return List.of(InetAddress.getLoopbackAddress());
        };
    Client client = kit.open(kit.settings().lookup(lookup).maxConnections(many));
    List<Caller<Void>> callers = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      URI uri = kit.server().uri("slow" + i + ".heddle.test", Script.ok().body(100));
      callers.add(
          kit.call(
              () -> {
                kit.assertWhole(kit.execute(client, Call.get(uri)), 200, 100);
                return null;
              }));
    }
    Bounds.holds(
        Bounds.LONG, () -> begun.getCount() == 0 || callers.stream().anyMatch(Caller::isDone));
    if (begun.getCount() > 0) {
      mayEnd.countDown();
      callers.stream().filter(Caller::isDone).forEach(each -> each.result(Bounds.PROMPT));
      throw new AssertionError("no look-up has begun");
    }
    List<Caller<Void>> others = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      others.add(
          kit.call(
              () -> {
                Thread.sleep(10);
                return null;
              }));
    }
    others.forEach(each -> each.result(Bounds.LONG));
    boolean stood = waitedInVain.get();
    mayEnd.countDown();
    callers.forEach(each -> each.result(Bounds.LONG.multipliedBy(2)));
    assertFalse(stood, "other virtual threads stood still until the look-ups had given up");
  }

  @Rule("TH-02")
  default void noUserCodeOnIoThread(Kit kit) throws Exception {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    Set<String> onIoThread = ConcurrentHashMap.newKeySet();
    Consumer<String> probe =
        word -> {
          seen.add(word);
          if (kit.driver().isIoThread(Thread.currentThread())) {
            onIoThread.add(word);
          }
        };
    UserCode code = new UserCode(kit, probe);
    code.run(kit.open(code.settings()), "loom.heddle.test");
    assertEquals(Set.of(), onIoThread, "user code on an I/O thread");
    assertTrue(
        seen.containsAll(List.of(UserCode.LOOKUP, UserCode.WRITER, UserCode.STREAM)),
        "ran: " + seen);
  }

  @Rule("TH-03")
  default void callFromIoThread(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok());
    assertRefusedOnIoThread(kit, client, () -> kit.execute(client, Call.get(uri)).close());
    kit.assertIdle(client);
    kit.assertWorks(client);
    assertEquals(0, kit.server().seen(uri).size(), "requests sent");
  }

  @Rule("TH-04")
  default void readFromIoThread(Kit kit) throws Exception {
    Client client = kit.open();
    URI uri = kit.uri(Script.ok().body(10_000).fault(Script.Fault.STALL, 1000));
    Reply reply = kit.execute(client, Call.get(uri));
    assertEquals(1000, reply.body().readNBytes(1000).length);
    assertRefusedOnIoThread(kit, client, reply.body()::read);
    reply.close();
    kit.assertWorks(client);
  }

  @Rule(value = "TH-05", limit = 120)
  default void nothingPins(Kit kit) throws Exception {
    URI uri = kit.uri(Pinning.script(Pinning.Figure.PINS));
    kit.otherJvm().run(kit, Pinning.class, Pinning.Figure.PINS, uri);
  }

  @Rule(value = "TH-06", limit = 120)
  default void waitingHoldsNoCarrier(Kit kit) throws Exception {
    URI uri = kit.uri(Pinning.script(Pinning.Figure.CARRIERS));
    kit.otherJvm().run(kit, Pinning.class, Pinning.Figure.CARRIERS, uri);
  }

  /** Something that blocks. */
  @FunctionalInterface
  interface Blocking {
    void run() throws Exception;
  }

  private static void assertRefusedOnIoThread(Kit kit, Client client, Blocking work) {
    AtomicBoolean wasIoThread = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Caller<Void> caller =
        kit.call(
            () -> {
              Call small = Call.get(kit.uri(Script.ok().body(100))).build();
              kit.driver()
                  .onIoThread(
                      client,
                      small,
                      () -> {
                        wasIoThread.set(kit.driver().isIoThread(Thread.currentThread()));
                        try {
                          work.run();
                        } catch (Throwable t) {
                          failure.set(t);
                        }
                      });
              return null;
            });
    Bounds.await(
        Bounds.PROMPT.plus(Bounds.patient(Duration.ofSeconds(1))),
        "a blocking call on an I/O thread ends, which it holds",
        caller::isDone);
    caller.result(Bounds.PROMPT);
    assertTrue(wasIoThread.get(), "the driver says that this was no I/O thread");
    Throwable refusal = failure.get();
    while (refusal != null && !(refusal instanceof IllegalStateException)) {
      refusal = refusal.getCause();
    }
    assertTrue(
        refusal != null && String.valueOf(refusal.getMessage()).contains("I/O thread"),
        "a blocking call on an I/O thread: " + failure.get());
  }
}
