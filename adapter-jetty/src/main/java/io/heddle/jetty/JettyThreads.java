package io.heddle.jetty;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * The threads of a client: a few platform threads for I/O, and a virtual thread for each piece of
 * work that runs a user's own listeners.
 */
final class JettyThreads extends QueuedThreadPool {

  private static final int MAX = 200;

  private final AtomicInteger count = new AtomicInteger();

  JettyThreads(String name) {
    super(MAX);
    setName(name);
    setDaemon(true);
    ThreadFactory listeners = virtual(name + "-listener-");
    setVirtualThreadsExecutor(task -> listeners.newThread(task).start());
  }

  /** Virtual threads that inherit nothing of who makes them. */
  static ThreadFactory virtual(String prefix) {
    return Thread.ofVirtual().name(prefix, 0).inheritInheritableThreadLocals(false).factory();
  }

  @Override
  public void execute(Runnable job) {
    if (!executedElsewhere(job)) {
      super.execute(job);
    }
  }

  @Override
  public boolean tryExecute(Runnable job) {
    return executedElsewhere(job) || super.tryExecute(job);
  }

  /** What may run users' code, by its own account, is not for an I/O thread. */
  private boolean executedElsewhere(Runnable job) {
    Executor virtual = getVirtualThreadsExecutor();
    if (virtual == null
        || !(job instanceof Invocable)
        || Invocable.getInvocationType(job) != Invocable.InvocationType.BLOCKING) {
      return false;
    }
    virtual.execute(job);
    return true;
  }

  @Override
  public Thread newThread(Runnable work) {
    JettyIoThread thread = new JettyIoThread(work, getName() + "-" + count.incrementAndGet());
    thread.setDaemon(isDaemon());
    return thread;
  }
}
