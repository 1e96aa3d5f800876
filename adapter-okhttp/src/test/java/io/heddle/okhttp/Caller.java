package io.heddle.okhttp;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Makes a blocking call on a thread of its own, virtual unless told otherwise. */
final class Caller {

  private static final int SECONDS = 20;

  private final FutureTask<Object> task;
  private final Thread thread;

  Caller(Callable<?> call) {
    this(Thread.ofVirtual(), call);
  }

  Caller(Thread.Builder kind, Callable<?> call) {
    task = new FutureTask<>(call::call);
    thread = kind.name("caller").start(task);
  }

  Thread thread() {
    return thread;
  }

  /** Whether the thread waits for something, with a time or without. */
  boolean waits() {
    return thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
  }

  boolean isDone() {
    return task.isDone();
  }

  Object result() throws Exception {
    return Objects.requireNonNull(task.get(SECONDS, TimeUnit.SECONDS));
  }

  Throwable failure() throws Exception {
    try {
      throw new AssertionError("no failure, but " + result());
    } catch (ExecutionException e) {
      return Objects.requireNonNull(e.getCause());
    }
  }
}
