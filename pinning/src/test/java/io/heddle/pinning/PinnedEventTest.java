package io.heddle.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PinnedEventTest {

  private static final String PARK =
      "java.util.concurrent.locks.LockSupport.park(LockSupport.java:1)";
  private static final String FOOT = "jdk.internal.vm.Continuation.enterSpecial(Native Method)";
  private static final String NATIVE_ON_STACK = "Native or VM frame on stack";

  private static PinnedEvent event(@Nullable String reason, String... frames) {
    return new PinnedEvent(Duration.ofNanos(1), "#1", null, reason, null, List.of(frames));
  }

  private static void assertCertain(String culprit, PinnedEvent event) {
    assertEquals(culprit, event.culprit());
    assertTrue(event.culpritIsCertain());
  }

  private static void assertGuessed(String culprit, PinnedEvent event) {
    assertEquals(culprit, event.culprit());
    assertFalse(event.culpritIsCertain());
  }

  @Test
  void aNativeFramePins() {
    PinnedEvent event =
        event(
            NATIVE_ON_STACK,
            "java.lang.VirtualThread.postPinnedEvent(Native Method)",
            PARK,
            "com.example.Callback.run(Callback.java:5)",
            "com.example.Driver.call0(Native Method)",
            "jdk.internal.Some.method(Some.java:1)",
            "com.example.Foo$$Lambda.0x1234.run(Unknown Source)",
            "com.example.Driver.call(Driver.java:9)",
            FOOT);
    assertCertain("com.example.Driver.call0(Native Method)", event);
    assertEquals("com.example.Driver.call(Driver.java:9)", event.caller());
  }

  @Test
  void aWaitOnAMonitorIsNotTheNativeFrameThatPins() {
    assertCertain(
        "com.example.Cache.<clinit>(Cache.java:3)",
        event(
            "VM call to com.example.Cache.<clinit> on stack",
            "java.lang.Object.wait0(Native Method)",
            "java.lang.Object.wait(Object.java:1)",
            "com.example.Cache.<clinit>(Cache.java:3)",
            FOOT));
  }

  @Test
  void theNearestOfSeveralIsTheCulprit() {
    PinnedEvent event =
        event(
            null,
            PARK,
            "com.example.Inner.<clinit>(Inner.java:1)",
            "com.example.Outer.<clinit>(Outer.java:1)");
    assertCertain("com.example.Inner.<clinit>(Inner.java:1)", event);
    assertEquals("com.example.Outer.<clinit>(Outer.java:1)", event.caller());
  }

  @Test
  void anUpcallFromNativeCodePins() {
    String upcall = "jdk.internal.foreign.abi.UpcallStub.0x1.invoke(Unknown Source)";
    assertCertain(
        upcall, event(NATIVE_ON_STACK, PARK, "com.example.Compare.by(Compare.java:1)", upcall));
  }

  @Test
  void theLinkingOfACallSitePins() {
    String link = "java.lang.invoke.MethodHandleNatives.linkCallSite(MethodHandleNatives.java:1)";
    PinnedEvent event =
        event(
            NATIVE_ON_STACK,
            PARK,
            "com.example.Bootstrap.site(Bootstrap.java:1)",
            link,
            "com.example.User.use(User.java:1)");
    assertCertain(link, event);
    assertEquals("com.example.User.use(User.java:1)", event.caller());
  }

  @Test
  void aWaitForTheInitializationOfAClassIsTheFrameThatUsedTheClass() {
    assertCertain(
        "com.example.User.use(User.java:1)",
        event(
            "Waited for initialization of com.example.Cache by another thread",
            "com.example.User.use(User.java:1)",
            "com.example.Main.<clinit>(Main.java:1)"));
  }

  @Test
  void aSynchronizedMethodPinsWhereTheJvmGivesNoReason() {
    String method = "synchronized com.example.Box.get(Box.java:1)";
    String[] frames = {PARK, "com.example.Inner.get(Inner.java:1)", method, FOOT};
    assertCertain(method, event(null, frames));
    assertGuessed("com.example.Inner.get(Inner.java:1)", event("Critical section", frames));
  }

  private static PinnedEvent inMonitor(String operation, String... frames) {
    return new PinnedEvent(Duration.ofNanos(1), "#1", null, null, operation, List.of(frames));
  }

  @Test
  void whereMonitorsHoldCarriersTheFrameThatWaitsForOneIsTheCulprit() {
    String wait = "java.lang.Object.wait(Object.java:1)";
    String clinit = "com.example.Cache.<clinit>(Cache.java:3)";
    PinnedEvent enter =
        inMonitor(
            PinnedEvent.IN_MONITOR_ENTER,
            "com.example.Pool.lease(Pool.java:1)",
            "com.example.User.use(User.java:1)",
            clinit);
    assertCertain("com.example.Pool.lease(Pool.java:1)", enter);
    assertEquals("com.example.User.use(User.java:1)", enter.caller());
    assertCertain(
        "java.lang.Thread.join(Thread.java:1)",
        inMonitor(
            PinnedEvent.IN_MONITOR_WAIT,
            "java.lang.Object.wait0(Native Method)",
            wait,
            "java.lang.Thread.join(Thread.java:1)",
            clinit));
    assertGuessed(wait, inMonitor(PinnedEvent.IN_MONITOR_WAIT, wait));
  }

  @Test
  void theJvmsCallOfAClassLoaderIsLikely() {
    String loader = "java.lang.ClassLoader.loadClass(ClassLoader.java:1)";
    PinnedEvent event =
        event(
            "Freeze or preempt failed (2)",
            PARK,
            "com.example.Loader.loadClass(Loader.java:1)",
            loader,
            "com.example.User.use(User.java:1)");
    assertGuessed(loader, event);
    assertEquals("com.example.User.use(User.java:1)", event.caller());
  }

  @Test
  void elseItIsTheNearestFrameOutsideTheJdk() {
    PinnedEvent event =
        event(
            null,
            PARK,
            "java.util.concurrent.Semaphore.acquire(Semaphore.java:1)",
            "sun.nio.ch.Net.x(Net.java:1)",
            "com.sun.X.x(X.java:1)",
            "javax.net.ssl.X.x(X.java:1)",
            "com.example.Pool.lease(Pool.java:1)",
            FOOT);
    assertGuessed("com.example.Pool.lease(Pool.java:1)", event);
    assertNull(event.caller());
  }

  @Test
  void aStackOfTheJdkAloneOrNoStackHasAnAnswerToo() {
    assertGuessed(PARK, event(null, PARK, FOOT, PinnedEvent.CUT));
    assertGuessed("a frame that is not in the record", event(null));
    assertNull(event(null).caller());
    assertGuessed(
        "a frame that is not in the record", event("Waited for initialization of X by another"));
  }
}
