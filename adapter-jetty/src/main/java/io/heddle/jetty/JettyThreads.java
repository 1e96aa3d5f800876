package io.heddle.jetty;

import org.eclipse.jetty.util.VirtualThreads;
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
  public Thread newThread(Runnable work) {
    JettyIoThread thread = new JettyIoThread(work);
    thread.setDaemon(isDaemon());
    thread.setName(getName() + "-" + thread.threadId());
    return thread;
  }
}
