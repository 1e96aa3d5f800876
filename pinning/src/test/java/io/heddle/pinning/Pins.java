package io.heddle.pinning;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;

/** Waits that hold a carrier, on every JDK or on some, and waits that do not. */
final class Pins {

  // Not private: a hidden class is no nest mate.
  static final ThreadLocal<Runnable> BODY = new ThreadLocal<>();

  private static final class Initializer {
    static {
      BODY.get().run();
    }
  }

  private static final byte[] INITIALIZER = bytesOf(Initializer.class);

  private Pins() {}

  /** Runs the body on a fresh virtual thread, and throws what it throws. */
  static void onVirtualThread(String name, Runnable body) {
    onVirtualThreads(name, 1, body);
  }

  /** Runs the body on several virtual threads at a time. */
  static void onVirtualThreads(String name, int count, Runnable body) {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FutureTask<Void> task = new FutureTask<>(body, null);
      Thread.ofVirtual().name(name).start(task);
      tasks.add(task);
    }
    for (FutureTask<Void> task : tasks) {
      try {
        task.get();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
  }

  /** Runs the body within a class initializer: pinned on every JDK. */
  static void pinned(Runnable body) {
    BODY.set(body);
    try {
      MethodHandles.lookup().defineHiddenClass(INITIALIZER, true);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    } finally {
      BODY.remove();
    }
  }

  /** One pin of the calling thread. */
  static void pin() {
    pinned(Pins::park);
  }

  /** A wait that pins nothing by itself. */
  static void park() {
    LockSupport.parkNanos(1);
  }

  /** Pinned before JDK 24. */
  static synchronized void parkInSynchronizedMethod() {
    park();
  }

  /** Pinned before JDK 24. */
  static void parkInSynchronizedBlock(Object monitor) {
    synchronized (monitor) {
      LockSupport.parkNanos(1);
    }
  }

  /**
   * A virtual thread "enters", and a platform thread, wait to enter a monitor for at least so long;
   * the virtual one holds its carrier before JDK 24.
   */
  static void contend(int millis) throws InterruptedException {
    Object monitor = new Object();
    Thread virtual = Thread.ofVirtual().name("enters").unstarted(() -> enter(monitor, () -> {}));
    Thread platform = new Thread(() -> enter(monitor, () -> {}));
    synchronized (monitor) { // held by a platform thread
      virtual.start();
      platform.start();
      awaitState(virtual, Thread.State.BLOCKED);
      awaitState(platform, Thread.State.BLOCKED);
      Thread.sleep(millis);
    }
    virtual.join();
    platform.join();
  }

  static void awaitState(Thread thread, Thread.State state) throws InterruptedException {
    while (thread.getState() != state) {
      Thread.sleep(1); // a thread tells nobody that it has begun to wait
    }
  }

  private static void enter(Object monitor, Runnable body) {
    synchronized (monitor) {
      body.run();
    }
  }

  /** Holds a carrier before JDK 24. */
  @SuppressWarnings("WaitNotInLoop") // that it waits is all that it is for
  static void waitOnMonitor() {
    Object monitor = new Object();
    synchronized (monitor) {
      try {
        monitor.wait(1);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  static boolean monitorsPin() {
    return Runtime.version().feature() < 24;
  }

  private static byte[] bytesOf(Class<?> type) {
    try (InputStream in = type.getResourceAsStream("Pins$" + type.getSimpleName() + ".class")) {
      if (in == null) {
        throw new IllegalStateException("no class file");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
