package io.heddle.okhttp;

import io.heddle.core.Waiter;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that OkHttp's own blocking code runs on where it may not run on the caller. They
 * inherit nothing from whoever made them, since they go on to other calls.
 *
 * <p>Before JDK 24 they are platform threads: OkHttp waits inside {@code synchronized}, which there
 * holds a virtual thread's carrier. From 24 on they are virtual, and as cheap as the callers.
 */
final class WorkerThreads {

  static final String NAME = "heddle-okhttp-worker-";

  private static final int IDLE_SECONDS = 10;

  private WorkerThreads() {}

  /** Whether virtual threads wait well inside {@code synchronized} on this runtime. */
  static boolean areVirtual() {
    return !Waiter.MONITORS_HOLD_CARRIERS;
  }

  /** Whether this thread would hold its carrier where it waits inside {@code synchronized}. */
  static boolean holdsCarrier() {
    return !areVirtual() && Thread.currentThread().isVirtual();
  }

  /** Workers of the kind that is right on this runtime; no limit to their number. */
  static Executor forThisRuntime() {
    return areVirtual() ? virtual() : platform();
  }

  static Executor virtual() {
    ThreadFactory factory =
        Thread.ofVirtual().name(NAME, 1).inheritInheritableThreadLocals(false).factory();
    return work -> factory.newThread(work).start();
  }

  /** Daemons, which end once idle. */
  static ThreadPoolExecutor platform() {
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        Thread.ofPlatform().name(NAME, 1).daemon().inheritInheritableThreadLocals(false).factory());
  }
}
