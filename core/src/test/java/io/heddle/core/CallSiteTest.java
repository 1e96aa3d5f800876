package io.heddle.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CallSiteTest {

  /** The frame that the trace is to show. */
  private static <T extends Throwable> T blockingCall(T failure) {
    return CallSite.attach(failure);
  }

  private static IOException madeElsewhere() {
    return CompletableFuture.supplyAsync(CallSiteTest::onAnotherThread).join();
  }

  private static IOException onAnotherThread() {
    return new IOException("reset");
  }

  @Test
  void theTraceReadsFromTheFailureToTheCaller() {
    IOException failure = madeElsewhere();
    List<StackTraceElement> before = List.of(failure.getStackTrace());

    assertSame(failure, blockingCall(failure));

    List<String> methods =
        Arrays.stream(failure.getStackTrace()).map(StackTraceElement::getMethodName).toList();
    assertEquals("onAnotherThread", methods.get(0));
    assertEquals(before, List.of(failure.getStackTrace()).subList(0, before.size()));
    assertEquals("waited for by----", methods.get(before.size()));
    assertEquals("blockingCall", methods.get(before.size() + 1));
    assertTrue(methods.contains("theTraceReadsFromTheFailureToTheCaller"));
  }

  @Test
  void theSecondCallSiteIsNotAdded() {
    IOException failure = blockingCall(madeElsewhere());
    StackTraceElement[] once = failure.getStackTrace();
    assertArrayEquals(once, blockingCall(failure).getStackTrace());
  }

  @Test
  void itIsKnownWhetherACallerHasHadIt() {
    IOException failure = madeElsewhere();
    assertFalse(CallSite.isAttached(failure));
    assertTrue(CallSite.isAttached(blockingCall(failure)));
  }

  @Test
  void aFailureWithoutAWritableTraceIsLeftAlone() {
    Exception stackless =
        new Exception("no stack", null, false, false) {
          private static final long serialVersionUID = 1L;
        };
    assertSame(stackless, blockingCall(stackless));
    assertEquals(0, stackless.getStackTrace().length);
  }
}
