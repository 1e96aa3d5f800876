package io.heddle.jetty;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A client's timeouts: one daemon thread, which inherits nothing of who sets the first of them, as
 * that of Jetty's own scheduler does.
 */
final class JettyScheduler extends AbstractLifeCycle implements Scheduler {

  private final String name;

  // Set at each start.
  private volatile @Nullable ScheduledThreadPoolExecutor thread;

  JettyScheduler(String name) {
    this.name = name;
  }

  @Override
  protected void doStart() {
    ScheduledThreadPoolExecutor one =
        new ScheduledThreadPoolExecutor(
            1,
            Thread.ofPlatform()
                .name(name)
                .daemon()
                .inheritInheritableThreadLocals(false)
                .factory());
    one.setRemoveOnCancelPolicy(true);
    thread = one;
  }

  @Override
  protected void doStop() {
    ScheduledThreadPoolExecutor one = thread;
    if (one != null) {
      one.shutdownNow();
    }
  }

  /**
   * Runs a task once, on the one thread, which it must not hold up.
   *
   * @throws java.util.concurrent.RejectedExecutionException if this was stopped
   */
  @Override
  public Task schedule(Runnable task, long delay, TimeUnit units) {
    ScheduledThreadPoolExecutor one = thread;
    if (one == null) {
      return () -> false;
    }
    ScheduledFuture<?> scheduled = one.schedule(task, delay, units);
    return () -> scheduled.cancel(false);
  }
}
