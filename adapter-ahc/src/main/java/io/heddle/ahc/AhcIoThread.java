package io.heddle.ahc;

import io.heddle.IoThread;
import io.netty.channel.Channel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;

/**
 * A thread of the engine, an event loop or its timer: moves bytes, signals callers, never waits.
 */
final class AhcIoThread extends Thread implements IoThread {

  /** Inherits nothing of him who happens to have it made: another's calls run there as well. */
  private AhcIoThread(ThreadGroup group, Runnable work, String name) {
    super(group, () -> FastThreadLocalThread.runWithFastThreadLocal(work), name, 0, false);
    setContextClassLoader(ClassLoader.getSystemClassLoader());
  }

  /**
   * Runs this on the channel's event loop, once that has done what it is at; here and now if the
   * loop has ended, since the client is closed. Any thread.
   */
  static void later(Channel of, Runnable work) {
    try {
      of.eventLoop().execute(work);
    } catch (RejectedExecutionException e) {
      work.run();
    }
  }

  /** Makes such threads, with the names that AHC gives its own. */
  static ThreadFactory factory(String poolName) {
    return new DefaultThreadFactory(poolName) {
      @Override
      protected Thread newThread(Runnable work, String name) {
        return new AhcIoThread(threadGroup, work, name);
      }
    };
  }
}
