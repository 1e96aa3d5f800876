package io.heddle.jetty;

import java.util.concurrent.Executor;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * The threads of a client: a few platform threads for I/O, and a virtual thread for each piece of
 * work that runs a user's own listeners.
 */
final class JettyThreads extends QueuedThreadPool {

  private static final int MAX = 200;

  JettyThreads(String name) {
    super(MAX);
    setName(name);
    setDaemon(true);
    setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor(name + "-listener-"));
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
    JettyIoThread thread = new JettyIoThread(work);
    thread.setDaemon(isDaemon());
    thread.setName(getName() + "-" + thread.threadId());
    return thread;
  }
}
